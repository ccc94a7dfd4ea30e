//! Pruning while others go on with what is old.

#![expect(clippy::unwrap_used, reason = "a test that meets what it does not expect has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sessile_core::{ErrorKind, UnixMillis};
use sessile_engine::{
    Clock, Filter, KeptBack, NewSession, Options, Page, Retention, Store, Verdict,
};
use sessile_memory::MemoryBackend;
use tokio::runtime::Handle;

const DAY: u64 = 24 * 60 * 60 * 1_000;

/// A clock that stands still; somebody appends to a session when it is looked at for the second
/// time: the first is when what is old is found out.
#[derive(Debug)]
struct Meddling {
    memory: MemoryBackend,
    looks: AtomicUsize,
    meddles_with: &'static str,
}

impl Clock for Meddling {
    fn now(&self) -> UnixMillis {
        if self.looks.fetch_add(1, Ordering::Relaxed) == 1 {
            let memory = self.memory.clone();
            tokio::task::block_in_place(|| {
                Handle::current().block_on(async {
                    let session = at(&memory, 100).open_session(self.meddles_with).await.unwrap();
                    session.append(["still here"]).await.unwrap();
                });
            });
        }
        UnixMillis(100 * DAY)
    }
}

#[derive(Debug)]
struct Standing(u64);

impl Clock for Standing {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0 * DAY)
    }
}

fn at(memory: &MemoryBackend, day: u64) -> Store {
    let options = Options::default().clock(Arc::new(Standing(day)));
    Store::with(Arc::new(memory.clone()), options)
}

async fn living(store: &Store) -> Vec<String> {
    let page = store.list(Filter::all(), Page::of(9)).await.unwrap();
    page.sessions.iter().map(|row| row.id.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_adds_to_meanwhile_is_kept_and_told() {
    for meddles_with in ["oldest", "older"] {
        let memory = MemoryBackend::new();
        for (day, id) in [(1, "oldest"), (2, "older"), (99, "new")] {
            at(&memory, day).create_as(id, NewSession::new()).await.unwrap();
        }
        let clock = Meddling { memory: memory.clone(), looks: 0.into(), meddles_with };
        let options = Options::default().clock(Arc::new(clock));
        let store = Store::with(Arc::new(memory.clone()), options);
        let month = Retention::new().older_than(Duration::from_millis(30 * DAY));
        let pruned = store.prune(&month, false).await.unwrap();
        assert!(pruned.failure().is_none());
        let kept = pruned.sessions.iter().find(|it| it.id.as_str() == meddles_with).unwrap();
        assert!(matches!(kept.verdict, Verdict::Kept(KeptBack::Changed)), "{kept:?}");
        assert_eq!(pruned.removed().count(), 1);
        assert_eq!(living(&store).await, [meddles_with, "new"]);
        let gone = if meddles_with == "older" { "oldest" } else { "older" };
        assert_eq!(store.open_session(gone).await.unwrap_err().kind(), ErrorKind::Deleted);
    }
}

#[tokio::test]
async fn a_clock_that_stands_before_every_session_removes_none() {
    let memory = MemoryBackend::new();
    for (day, id) in [(50, "a"), (60, "b")] {
        at(&memory, day).create_as(id, NewSession::new()).await.unwrap();
    }
    let month = Retention::new().older_than(Duration::from_millis(30 * DAY));
    for day in [0, 1, 40, 80] {
        let pruned = at(&memory, day).prune(&month, false).await.unwrap();
        assert_eq!(pruned.removed().count(), 0, "on day {day}");
    }
    assert_eq!(living(&at(&memory, 80)).await, ["b", "a"]);
}
