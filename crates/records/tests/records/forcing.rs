//! Stored bytes that are no checkpoint or no effect.

use sessile_core::{Backend as _, ErrorKind, Outcome};
use sessile_memory::MemoryBackend;
use sessile_records::Class;

use crate::scene::{
    Outside, checkpoints, document, effects, first, keyed, name, payload, put_past, text_of,
};

const JUNK: [&str; 4] = ["", "\0\0\0\0", "{\"format\":1", "{\"format\":1,\"name\":\"n\"}"];

#[tokio::test]
async fn what_does_not_decode_is_corrupt_and_only_its_revision_replaces_it() {
    for junk in JUNK {
        let memory = MemoryBackend::new();
        let (checkpoints, key) = (checkpoints(&memory), document("checkpoints", "n"));
        let stale = put_past(&memory, &key, "before").await;
        let revision = put_past(&memory, &key, junk).await;
        let error = checkpoints.load(&name("n")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(error.actual_revision(), Some(revision));

        let second = first("n", "1").next(payload("2")).unwrap();
        let corrupt = [
            checkpoints.compare_and_swap(second, Some(0)).await.map(drop),
            checkpoints.force(first("n", "9"), stale).await.map(drop),
            checkpoints.delete(&name("n"), 0).await,
            checkpoints.discard(&name("n"), stale).await,
        ];
        for answer in corrupt {
            let error = answer.unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Corrupt, Outcome::NotApplied));
            assert_eq!(error.actual_revision(), Some(revision));
        }
        let error = checkpoints.compare_and_swap(first("n", "1"), None).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert_eq!(text_of(&memory, &key).await, junk);

        let mut restored = first("n", "7");
        restored.number = 7;
        let put = checkpoints.force(restored, revision).await.unwrap();
        assert_eq!(checkpoints.load(&name("n")).await.unwrap(), put);
        let next = put.next(payload("8")).unwrap();
        checkpoints.compare_and_swap(next, Some(7)).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_whole_is_not_forced() {
    let memory = MemoryBackend::new();
    let (checkpoints, key) = (checkpoints(&memory), document("checkpoints", "n"));
    checkpoints.compare_and_swap(first("n", "1"), None).await.unwrap();
    let revision = memory.get(&key).await.unwrap().revision;
    let error = checkpoints.force(first("n", "2"), revision).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let error = checkpoints.discard(&name("n"), revision).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let error = checkpoints.force(first("m", "2"), revision).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert_eq!(checkpoints.load(&name("n")).await.unwrap().payload, payload("1"));
}

#[tokio::test]
async fn damage_can_be_given_up_by_its_revision() {
    let memory = MemoryBackend::new();
    let checkpoints = checkpoints(&memory);
    let revision = put_past(&memory, &document("checkpoints", "n"), "junk").await;
    checkpoints.discard(&name("n"), revision).await.unwrap();
    assert_eq!(checkpoints.load(&name("n")).await.unwrap_err().kind(), ErrorKind::Missing);
}

#[tokio::test]
async fn a_later_version_is_told_and_not_touched() {
    let memory = MemoryBackend::new();
    let (checkpoints, key) = (checkpoints(&memory), document("checkpoints", "n"));
    let later = "{\"format\":2,\"whatever\":[]}";
    let revision = put_past(&memory, &key, later).await;
    let error = checkpoints.load(&name("n")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownVersion);
    assert!(error.clause().contains("format 2") && error.clause().contains("up to 1"), "{error}");
    let second = first("n", "1").next(payload("2")).unwrap();
    let error = checkpoints.compare_and_swap(second, Some(0)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownVersion);
    let error = checkpoints.force(first("n", "1"), revision).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownVersion);
    assert_eq!(text_of(&memory, &key).await, later);
}

#[tokio::test]
async fn a_damaged_effect_or_owner_is_corrupt_and_nothing_runs() {
    let request = keyed("e", Class::NonIdempotent);
    for collection in ["effects", "effect-owners"] {
        let memory = MemoryBackend::new();
        let (effects, outside) = (effects(&memory), Outside::default());
        outside.execute(&effects, &request).await.unwrap();
        let of = document(collection, "e").collection;
        let names = memory.documents(&of, None, 9).await.unwrap();
        let key = document(collection, names[0].as_str());
        let revision = put_past(&memory, &key, "junk").await;
        // Under the same key, so that both are looked at.
        let error = outside.execute(&effects, &keyed("f", Class::NonIdempotent)).await;
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(error.actual_revision(), Some(revision));
        assert_eq!(text_of(&memory, &key).await, "junk");
        assert_eq!(outside.count(), 1);
    }
}
