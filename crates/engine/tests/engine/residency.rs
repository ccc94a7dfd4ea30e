//! What is in memory of a store's sessions, and that nobody sees it but in the figures.

use std::sync::Arc;

use sessile_core::entry::shape::Contract;
use sessile_core::fold::Lifecycle;
use sessile_core::{Backend, Error, ErrorKind};
use sessile_engine::{
    Append, Filter, From, NewSession, Options, Page, RawMessage, Session, Store, Window,
};
use sessile_memory::MemoryBackend;

use super::faults::Faulty;
use super::tally::{PostUpTo, count, tallying};

fn on(backend: &Arc<dyn Backend>, hot: usize, bytes: usize) -> Store {
    Store::with(Arc::clone(backend), tallying().residency(hot, bytes))
}

/// So many sessions with a message each.
async fn filled(sessions: usize) -> Result<Arc<dyn Backend>, Error> {
    let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let store = on(&backend, 1, 0);
    for number in 0..sessions {
        let session = store.create_as(format!("s{number}"), NewSession::new()).await?;
        session.append([number]).await?;
    }
    Ok(backend)
}

fn hot(store: &Store) -> usize {
    store.status().hot_sessions
}

async fn query(session: &Session) -> Result<(), Error> {
    session.refresh().await?;
    session.state().await?;
    session.view(Window::last(5)).await?;
    session.transcript::<RawMessage>(From::start()).await?.all().await?;
    session.pending().await?;
    Ok(())
}

#[tokio::test]
async fn only_what_is_changed_is_hot() -> Result<(), Error> {
    let backend = filled(3).await?;
    for bytes in [0, usize::MAX] {
        let store = on(&backend, 2, bytes);
        let mut handles = Vec::new();
        for number in 0..3 {
            handles.push(store.open_session(format!("s{number}")).await?);
        }
        for handle in &handles {
            query(handle).await?;
        }
        store.list(Filter::all(), Page::of(9)).await?;
        assert_eq!(hot(&store), 0, "whoever only looks changes nothing");
        let status = store.status();
        assert_eq!(status.cached_sessions, if bytes == 0 { 0 } else { 3 });
        let expected = if bytes == 0 { [1, 1, 1] } else { [1, 2, 2] };
        for (handle, expected) in handles.iter().zip(expected) {
            handle.append([7]).await?;
            assert_eq!(hot(&store), expected);
        }
        assert_eq!(store.status().evictions, if bytes == 0 { 2 } else { 1 });
    }
    Ok(())
}

#[tokio::test]
async fn what_was_changed_least_recently_is_cold_first_and_what_is_changed_now_never()
-> Result<(), Error> {
    let backend = filled(4).await?;
    // Without any room beyond that for the one that is in use.
    let store = on(&backend, 2, usize::MAX);
    let mut handles = Vec::new();
    for number in 0..4 {
        handles.push(store.open_session(format!("s{number}")).await?);
    }
    for number in [0, 1, 0, 2] {
        handles[number].append([7]).await?;
    }
    assert_eq!((hot(&store), store.status().evictions), (2, 1));
    // 1 had to go, so that 0 and 2 are hot.
    for (number, hot_then) in [(1, 2), (0, 1), (2, 0)] {
        assert!(store.evict(format!("s{number}"))?);
        assert_eq!(hot(&store), hot_then);
        assert!(!store.evict(format!("s{number}"))?);
    }
    let no_room = on(&backend, 0, 0);
    let session = no_room.open_session("s0").await?;
    session.append([8]).await?;
    assert_eq!((hot(&no_room), no_room.status().cached_sessions), (1, 0), "a target of 0 is 1");
    Ok(())
}

#[tokio::test]
async fn folds_take_no_more_bytes_than_they_are_to() -> Result<(), Error> {
    let backend = filled(40).await?;
    let store = on(&backend, 1_000, usize::MAX);
    let session = store.open_session("s0").await?;
    session.append([7]).await?;
    let one = store.status().cache_bytes;
    assert!(one > 0);
    let target = one * 10;
    let store = on(&backend, 1_000, target);
    let mut handles = Vec::new();
    for number in 0..40 {
        let session = store.open_session(format!("s{number}")).await?;
        if number % 2 == 0 {
            session.append([7]).await?;
        }
        handles.push(session);
        assert!(store.status().cache_bytes <= target);
    }
    let status = store.status();
    assert!(status.hot_sessions + status.cached_sessions >= 5, "{status:?}");
    assert_eq!(status.sessions, 40);
    // Whether it is folded in memory or not, all of it is there.
    for (number, handle) in handles.iter().enumerate() {
        assert_eq!(
            handle.info().messages,
            if number % 2 == 0 { 2 } else { 1 } + u64::from(number == 0)
        );
    }
    assert_eq!(store.evict_all(), status.hot_sessions + status.cached_sessions);
    let empty = store.status();
    assert_eq!((empty.hot_sessions, empty.cached_sessions, empty.cache_bytes), (0, 0, 0));
    drop(handles);
    assert_eq!(store.status().sessions, 0);
    Ok(())
}

