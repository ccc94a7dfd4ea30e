use futures_util::FutureExt as _;
use sessile_core::backend::{Collection, DocKey};
use sessile_core::digest::{Salt, Token};
use sessile_core::entry::shape::{Dialect, Header};
use sessile_core::{EntryType, Limits, NewEntry, Payload, UnixMillis};

use super::*;
use crate::journal::Journal;

fn key() -> DocKey {
    DocKey {
        collection: Collection { space: Space::default(), name: "c".parse().unwrap() },
        name: "n".parse().unwrap(),
    }
}

fn revision_of(text: &str) -> Revision {
    Revision::new(Token::from_digest(Digest::of(text.as_bytes())))
}

fn put(backend: &MemoryBackend, text: &'static str) {
    let document = NewDocument { bytes: text.into(), revision: revision_of(text), session: None };
    backend.put(&key(), document, Precondition::Absent).now_or_never().unwrap().unwrap();
}

#[test]
fn a_name_leads_to_one_place_for_the_whole_process() {
    put(&MemoryBackend::named("one"), "kept");
    assert_eq!(MemoryBackend::named("one").lock().counts(), (0, 1));
    assert_eq!(MemoryBackend::named("another").lock().counts(), (0, 0));
    assert_eq!(MemoryBackend::new().lock().counts(), (0, 0));
}

#[test]
fn the_digest_tells_whether_anything_was_written() {
    let backend = MemoryBackend::new();
    let empty = backend.digest();
    assert_eq!(backend.digest(), empty);
    put(&backend, "x");
    assert_ne!(backend.digest(), empty);
}

#[test]
fn what_was_deleted_or_refused_leaves_nothing_behind() {
    let backend = MemoryBackend::new();
    let empty = backend.digest();
    for _ in 0..1_000 {
        put(&backend, "x");
        backend.delete(&key(), revision_of("x")).now_or_never().unwrap().unwrap();
        backend.delete(&key(), revision_of("x")).now_or_never().unwrap().unwrap_err();
    }
    assert_eq!(backend.digest(), empty);
    assert_eq!(format!("{:?}", backend.lock()), format!("{:?}", Place::default()));
}

fn token_of(text: &str) -> Token {
    Token::from_digest(Digest::of(text.as_bytes()))
}

fn commit(token: &str, entry_type: EntryType, data: Payload) -> Commit {
    let entry = NewEntry::new(UnixMillis(1), entry_type, data);
    let id = token.parse().unwrap();
    Commit::new(id, token_of(token), vec![entry], &Limits::default()).unwrap()
}

fn header(key: &SessionKey) -> Payload {
    Payload::of(&Header {
        format: Header::FORMAT,
        id: key.id.clone(),
        space: key.space.clone(),
        created_at: UnixMillis(1),
        crc: Header::CRC.to_owned(),
        salt: Salt::from_random([7; 4]),
        file: token_of("file"),
        dialect: Dialect::Plain,
        project: None,
        project_identity: None,
        owner: None,
        parent_id: None,
        forked_from: None,
        copied_to: None,
        identity: None,
        host: BTreeMap::new(),
    })
    .unwrap()
}

/// Creates a session, fills it with entries and documents, deletes and purges it.
fn lives_and_dies(backend: &MemoryBackend, id: &str, entries: usize) {
    let key = SessionKey { space: Space::default(), id: id.parse().unwrap() };
    let send = |tip, commit| {
        let sent =
            backend.append(&key, Expected::At(tip), vec![commit]).now_or_never().unwrap().unwrap();
        sent[0].tip
    };
    let begin = commit("begin", EntryType::Session, header(&key));
    let mut tip = send(Tip::ABSENT, begin);
    for number in 0..entries {
        let data = Payload::parse(format!("\"{}\"", "x".repeat(200))).unwrap();
        tip = send(tip, commit(&format!("c{number}"), EntryType::Message, data));
        for collection in ["checkpoints", "snapshots", "bindings"] {
            let name = format!("{id}-{number}").parse().unwrap();
            let space = Space::default();
            let collection = Collection { space, name: collection.parse().unwrap() };
            let revision = revision_of("1");
            let document =
                NewDocument { bytes: "value".into(), revision, session: Some(key.id.clone()) };
            let key = DocKey { collection, name };
            let put = backend.put(&key, document, Precondition::Absent);
            put.now_or_never().unwrap().unwrap();
        }
    }
    let tombstone = commit("end", EntryType::Delete, Payload::parse("{}").unwrap());
    backend.remove(&key, tip, tombstone).now_or_never().unwrap().unwrap();
    backend.purge(&key).now_or_never().unwrap().unwrap();
}

/// For how many commits, entries and answers a place takes memory, and how many documents it has.
fn room(backend: &MemoryBackend) -> ([usize; 3], usize) {
    let place = backend.lock();
    let rooms = place.look(&Space::default(), |space| {
        space.journals().values().map(Journal::room).collect::<Vec<_>>()
    });
    let sum = |at: usize| rooms.iter().map(|room| room[at]).sum();
    ([sum(0), sum(1), sum(2)], place.counts().1)
}

#[test]
fn sessions_that_were_purged_take_no_more_memory_than_their_tombstones() {
    let soak = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    let sessions = if soak { 10_000 } else { 1_000 };
    let (empty, filled) = (MemoryBackend::new(), MemoryBackend::new());
    for number in 0..sessions {
        lives_and_dies(&empty, &format!("s{number}"), 0);
        lives_and_dies(&filled, &format!("s{number}"), 10);
    }
    // What is left of a session that never held anything is its tombstone and no more.
    assert_eq!(filled.lock().counts(), (sessions, 0));
    assert_eq!(room(&filled), room(&empty));
    let collections = filled.lock().look(&Space::default(), |space| space.collections().len());
    assert_eq!(collections, 0);
}

#[test]
fn a_panic_under_the_lock_spoils_nothing() {
    let backend = MemoryBackend::new();
    put(&backend, "x");
    let handle = backend.clone();
    let panicked = std::thread::spawn(move || {
        let _held = handle.lock();
        panic!("under the lock");
    });
    assert!(panicked.join().is_err());
    assert_eq!(backend.lock().counts(), (0, 1));
}

#[test]
fn debug_tells_no_content() {
    let backend = MemoryBackend::new();
    put(&backend, "secret");
    assert_eq!(format!("{backend:?}"), "MemoryBackend(0 journals, 1 documents)");
}
