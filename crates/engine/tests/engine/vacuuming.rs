//! Vacuuming, and the figures of a store.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::{collection, option};
use sessile_core::backend::{Backend as _, Capability, Expected};
use sessile_core::digest::{Digest, Token};
use sessile_core::{
    Commit, CommitId, EntryType, Error, ErrorKind, Limits, NewEntry, Payload, SessionKey, Space,
    UnixMillis,
};
use sessile_engine::{Append, From, NewSession, Options, RawMessage, Session, Store};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

#[tokio::test]
async fn a_vacuum_changes_nothing_that_a_reader_is_told() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    for number in 0..3_000_u64 {
        let id = Append::at_end().commit_id(format!("c{number}").parse()?);
        session.append_with(id, [number]).await?;
    }
    let before = session.info();
    let done = store.vacuum("a").await?;
    assert!(done.dropped > 0 && done.bytes_after < done.bytes_before, "{done:?}");
    assert_eq!(store.vacuum("a").await?.dropped, 0);
    for handle in [&session, &store.open_session("a").await?] {
        let info = handle.refresh().await?;
        assert_eq!((info.position, info.entries), (before.position, before.entries));
        assert_eq!((info.messages, info.payload_bytes), (before.messages, before.payload_bytes));
        let read: Vec<u64> = handle.transcript(From::start()).await?.all().await?;
        assert!(read.into_iter().eq(0..3_000));
        for number in [0, 1, 1_499, 2_999] {
            let id = Append::at_end().commit_id(format!("c{number}").parse()?);
            assert!(handle.append_with(id, [number]).await?.replayed, "{number}");
        }
    }
    assert!(store.verify("a").await?.sound);
    session.append([3_000]).await?;
    session.delete().await?;
    assert_eq!(store.vacuum("a").await.unwrap_err().kind(), ErrorKind::Deleted);
    assert_eq!(store.vacuum("b").await.unwrap_err().kind(), ErrorKind::Missing);
    Ok(())
}

#[tokio::test]
async fn a_status_counts_what_is_open_and_under_way() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    assert_eq!((store.status().sessions, store.status().mutations), (0, 0));
    let session = store.create_as("a", NewSession::new()).await?;
    let clone = session.clone();
    let other = store.open_session("a").await?;
    let status = store.space("elsewhere")?.status();
    assert_eq!((status.sessions, status.mutations, status.closed), (2, 0, false));
    assert_eq!((status.space.as_str(), status.backend), ("elsewhere", "memory"));
    assert!(status.capabilities.has(Capability::Purge));
    faulty.script([Fault::Held]);
    let held = tokio::spawn(async move { clone.append([1]).await });
    faulty.is_holding().await;
    assert_eq!(store.status().mutations, 1);
    faulty.let_go();
    held.await.unwrap()?;
    drop((session, other));
    store.close().await?;
    let status = store.status();
    assert_eq!((status.sessions, status.mutations, status.closed), (0, 0, true));
    Ok(())
}

/// Keys, and what each is set to; none takes it away.
type Changes = Vec<(u8, Option<u8>)>;

/// One commit of a random journal.
#[derive(Clone, Debug)]
enum Step {
    /// Messages, by the session.
    Messages(usize),
    /// Metadata, by the session.
    Meta(Changes),
    /// Metadata and events in one commit, each made at a time of its own.
    Mixed(Vec<(Option<Changes>, u64)>),
}

fn changes(of: &[(u8, Option<u8>)]) -> Vec<(String, Option<u8>)> {
    of.iter().map(|(key, value)| (format!("k{key}"), *value)).collect()
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let meta = || collection::vec((0..4_u8, option::of(any::<u8>())), 0..3);
    let step = prop_oneof![
        (1..3_usize).prop_map(Step::Messages),
        meta().prop_map(Step::Meta),
        collection::vec((option::of(meta()), 0..4_000_000_000_000_u64), 1..6).prop_map(Step::Mixed),
    ];
    collection::vec(step, 1..40)
}

fn key() -> Result<SessionKey, Error> {
    Ok(SessionKey { space: Space::default(), id: "a".parse()? })
}

/// Takes a step under the id of its number; doing so again repeats it.
async fn take(
    backend: &MemoryBackend,
    session: &Session,
    step: &Step,
    at: usize,
) -> Result<(), Error> {
    let id: CommitId = format!("c{at}").parse()?;
    let append = Append::at_end().commit_id(id.clone());
    match step {
        Step::Messages(count) => {
            session.append_with(append, vec![at; *count]).await?;
        }
        Step::Meta(of) => {
            session.set_meta_with(append, changes(of)).await?;
        }
        Step::Mixed(entries) => {
            let entry = |(meta, at): &(Option<Vec<_>>, u64)| {
                let (entry_type, data) = match meta {
                    Some(of) => {
                        let of: BTreeMap<_, _> = changes(of).into_iter().collect();
                        (EntryType::Meta, Payload::of(&of)?)
                    }
                    None => (EntryType::Event, Payload::of(at)?),
                };
                Ok(NewEntry::new(UnixMillis(*at), entry_type, data))
            };
            let entries = entries.iter().map(entry).collect::<Result<_, Error>>()?;
            let token = Token::from_digest(Digest::of(id.to_string().as_bytes()));
            let commit = Commit::new(id, token, entries, &Limits::default())?;
            let tip = backend.head(&key()?).await?.tip;
            backend.append(&key()?, Expected::At(tip), vec![commit]).await?;
            session.refresh().await?;
        }
    }
    Ok(())
}

