//! Listing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sessile_core::fold::Lifecycle;
use sessile_core::{Error, ErrorKind, Position, UnixMillis};
use sessile_engine::{Clock, Filter, Listing, NewSession, Options, Page, Store};
use sessile_memory::MemoryBackend;

use super::faults::Faulty;

/// A clock that is set by hand.
#[derive(Debug, Default)]
struct Hands(AtomicU64);

impl Clock for Hands {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::Relaxed))
    }
}

fn store() -> (Arc<Hands>, Store) {
    let hands = Arc::new(Hands::default());
    let clock: Arc<Hands> = Arc::clone(&hands);
    let options = Options::default().clock(clock);
    (hands, Store::with(Arc::new(MemoryBackend::new()), options))
}

fn ids(listing: &Listing) -> Vec<&str> {
    listing.sessions.iter().map(|row| row.id.as_str()).collect()
}

#[tokio::test]
async fn newest_stands_first_and_a_callers_time_counts_for_nothing() -> Result<(), Error> {
    let (hands, store) = store();
    for (time, id) in [(10, "a"), (20, "b"), (30, "c")] {
        hands.0.store(time, Ordering::Relaxed);
        store.create_as(id, NewSession::new()).await?;
    }
    assert_eq!(ids(&store.list(Filter::all(), Page::of(9)).await?), ["c", "b", "a"]);
    hands.0.store(40, Ordering::Relaxed);
    store.open_session("a").await?.append([serde_json::json!({"at": 5})]).await?;
    assert_eq!(ids(&store.list(Filter::all(), Page::of(9)).await?), ["a", "c", "b"]);
    hands.0.store(50, Ordering::Relaxed);
    store.open_session("b").await?.touch().await?;
    // A clock that falls back makes no session older.
    hands.0.store(1, Ordering::Relaxed);
    store.open_session("b").await?.touch().await?;
    let listing = store.list(Filter::all(), Page::of(9)).await?;
    assert_eq!(ids(&listing), ["b", "a", "c"]);
    assert_eq!(listing.sessions[0].updated_at, UnixMillis(50));
    Ok(())
}

#[tokio::test]
async fn pages_of_equal_times_neither_skip_nor_repeat() -> Result<(), Error> {
    let (_, store) = store();
    for number in 0..200 {
        store.create_as(format!("s{number}"), NewSession::new()).await?;
    }
    let mut seen = BTreeSet::new();
    let mut page = Page::of(20);
    for turned in 1.. {
        let listing = store.list(Filter::all(), page).await?;
        assert_eq!(listing.sessions.len(), 20);
        seen.extend(listing.sessions.into_iter().map(|row| row.id));
        let Some(next) = listing.next else {
            assert_eq!(turned, 10);
            break;
        };
        page = Page::of(20).after(next.to_string().parse()?);
    }
    assert_eq!(seen.len(), 200);
    let all = store.list(Filter::all(), Page::of(200)).await?;
    assert!(all.sessions.len() == 200 && all.next.is_none());
    Ok(())
}

#[tokio::test]
async fn sizes_outside_the_contract_are_refused() -> Result<(), Error> {
    let (_, store) = store();
    for rows in [0, 1_001, usize::MAX] {
        let error = store.list(Filter::all(), Page::of(rows)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
    }
    assert!(store.list(Filter::all(), Page::of(1_000)).await?.sessions.is_empty());
    let error = store.list(Filter::all().project(""), Page::of(1)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidId);
    Ok(())
}

#[tokio::test]
async fn filters_are_met_all_at_once() -> Result<(), Error> {
    let (hands, store) = store();
    let projects = ["p/data_a", "p/data-a", "p/data.a", "p/data a", "日本語文", "中文字符"];
    for (number, project) in (1_u32..).zip(projects) {
        hands.0.store(u64::from(number), Ordering::Relaxed);
        let new = NewSession::new().project(project).owner(format!("o{}", number % 2));
        store.create_as(format!("s{number}"), new.tags(["t", project])).await?;
    }
    store.create_as("child", NewSession::new().parent("s1")).await?;
    for (number, project) in (1..).zip(projects) {
        for filter in [Filter::all().project(project), Filter::all().tag(project)] {
            let listing = store.list(filter, Page::of(1)).await?;
            assert_eq!(ids(&listing), [format!("s{number}")]);
            assert!(listing.next.is_none() || listing.sessions[0].tags.len() == 2);
        }
    }
    assert_eq!(ids(&store.list(Filter::all().parent("s1"), Page::of(9)).await?), ["child"]);
    let of_one = store.list(Filter::all().owner("o1").tag("t"), Page::of(9)).await?;
    assert_eq!(ids(&of_one), ["s5", "s3", "s1"]);
    let none = store.list(Filter::all().owner("o1").project(projects[1]), Page::of(9)).await?;
    assert!(none.sessions.is_empty() && none.next.is_none());
    Ok(())
}

#[tokio::test]
async fn states_are_told_apart() -> Result<(), Error> {
    let (_, store) = store();
    for id in ["a", "c", "d"] {
        store.create_as(id, NewSession::new()).await?;
    }
    store.open_session("c").await?.close().await?;
    store.delete("d").await?;
    let list = async |filter: Filter| {
        let listing = store.list(filter, Page::of(9)).await?;
        let row = |row: &sessile_engine::Summary| {
            (row.id.to_string(), row.lifecycle.map(Lifecycle::name))
        };
        Ok::<_, Error>(listing.sessions.iter().map(row).collect::<BTreeSet<_>>())
    };
    let row = |id: &str, lifecycle: Lifecycle| (id.to_owned(), Some(lifecycle.name()));
    let (a, c, d) =
        (row("a", Lifecycle::Active), row("c", Lifecycle::Closed), row("d", Lifecycle::Deleted));
    assert_eq!(list(Filter::all()).await?, BTreeSet::from([a.clone(), c.clone()]));
    assert_eq!(list(Filter::all().active()).await?, BTreeSet::from([a]));
    assert_eq!(list(Filter::all().closed()).await?, BTreeSet::from([c]));
    assert_eq!(list(Filter::all().deleted()).await?, BTreeSet::from([d]));
    assert_eq!(list(Filter::all().damaged()).await?, BTreeSet::new());
    Ok(())
}

#[tokio::test]
async fn a_damaged_session_is_a_row_that_says_so() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new().project("p")).await?;
    session.append([1]).await?;
    session.append([2]).await?;
    faulty.damage(1, 2);
    for filter in [Filter::all(), Filter::all().damaged(), Filter::all().project("p").active()] {
        let listing = store.list(filter, Page::of(9)).await?;
        let row = &listing.sessions[0];
        assert!(row.damaged && row.problem.is_none());
        assert_eq!((row.messages, row.position.map(Position::number)), (1, Some(3)));
    }
    // Where even the header can't be read, there is still a row.
    faulty.damage(0, 1);
    for filter in [Filter::all(), Filter::all().damaged()] {
        let listing = store.list(filter, Page::of(9)).await?;
        let row = &listing.sessions[0];
        assert_eq!(row.id.as_str(), "a");
        assert!(row.damaged && row.problem.is_some() && row.lifecycle.is_none());
    }
    for filter in [Filter::all().project("p"), Filter::all().active(), Filter::all().tag("t")] {
        assert!(store.list(filter, Page::of(9)).await?.sessions.is_empty());
    }
    Ok(())
}
