//! Checkpoints that go with a session, and what they were built on.

use std::sync::Arc;

use sessile_core::{Backend as _, ErrorKind, Position};
use sessile_engine::{NewSession, Session, Store};
use sessile_memory::MemoryBackend;
use sessile_records::{Checkpoint, Checkpoints};

use crate::scene::{document, first, name, payload, put_past, text_of};

async fn with_session() -> (MemoryBackend, Store, Session, Checkpoints) {
    let memory = MemoryBackend::new();
    let store = Store::on(Arc::new(memory.clone()));
    let session = store.create_as("s", NewSession::new()).await.unwrap();
    let checkpoints = Checkpoints::from(&store);
    (memory, store, session, checkpoints)
}

fn of_session(json: &str) -> Checkpoint {
    first("n", json).of_session("s".parse().unwrap())
}

#[tokio::test]
async fn what_is_built_on_a_position_is_put_once_the_journal_holds_it() {
    let (_, _, session, checkpoints) = with_session().await;
    let done = session.append(["E1", "E2", "E3"]).await.unwrap();
    let beyond = Position::new(done.position.number() + 1).unwrap();
    let error = checkpoints.compare_and_swap(of_session("1").built_on(beyond), None).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.actual_position(), Some(done.position));
    assert_eq!(checkpoints.load(&name("n")).await.unwrap_err().kind(), ErrorKind::Missing);

    let new = of_session("1").built_on(done.position);
    let put = checkpoints.compare_and_swap(new, None).await.unwrap();
    assert_eq!(checkpoints.load(&name("n")).await.unwrap(), put);
}

#[tokio::test]
async fn a_position_beyond_the_journal_is_corrupt_and_names_both() {
    let (memory, _, session, checkpoints) = with_session().await;
    let done = session.append(["E1"]).await.unwrap();
    let new = of_session("1").built_on(done.position);
    checkpoints.compare_and_swap(new, None).await.unwrap();
    let key = document("checkpoints", "n");
    let text = text_of(&memory, &key).await;
    let (is, beyond) = (format!("\"built_on\":{}", done.position), "\"built_on\":77");
    let revision = put_past(&memory, &key, &text.replace(&is, beyond)).await;

    let error = checkpoints.load(&name("n")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.actual_revision(), Some(revision));
    let clause = error.clause();
    assert!(clause.contains("77") && clause.contains(&done.position.to_string()), "{clause}");
    let next = of_session("1").next(payload("2")).unwrap();
    let error = checkpoints.compare_and_swap(next, Some(0)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let put = checkpoints.force(of_session("9"), revision).await.unwrap();
    assert_eq!(checkpoints.load(&name("n")).await.unwrap(), put);
}

#[tokio::test]
async fn a_position_is_of_a_session_that_is_there() {
    let (_, store, session, checkpoints) = with_session().await;
    let end = session.position();
    let error = checkpoints.compare_and_swap(first("n", "1").built_on(end), None).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Refused);
    let stray = first("n", "1").of_session("never".parse().unwrap());
    let error = checkpoints.compare_and_swap(stray, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert_eq!(error.subject(), Some("session never"));

    checkpoints.compare_and_swap(of_session("1").built_on(end), None).await.unwrap();
    store.delete("s").await.unwrap();
    assert_eq!(checkpoints.load(&name("n")).await.unwrap_err().kind(), ErrorKind::Deleted);
    let next = of_session("1").next(payload("2")).unwrap();
    let error = checkpoints.compare_and_swap(next, Some(0)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deleted);
}

#[tokio::test]
async fn purging_a_session_removes_its_checkpoints_and_no_others() {
    let (memory, store, _, checkpoints) = with_session().await;
    checkpoints.compare_and_swap(of_session("1"), None).await.unwrap();
    let mut held = checkpoints.load(&name("n")).await.unwrap();
    for _ in 0..3 {
        let next = held.next(payload("2")).unwrap();
        held = checkpoints.compare_and_swap(next, Some(held.number)).await.unwrap();
    }
    checkpoints.compare_and_swap(first("m", "1"), None).await.unwrap();
    store.delete("s").await.unwrap();
    store.purge("s").await.unwrap();
    let of = document("checkpoints", "n").collection;
    assert_eq!(memory.documents(&of, None, 9).await.unwrap(), [name("m")]);
}