/// All that a vacuum must leave as it is: what the session is, its transcript, and what each of so
/// many commits was answered.
async fn told(session: &Session, commits: usize) -> Result<String, Error> {
    let info = session.refresh().await?;
    let meta: Vec<_> =
        info.meta.iter().map(|(key, value)| (key.to_owned(), value.as_str().to_owned())).collect();
    let read: Vec<RawMessage> = session.transcript(From::start()).await?.all().await?;
    let mut answers = Vec::new();
    for at in 0..commits {
        let id: CommitId = format!("c{at}").parse()?;
        let other = Append::at_end().commit_id(id.clone());
        let refused = session.append_with(other, ["other"]).await.map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::Conflict), "{id}");
        answers.push(session.resolve(&id).await?);
    }
    let rows: Vec<_> = read.iter().map(|it| (it.seq, it.ordinal, it.data.as_str())).collect();
    let what = (info.updated_at, info.lifecycle, info.position, info.messages, info.events);
    Ok(format!("{what:?} {meta:?} {rows:?} {answers:?}"))
}

async fn a_vacuum_is_not_noticed(steps: &[Step]) -> Result<(), Error> {
    let backend = MemoryBackend::new();
    let often = || Options::default().state_every(4, 1 << 20);
    let store = Store::with(Arc::new(backend.clone()), often());
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    for (at, step) in steps.iter().enumerate() {
        take(&backend, &session, step, at).await?;
    }
    let before = told(&session, steps.len()).await?;
    let done = store.vacuum("a").await?;
    assert!(done.bytes_after <= done.bytes_before);
    let again = store.vacuum("a").await?;
    assert_eq!((again.dropped, again.emptied), (0, 0));
    for handle in [&session, &store.open_session("a").await?] {
        assert_eq!(told(handle, steps.len()).await?, before);
    }
    // As states have it, and as all of the entries have it.
    let whole = Store::with(Arc::new(backend.clone()), often());
    assert!(whole.verify("a").await?.sound);
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| !matches!(step, Step::Mixed(_))) {
        take(&backend, &session, step, at).await?;
    }
    assert_eq!(told(&session, steps.len()).await?, before);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_random_journal_tells_a_reader_of_its_vacuum(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(a_vacuum_is_not_noticed(&steps)).unwrap();
    }
}

#[tokio::test]
async fn metadata_that_was_set_again_is_dropped_or_emptied() -> Result<(), Error> {
    let backend = MemoryBackend::new();
    let store = Store::on(Arc::new(backend.clone()));
    let session = store.create_as("a", NewSession::new().title("first")).await?;
    let set = |key: u8| Some(vec![(key, Some(key))]);
    let mixed = Step::Mixed(vec![(None, 3), (set(1), 2), (set(2), 1), (set(1), 9), (None, 5)]);
    take(&backend, &session, &mixed, 0).await?;
    session.set_title("second").await?;
    session.set_meta([("k1", 7)]).await?;
    session.touch().await?;
    let done = store.vacuum("a").await?;
    // The title that it was created with closes its commit; of the others one is the last to set
    // its key, and one is younger than the entry that closes its commit.
    assert_eq!((done.dropped, done.emptied), (1, 2));
    let entries = store.open_session("a").await?.entries(From::start()).await?.all().await?;
    let metas = entries.iter().filter(|entry| entry.entry_type == EntryType::Meta);
    let metas: Vec<_> = metas.map(|it| (it.seq.number(), it.data.as_str())).collect();
    let expected = [
        (1, "{}"),
        (4, r#"{"k2":2}"#),
        (5, "{}"),
        (7, r#"{"title":"second"}"#),
        (8, r#"{"k1":7}"#),
        (9, "{}"),
    ];
    assert_eq!(metas, expected);
    assert!(store.verify("a").await?.sound);
    // A copy tells as much, and is as sound.
    let other = Store::on(Arc::new(MemoryBackend::new()));
    store.copy("a", &other).await?;
    let found = other.verify("a").await?;
    assert!(found.sound, "{found:?}");
    let fork = session.fork_as("b", None).await?;
    assert_eq!(fork.info().title().as_deref(), Some("second"));
    assert!(store.verify("b").await?.sound);
    Ok(())
}

#[tokio::test]
async fn a_vacuum_brings_nothing_back_that_is_recorded_to_be_removed() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new().title("first")).await?;
    let secret = session.append(["secret"]).await?;
    session.set_title("second").await?;
    // As if it were done only while the vacuum reads.
    faulty.masks(false);
    assert!(session.redact([secret.first], None).await.is_err());
    assert_eq!(store.vacuum("a").await?.emptied, 1);
    let read: Vec<RawMessage> = session.transcript(From::start()).await?.all().await?;
    assert_eq!(read[0].data.as_str(), r#"{"redacted":true}"#);
    let found = store.verify("a").await?;
    assert!(found.sound && found.unfinished.is_empty(), "{found:?}");
    Ok(())
}
