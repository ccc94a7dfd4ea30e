//! What a slow place is asked: the number of requests is what one waits for, and it is held here.

use std::time::Duration;

use sessile_core::backend::{Expected, Precondition, Span};
use sessile_core::id::SessionKey;
use sessile_core::{Backend as _, Position, Tip};
use sessile_engine::NewSession;

use super::stage::{Stage, append, on_each, patient_store, read};
use super::words;
use crate::support::proxy::Seen;

/// What every request waits before it is passed on.
const DELAY: Duration = Duration::from_millis(40);

/// Requests by kind.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    lists: usize,
    reads: usize,
    writes: usize,
    others: usize,
}

/// What came since so many requests had come.
fn asked(stage: &Stage, before: usize) -> Asked {
    let mut asked = Asked::default();
    for Seen { method, target, .. } in &stage.proxy.seen()[before..] {
        let count = match &**method {
            "GET" if target.contains("prefix=") => &mut asked.lists,
            "GET" => &mut asked.reads,
            "PUT" => &mut asked.writes,
            _ => &mut asked.others,
        };
        *count += 1;
    }
    asked
}

/// A slow place, and a session on it of three objects.
async fn slow(stage: &Stage) -> (SessionKey, Tip) {
    let (key, _, tip) = stage.session(&["one", "two"]).await;
    stage.proxy.slow(DELAY);
    (key, tip)
}

#[tokio::test]
async fn an_append_by_a_handle_that_knows_the_end_is_one_write_and_nothing_else() {
    on_each(async |stage| {
        stage.proxy.slow(DELAY);
        // What it creates itself is noted in the catalog by then.
        let (warm, key) = (stage.patient(), words::key(&stage.space));
        let mut tip = append(&warm, &key, Tip::ABSENT, &words::creation(&key)).await.unwrap();
        let one_write = Asked { writes: 1, ..Asked::default() };
        for text in ["four", "five"] {
            let before = stage.proxy.seen().len();
            tip = append(&warm, &key, tip, &words::saying(text)).await.unwrap();
            assert_eq!(asked(&stage, before), one_write, "{:?}", stage.kind);
        }
        // Wherever the end is: what the handle wrote before it need not read.
        warm.append(&key, Expected::End, vec![words::saying("six")]).await.unwrap();
        for text in ["seven", "eight"] {
            let before = stage.proxy.seen().len();
            warm.append(&key, Expected::End, vec![words::saying(text)]).await.unwrap();
            assert_eq!(asked(&stage, before), one_write, "{:?}", stage.kind);
        }
        assert_eq!(stage.tokens(&key).await.len(), 6);
    })
    .await;
}

#[tokio::test]
async fn an_append_to_an_open_session_is_one_write_and_nothing_else() {
    on_each(async |stage| {
        stage.proxy.slow(DELAY);
        let store = patient_store(stage.patient(), &stage.space);
        let session = store.create(NewSession::new()).await.unwrap();
        session.append(["one"]).await.unwrap();
        for number in 2..5 {
            let before = stage.proxy.seen().len();
            session.append([number]).await.unwrap();
            let one_write = Asked { writes: 1, ..Asked::default() };
            assert_eq!(asked(&stage, before), one_write, "{:?}", stage.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn creating_a_session_is_a_list_a_read_and_two_writes() {
    on_each(async |stage| {
        let warm = stage.patient();
        let document = words::document(&stage.space);
        warm.put(&document, words::value("v"), Precondition::Absent).await.unwrap();
        stage.proxy.slow(DELAY);
        for _ in 0..2 {
            let (key, before) = (words::key(&stage.space), stage.proxy.seen().len());
            append(&warm, &key, Tip::ABSENT, &words::creation(&key)).await.unwrap();
            let expected = Asked { lists: 1, reads: 1, writes: 2, others: 0 };
            assert_eq!(asked(&stage, before), expected, "{:?}", stage.kind);
        }
    })
    .await;
}

#[tokio::test]
async fn opening_a_session_is_a_list_and_one_round_of_reads() {
    on_each(async |stage| {
        let (key, tip) = slow(&stage).await;
        let fresh = stage.patient();
        // Whatever is read first looks for the store's marker too.
        let before = stage.proxy.seen().len();
        assert!(fresh.get(&words::document(&stage.space)).await.is_err());
        assert_eq!(asked(&stage, before), Asked { reads: 2, ..Asked::default() });
        let before = stage.proxy.seen().len();
        assert_eq!(fresh.head(&key).await.unwrap().tip, tip);
        let expected = Asked { lists: 1, reads: 6, ..Asked::default() };
        assert_eq!(asked(&stage, before), expected, "{:?}", stage.kind);
    })
    .await;
}

#[tokio::test]
async fn reading_the_end_costs_the_end_and_not_the_session() {
    on_each(async |stage| {
        let (key, tip) = slow(&stage).await;
        let fresh = stage.patient();
        fresh.head(&key).await.unwrap();
        let before = stage.proxy.seen().len();
        let span = Span::Back { before: Position::new(u64::MAX >> 12).unwrap(), max_bytes: 0 };
        let found: Vec<_> =
            futures_util::TryStreamExt::try_collect(fresh.read(&key, span).await.unwrap())
                .await
                .unwrap();
        assert_eq!(found.last().map(sessile_core::StoredCommit::tip), Some(tip));
        let asked_at_the_end = asked(&stage, before);
        assert!(asked_at_the_end.reads <= 4 && asked_at_the_end.lists == 0, "{asked_at_the_end:?}");
        // A handle that knows a session asks whether there is more, which tells of removals too.
        let before = stage.proxy.seen().len();
        assert_eq!(fresh.head(&key).await.unwrap().tip, tip);
        assert_eq!(asked(&stage, before), Asked { reads: 1, ..Asked::default() });
        assert_eq!(read(&fresh, &key).await.unwrap().len(), 3);
    })
    .await;
}
