//! Moves that are killed at each point of them, and what moving again makes of them.

use std::sync::Arc;

use sessile::prelude::*;
use sessile::{Entry, EntryType, ErrorKind, From, OutcomeStatus};

use crate::child::{self, Child};
use crate::halting::Halting;
use crate::site::{self, Site};
use crate::story::{INPUT, REQUEST, SESSION, contract, request};

/// How many messages the session has, and how long each is: the move sends them in two batches.
const MESSAGES: usize = 3;
const BYTES: usize = 5 << 19;

/// The space that it is moved to.
const TARGET: &str = "elsewhere";

/// Where a move may be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    BeforeTheFirstBatch,
    AfterTheFirstBatch,
    BeforeTheLastBatch,
    AfterTheLastBatch,
    BeforeTheProof,
    AfterTheProof,
    BeforeTheDeletion,
    AfterTheDeletion,
    BeforeTheLastWord,
    AfterTheLastWord,
}

/// Each of them, and whether the source is deleted by then, and whether the target is free.
const POINTS: [(Point, bool, bool); 10] = [
    (Point::BeforeTheFirstBatch, false, false),
    (Point::AfterTheFirstBatch, false, false),
    (Point::BeforeTheLastBatch, false, false),
    (Point::AfterTheLastBatch, false, false),
    (Point::BeforeTheProof, false, false),
    (Point::AfterTheProof, false, false),
    (Point::BeforeTheDeletion, false, false),
    (Point::AfterTheDeletion, true, false),
    (Point::BeforeTheLastWord, true, false),
    (Point::AfterTheLastWord, true, true),
];

impl Point {
    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// Every entry but the header.
async fn entries(session: &Session) -> Vec<Entry> {
    let mut entries = session.entries(From::start()).await.unwrap().all().await.unwrap();
    entries.retain(|entry| entry.entry_type != EntryType::Session);
    entries
}

/// Kills moves at each point, and moves again.
pub(crate) async fn are_completed(site: impl AsyncFn() -> Site) {
    for (point, is_deleted, is_free) in POINTS {
        let site = site().await;
        let store = site.store().await;
        let session = store.create_as(SESSION, NewSession::new()).await.unwrap();
        for _ in 0..MESSAGES {
            session.append(["x".repeat(BYTES)]).await.unwrap();
        }
        let turn = session.admit(&request(REQUEST), INPUT, &contract()).await.unwrap();
        turn.started().unwrap().push("asked").await.unwrap();
        let whole = entries(&session).await;
        store.close().await.unwrap();

        let point_is = ("SESSILE_KILLS_POINT", &*point.name());
        let mut child = Child::start(&site, "moves::stops_as_a_child", point_is);
        child.reaches(&point.name());
        child.kill();

        let source = site.store().await;
        let target = source.space(TARGET).unwrap();
        let opened = source.open_session(SESSION).await.map(drop);
        assert_eq!(opened.is_err(), is_deleted, "{point:?}");
        if is_deleted {
            let there = target.open_session(SESSION).await.unwrap();
            assert_eq!(there.info().active().is_none(), is_free, "{point:?}");
        }
        // Twice: whoever did not hear the answer asks again.
        for _ in 0..2 {
            let moved = source.move_to(SESSION, &target).await.unwrap();
            assert_eq!(moved.interrupted, Some(request(REQUEST)), "{point:?}");
        }
        let gone = source.open_session(SESSION).await.unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::Deleted, "{point:?}");
        let moved = target.open_session(SESSION).await.unwrap();
        assert_eq!(entries(&moved).await[..whole.len()], whole, "{point:?}");
        let done = moved.admit(&request(REQUEST), INPUT, &contract()).await.unwrap();
        assert_eq!(done.replayed().unwrap().status, OutcomeStatus::Abandoned, "{point:?}");
        moved.append(["free"]).await.unwrap();
        assert!(target.verify(SESSION).await.unwrap().sound, "{point:?}");
        source.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the tests that kill it"]
async fn stops_as_a_child() {
    let store = site::given_store().await;
    let stop = |point: Point| {
        if std::env::var("SESSILE_KILLS_POINT").unwrap() == point.name() {
            child::reached(&point.name());
            child::wait_for_the_end();
        }
    };
    let source = Store::on(Arc::new(Halting::on(Arc::clone(store.backend()), stop)));
    let target = source.space(TARGET).unwrap();
    source.move_to(SESSION, &target).await.unwrap();
    panic!("it went past where it was to stop");
}
