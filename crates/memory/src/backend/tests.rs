use futures_util::FutureExt as _;
use sessile_core::backend::{Collection, DocKey};
use sessile_core::digest::Token;

use super::*;

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