#[tokio::test]
async fn from_hot_to_cold_and_back_nothing_changes() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(tallying().residency(1, 0).state_every(8, u64::MAX));
    let session = store.create_as("a", NewSession::new().title("t").project("p")).await?;
    let other = store.create_as("b", NewSession::new()).await?;
    for number in 0..20 {
        session.append([number]).await?;
        session.set_meta([("n", number)]).await?;
        session.perform(PostUpTo { what: "1", most: 99, id: None }).await.unwrap();
    }
    faulty.tear(17);
    let turn = session.admit(&"r".parse()?, "in", &Contract::new()).await?.started()?;
    turn.push("pending").await?;
    let told = || async {
        let state = session.state().await?;
        Ok::<_, Error>((
            state.to_snapshot()?.unwrap().as_str().to_owned(),
            format!("{:?}", session.info()),
            session.info().meta.value("n").cloned(),
            session.position(),
            session.receipt(),
            count(&state, "1")?,
        ))
    };
    let before = told().await?;
    assert!(before.4.is_some(), "the tail was set aside");
    for _ in 0..3 {
        other.append([1]).await?;
        assert!(!store.evict("a")?, "it is cold by then");
        // First what is told without looking.
        assert_eq!((session.position(), &session.receipt()), (before.3, &before.4));
        assert_eq!(format!("{:?}", session.info()), before.1);
        assert_eq!(told().await?, before);
    }
    // And so does a turn that goes on.
    turn.push("again").await?;
    other.append([1]).await?;
    let done = turn.commit("done").await?;
    assert_eq!(done.request.as_str(), "r");
    assert_eq!(session.info().messages, 22);
    Ok(())
}

#[tokio::test]
async fn a_closed_session_is_cold_and_takes_what_comes_late() -> Result<(), Error> {
    let backend = filled(1).await?;
    let store = on(&backend, 9, usize::MAX);
    let session = store.open_session("s0").await?;
    session.append([7]).await?;
    assert_eq!(hot(&store), 1);
    session.close().await?;
    assert_eq!(hot(&store), 0);
    for _ in 0..2 {
        session.append_events([1]).await?;
        assert_eq!(hot(&store), 0);
        store.evict_all();
    }
    assert_eq!(count(&session.state().await?, "1")?, 2);
    assert_eq!(session.append([8]).await.unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(hot(&store), 0);
    Ok(())
}

#[tokio::test]
async fn what_can_not_be_read_is_not_changed_and_stays_what_it_was() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(Options::default().residency(1, 0));
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    session.append([1]).await?;
    store.evict_all();
    let appends = faulty.appends();
    faulty.reachable(false);
    assert_eq!(session.append([2]).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(session.close().await.unwrap_err().kind(), ErrorKind::Unavailable);
    faulty.reachable(true);
    faulty.damage(0, 1);
    assert_eq!(session.append([2]).await.unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(faulty.appends(), appends, "nothing was sent");
    assert_eq!((hot(&store), session.info().title().as_deref()), (0, Some("t")));
    assert_eq!(session.info().lifecycle, Lifecycle::Active);
    faulty.damage(99, 100);
    session.append([2]).await?;
    assert_eq!(session.info().messages, 2);
    Ok(())
}

#[tokio::test]
async fn a_hot_session_shows_what_another_process_wrote_by_its_version() -> Result<(), Error> {
    let backend = filled(1).await?;
    let (here, there) = (on(&backend, 9, usize::MAX), on(&backend, 9, usize::MAX));
    let (ours, theirs) = (here.open_session("s0").await?, there.open_session("s0").await?);
    let done = ours.append([7]).await?;
    // As many messages as before, and something else in them.
    theirs.redact([done.first], None).await?;
    let messages = ours.transcript::<RawMessage>(From::start()).await?.all().await?;
    assert_eq!(messages[1].data.as_str(), r#"{"redacted":true}"#);
    theirs.pop(1).await?;
    theirs.append([8]).await?;
    let error = ours.append_with(Append::at(done.position), [9]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let messages = ours.transcript::<u64>(From::start()).await?.all().await?;
    assert_eq!((messages, ours.info().messages), (vec![0, 8], 2));
    Ok(())
}

#[tokio::test]
async fn nothing_of_a_former_life_is_used() -> Result<(), Error> {
    let backend = filled(2).await?;
    let (here, there) = (on(&backend, 9, usize::MAX), on(&backend, 9, usize::MAX));
    let session = here.open_session("s0").await?;
    session.append([7]).await?;
    for evicted in [false, true] {
        let id = if evicted { "s1" } else { "s0" };
        let session = here.open_session(id).await?;
        session.append([7]).await?;
        if evicted {
            here.evict(id)?;
        }
        there.delete(id).await?;
        there.purge(id).await?;
        assert_eq!(
            there.create_as(id, NewSession::new()).await.unwrap_err().kind(),
            ErrorKind::Deleted
        );
        assert_eq!(session.append([8]).await.unwrap_err().kind(), ErrorKind::Deleted);
        assert_eq!(here.open_session(id).await.unwrap_err().kind(), ErrorKind::Deleted);
    }
    here.evict_all();
    assert_eq!((hot(&here), here.status().cache_bytes), (0, 0));
    Ok(())
}

#[tokio::test]
async fn a_store_that_is_dropped_gives_its_backend_back() -> Result<(), Error> {
    let backend = filled(3).await?;
    let store = on(&backend, 9, usize::MAX);
    for number in 0..3 {
        store.open_session(format!("s{number}")).await?.append([7]).await?;
    }
    assert_eq!(hot(&store), 3);
    drop(store);
    assert_eq!(Arc::strong_count(&backend), 1);
    Ok(())
}
