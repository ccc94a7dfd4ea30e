//! The rules of comparing and swapping.

use std::sync::Arc;

use sessile_core::{Backend as _, ErrorKind, Limits, Outcome, Space, UnixMillis};
use sessile_engine::{Options, Store};
use sessile_memory::MemoryBackend;
use sessile_records::{Checkpoint, Checkpoints};

use crate::scene::{Hands, checkpoints, document, first, name, payload, put_past, text_of};

/// A checkpoint that was moved on to a number.
async fn at(checkpoints: &Checkpoints, number: u64) -> Checkpoint {
    let mut held = checkpoints.compare_and_swap(first("n", "0"), None).await.unwrap();
    for next in 1..=number {
        let new = held.next(payload(&next.to_string())).unwrap();
        held = checkpoints.compare_and_swap(new, Some(next - 1)).await.unwrap();
    }
    held
}

#[tokio::test]
async fn what_never_was_is_missing_and_asking_leaves_nothing() {
    let memory = MemoryBackend::new();
    let error = checkpoints(&memory).load(&name("n")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert_eq!(error.subject(), Some("checkpoint n"));
    assert!(memory.spaces(None, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_first_has_number_0_and_comes_back_as_it_was_put() {
    let memory = MemoryBackend::new();
    let checkpoints = checkpoints(&memory);
    let json = "{\"b\":1.50,\"a\":18446744073709551616,\"b\":\"\\ud83d\"}";
    let put = checkpoints.compare_and_swap(first("n", json), None).await.unwrap();
    assert_eq!(checkpoints.load(&name("n")).await.unwrap(), put);
    assert_eq!((put.number, put.payload.as_str()), (0, json));
    assert!(put.updated_at > UnixMillis(1_000_000_000_000));
}

#[tokio::test]
async fn a_first_one_of_another_number_is_a_conflict_and_is_not_there() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    let second = first("n", "1").next(payload("2")).unwrap();
    let error = checkpoints.compare_and_swap(second, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let error = checkpoints.load(&name("n")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
}

#[tokio::test]
async fn a_first_one_over_another_is_a_conflict_and_changes_nothing() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    let put = checkpoints.compare_and_swap(first("n", "1"), None).await.unwrap();
    for json in ["1", "2"] {
        let error = checkpoints.compare_and_swap(first("n", json), None).await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Conflict, Outcome::NotApplied));
    }
    assert_eq!(checkpoints.load(&name("n")).await.unwrap(), put);
}

#[tokio::test]
async fn only_the_next_number_on_the_current_one_is_put_and_only_once() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    let fourth = at(&checkpoints, 4).await;
    let numbered = |number| {
        Checkpoint::next(&fourth, payload("5")).map(|mut next| {
            next.number = number;
            next
        })
    };
    for (new, expected) in [(6, 4), (4, 3), (5, 3), (4, 4), (0, 4), (5, 5), (6, 5)] {
        let swap = checkpoints.compare_and_swap(numbered(new).unwrap(), Some(expected)).await;
        let error = swap.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{new} on {expected}");
        assert_eq!(checkpoints.load(&name("n")).await.unwrap(), fourth);
    }
    checkpoints.compare_and_swap(numbered(5).unwrap(), Some(4)).await.unwrap();
    let again = checkpoints.compare_and_swap(numbered(5).unwrap(), Some(4)).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict);
}

