//! Messages that are told before they are durable: their order, what they wait for, and what is told
//! where they are never written.

#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

use std::sync::Arc;
use std::time::Duration;

use sessile_core::{ErrorKind, Limits, Outcome};
use sessile_engine::{From, NewSession, Options, Session, Store};
use tokio::time;

use super::faults::{Fault, Faulty};

async fn scene(options: Options) -> (Arc<Faulty>, Store, Session) {
    let faulty = Faulty::new();
    let store = faulty.store_with(options.write_behind());
    let session = store.create_as("a", NewSession::new()).await.unwrap();
    (faulty, store, session)
}

/// The numbers of all messages, as another process reads them.
async fn stored(faulty: &Arc<Faulty>) -> Vec<u64> {
    let session = faulty.store().open_session("a").await.unwrap();
    session.transcript(From::start()).await.unwrap().all().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn they_are_told_at_once_and_written_in_their_order_with_few_appends() {
    let (faulty, store, session) = scene(Options::default()).await;
    let before = faulty.calls();
    let mut last = store.generation();
    for number in (0..1_000).step_by(2) {
        let told = session.append_behind([number, number + 1]).await.unwrap().unwrap();
        assert!(told >= last);
        last = told;
    }
    assert_eq!((stored(&faulty).await, faulty.calls()), (Vec::new(), before));
    assert_eq!(session.state().await.unwrap().messages(), 1_000, "this process sees them");
    store.flush_through(last).await.unwrap();
    assert_eq!(stored(&faulty).await, (0..1_000).collect::<Vec<_>>());
    assert!(faulty.calls() - before <= 4, "{} appends", faulty.calls() - before);
    assert_eq!(session.info().messages, 1_000);
}

#[tokio::test(start_paused = true)]
async fn they_are_written_by_themselves_within_the_window() {
    let (faulty, _store, session) = scene(Options::default()).await;
    session.append_behind([1]).await.unwrap();
    time::sleep(Duration::from_millis(25)).await;
    assert_eq!(stored(&faulty).await, [1]);
}

#[tokio::test(start_paused = true)]
async fn what_is_durable_when_it_is_told_comes_after_them() {
    let (faulty, _store, session) = scene(Options::default()).await;
    session.append_behind([1, 2]).await.unwrap();
    session.append([3]).await.unwrap();
    assert_eq!(stored(&faulty).await, [1, 2, 3]);
    session.append_behind([4]).await.unwrap();
    session.set_title("t").await.unwrap();
    assert_eq!(stored(&faulty).await, [1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn closing_the_store_writes_them_and_takes_no_more() {
    let (faulty, store, session) = scene(Options::default()).await;
    session.append_behind([1]).await.unwrap();
    store.close().await.unwrap();
    assert_eq!(stored(&faulty).await, [1]);
    assert!(session.append_behind([2]).await.is_err());
    assert_eq!(stored(&faulty).await, [1]);
}

#[tokio::test(start_paused = true)]
async fn those_that_come_while_others_are_written_follow_them() {
    let (faulty, store, session) = scene(Options::default()).await;
    session.append_behind([1]).await.unwrap();
    faulty.script([Fault::Held]);
    let flushing = tokio::spawn({
        let store = store.clone();
        async move { store.flush().await }
    });
    faulty.is_holding().await;
    let told = session.append_behind([2]).await.unwrap().unwrap();
    assert_eq!(session.state().await.unwrap().messages(), 2);
    faulty.let_go();
    flushing.await.unwrap().unwrap();
    store.flush_through(told).await.unwrap();
    assert_eq!(stored(&faulty).await, [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn what_is_known_to_be_refused_is_refused_at_once() {
    let mut limits = Limits::default();
    (limits.entry_bytes, limits.commit_bytes) = (400, 600);
    let (faulty, store, session) = scene(Options::default().limits(limits)).await;
    let refused = |long: usize, count: usize| {
        let session = session.clone();
        async move {
            let messages = std::iter::repeat_n("x".repeat(long), count);
            session.append_behind(messages).await.unwrap_err().kind()
        }
    };
    assert_eq!(refused(1, 0).await, ErrorKind::Refused, "nothing to append");
    assert_eq!(refused(500, 1).await, ErrorKind::Refused);
    assert_eq!(refused(350, 2).await, ErrorKind::Refused);
    // Together they are more than a commit may have, so they are two.
    for _ in 0..2 {
        session.append_behind(["x".repeat(350)]).await.unwrap();
    }
    store.flush().await.unwrap();
    session.close().await.unwrap();
    assert_eq!(session.append_behind([1]).await.unwrap_err().kind(), ErrorKind::Closed);
    // Another process may have changed that, which is looked at before they are refused.
    let other = faulty.store().open_session("a").await.unwrap();
    assert_eq!(other.info().messages, 2);
}

#[tokio::test(start_paused = true)]
async fn those_that_others_do_not_allow_any_more_are_superseded_as_a_whole() {
    let (faulty, store, session) = scene(Options::default()).await;
    let told = session.append_behind([1]).await.unwrap().unwrap();
    session.append_behind([2]).await.unwrap();
    faulty.store().open_session("a").await.unwrap().close().await.unwrap();
    let error = store.flush_through(told).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Superseded);
    store.flush().await.unwrap();
    assert!(stored(&faulty).await.is_empty());
    assert_eq!(session.append_behind([3]).await.unwrap_err().kind(), ErrorKind::Closed);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_lost_has_none_written_twice() {
    for faults in [[Fault::AnswerLost; 40], [Fault::CallLost; 40], [Fault::Delayed; 40]] {
        let options = Options::default().deadline(Duration::from_millis(50));
        let (faulty, store, session) = scene(options).await;
        session.append_behind([1, 2]).await.unwrap();
        faulty.script(faults);
        let error = store.flush().await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
        faulty.script_ends();
        faulty.land().await;
        // They are what they were when they may have been written.
        session.append_behind([3]).await.unwrap();
        store.flush().await.unwrap();
        assert_eq!(stored(&faulty).await, [1, 2, 3], "{:?}", faults[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_has_more_than_may_wait_waits_for_room() {
    let (faulty, store, session) = scene(Options::default()).await;
    let large = "x".repeat(1 << 20);
    faulty.script([Fault::Held]);
    let filling = tokio::spawn({
        let session = session.clone();
        async move {
            for _ in 0..40 {
                session.append_behind([&large]).await.unwrap();
            }
        }
    });
    faulty.is_holding().await;
    time::sleep(Duration::from_secs(5)).await;
    assert!(!filling.is_finished());
    faulty.let_go();
    filling.await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(session.info().messages, 40);
}

#[tokio::test(start_paused = true)]
async fn where_there_is_no_room_it_is_told_why() {
    let (faulty, _store, session) = scene(Options::default()).await;
    let large = "x".repeat(1 << 20);
    faulty.reachable(false);
    let mut failed = None;
    for _ in 0..40 {
        failed = failed.or(session.append_behind([&large]).await.err());
    }
    assert_eq!(failed.unwrap().kind(), ErrorKind::Unavailable);
    faulty.reachable(true);
    session.append([1]).await.unwrap();
    assert_eq!(session.info().messages, 17, "those that were taken, and one");
}

#[tokio::test]
async fn a_store_that_does_not_write_behind_has_them_durable_when_it_tells_so() {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await.unwrap();
    assert_eq!(session.append_behind([1, 2]).await.unwrap(), None);
    assert_eq!(stored(&faulty).await, [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn operations_and_messages_keep_the_order_in_which_they_were_wanted() {
    let (faulty, store, session) = scene(Options::default()).await;
    let mut generations = vec![session.append_behind([1]).await.unwrap().unwrap()];
    let noted = session.perform(super::behind::Later(7)).await.unwrap();
    generations.extend(noted.waits);
    generations.push(session.append_behind([2]).await.unwrap().unwrap());
    assert!(generations.is_sorted() && generations.len() == 3, "{generations:?}");
    store.flush().await.unwrap();
    let other = faulty.store().open_session("a").await.unwrap();
    let entries = other.entries(From::start()).await.unwrap().all().await.unwrap();
    let told = entries.iter().skip(1);
    let told = told.map(|it| format!("{} {}", it.entry_type.as_str(), it.data.as_str()));
    assert_eq!(told.collect::<Vec<_>>(), ["message 1", "event 7", "message 2"]);
}