#[tokio::test]
async fn a_change_of_what_is_not_there_is_missing() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    let second = first("n", "1").next(payload("2")).unwrap();
    let error = checkpoints.compare_and_swap(second, Some(0)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    let error = checkpoints.delete(&name("n"), 0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
}

#[tokio::test]
async fn a_successor_of_another_run_kind_schema_or_session_is_refused() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    let held = at(&checkpoints, 0).await;
    let next = || held.next(payload("1")).unwrap();
    let mut others = [next(), next(), next(), next().of_session("s".parse().unwrap())];
    others[0].run = name("run-2");
    others[1].kind = "agent.plan".parse().unwrap();
    others[2].schema = 2;
    for other in others {
        let error = checkpoints.compare_and_swap(other, Some(0)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
    }
    assert_eq!(checkpoints.load(&name("n")).await.unwrap(), held);
}

#[tokio::test]
async fn after_the_greatest_number_nothing_follows_and_nothing_wraps() {
    let memory = MemoryBackend::new();
    let checkpoints = checkpoints(&memory);
    let last = concat!(
        r#"{"format":1,"name":"n","number":18446744073709551615,"run":"run-1","#,
        r#""kind":"agent.step","schema":1,"updated_at":1,"payload":1}"#
    );
    put_past(&memory, &document("checkpoints", "n"), last).await;
    let held = checkpoints.load(&name("n")).await.unwrap();
    assert_eq!(held.number, u64::MAX);
    assert_eq!(held.next(payload("2")).unwrap_err().kind(), ErrorKind::Conflict);
    for number in [0, u64::MAX] {
        let mut new = first("n", "2");
        new.number = number;
        let error = checkpoints.compare_and_swap(new, Some(u64::MAX)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
    }
    assert_eq!(checkpoints.load(&name("n")).await.unwrap(), held);
}

#[tokio::test]
async fn deleting_names_the_number_and_frees_the_name() {
    let checkpoints = checkpoints(&MemoryBackend::new());
    at(&checkpoints, 2).await;
    for wrong in [0, 1, 3] {
        let error = checkpoints.delete(&name("n"), wrong).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
    }
    checkpoints.delete(&name("n"), 2).await.unwrap();
    assert_eq!(checkpoints.load(&name("n")).await.unwrap_err().kind(), ErrorKind::Missing);
    assert_eq!(at(&checkpoints, 1).await.number, 1);
}

#[tokio::test]
async fn what_a_later_version_added_stays_through_every_swap() {
    let memory = MemoryBackend::new();
    let (checkpoints, key) = (checkpoints(&memory), document("checkpoints", "n"));
    let held = at(&checkpoints, 0).await;
    let text = text_of(&memory, &key).await;
    let longer = text.replace("\"payload\"", "\"later\":{\"x\": 1.50},\"payload\"");
    put_past(&memory, &key, &longer).await;
    let next = held.next(payload("1")).unwrap();
    let next = checkpoints.compare_and_swap(next, Some(0)).await.unwrap();
    checkpoints.compare_and_swap(next.next(payload("2")).unwrap(), Some(1)).await.unwrap();
    let text = text_of(&memory, &key).await;
    assert!(text.contains("\"number\":2") && text.ends_with(",\"later\":{\"x\": 1.50}}"), "{text}");
}

#[tokio::test]
async fn times_are_set_by_the_store_and_never_fall() {
    let hands = Arc::new(Hands::default());
    let clock: Arc<Hands> = Arc::clone(&hands);
    let options = Options::default().clock(clock);
    let memory = Arc::new(MemoryBackend::new());
    let checkpoints = Checkpoints::with(memory, Space::default(), options);
    hands.set(100);
    let mut new = first("n", "0");
    new.updated_at = UnixMillis(9_999);
    let mut held = checkpoints.compare_and_swap(new, None).await.unwrap();
    for (now, told) in [(50, 100), (200, 200)] {
        hands.set(now);
        let next = held.next(payload("1")).unwrap();
        held = checkpoints.compare_and_swap(next, Some(held.number)).await.unwrap();
        assert_eq!(held.updated_at, UnixMillis(told));
    }
}

#[tokio::test]
async fn what_is_above_a_limit_is_refused_before_anything_is_stored() {
    let memory = MemoryBackend::new();
    let mut limits = Limits::default();
    (limits.document_bytes, limits.nesting) = (300, 3);
    let options = Options::default().limits(limits);
    let backend = Arc::new(memory.clone());
    let checkpoints = Checkpoints::with(backend, Space::default(), options);
    for json in [format!("\"{}\"", "x".repeat(300)), "[[[[1]]]]".to_owned()] {
        let error = checkpoints.compare_and_swap(first("n", &json), None).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
    }
    assert!(memory.spaces(None, 9).await.unwrap().is_empty());
    checkpoints.compare_and_swap(first("n", "[[[1]]]"), None).await.unwrap();
}

#[tokio::test]
async fn spaces_and_namespaces_are_apart() {
    let memory = MemoryBackend::new();
    let store = Store::on(Arc::new(memory.clone()));
    let other = store.space("tenant-7").unwrap();
    let all = [
        Checkpoints::from(&store),
        Checkpoints::from(&other),
        Checkpoints::from(&store).namespace("a").unwrap(),
        Checkpoints::from(&store).namespace("a/b").unwrap(),
    ];
    for (number, checkpoints) in all.iter().enumerate() {
        let missing = checkpoints.load(&name("n")).await.unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::Missing, "{number}");
        let put = checkpoints.compare_and_swap(first("n", &number.to_string()), None).await;
        put.unwrap();
    }
    for (number, checkpoints) in all.iter().enumerate() {
        let held = checkpoints.load(&name("n")).await.unwrap();
        assert_eq!(held.payload.as_str(), number.to_string());
    }
    let long = "x".repeat(1_024);
    let error = Checkpoints::from(&store).namespace(&*long).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidId);
}
