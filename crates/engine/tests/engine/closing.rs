//! Closing, deleting, undeleting and purging.

use std::sync::Arc;

use sessile_core::fold::Lifecycle;
use sessile_core::{Error, ErrorKind};
use sessile_engine::{Append, Filter, From, NewSession, Page, Store};
use sessile_memory::MemoryBackend;

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[tokio::test]
async fn a_closed_session_takes_events_and_metadata_only() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new()).await?;
    let stale = store.open_session("a").await?;
    session.append([1]).await?;
    session.close().await?;
    let closed = session.position();
    for handle in [&session, &stale] {
        assert_eq!(kind(handle.append([2]).await), Some(ErrorKind::Closed));
        handle.append_events([3]).await?;
        handle.set_title("t").await?;
    }
    // Closed goes before conflict.
    let elsewhere = session.append_with(Append::at(closed), [2]).await;
    assert_eq!(kind(elsewhere), Some(ErrorKind::Closed));
    assert_eq!(session.refresh().await?.lifecycle, Lifecycle::Closed);
    Ok(())
}

#[tokio::test]
async fn ending_twice_is_ending_once() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new()).await?;
    let other = store.open_session("a").await?;
    session.close().await?;
    session.close().await?;
    other.close().await?;
    assert_eq!(other.refresh().await?.position.number(), 2);
    session.delete().await?;
    session.delete().await?;
    other.delete().await?;
    store.delete("a").await?;
    assert_eq!(other.refresh().await?.position.number(), 3);
    assert_eq!(kind(store.delete("b").await), Some(ErrorKind::Missing));
    Ok(())
}

#[tokio::test]
async fn nothing_brings_a_deleted_session_back() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new()).await?;
    let stale = store.open_session("a").await?;
    session.append([1]).await?;
    session.delete().await?;
    for handle in [&session, &stale] {
        assert_eq!(kind(handle.append([2]).await), Some(ErrorKind::Deleted));
        assert_eq!(kind(handle.append_events([2]).await), Some(ErrorKind::Deleted));
        assert_eq!(kind(handle.set_title("t").await), Some(ErrorKind::Deleted));
        assert_eq!(kind(handle.touch().await), Some(ErrorKind::Deleted));
        assert_eq!(kind(handle.close().await), Some(ErrorKind::Deleted));
    }
    assert_eq!(kind(store.open_session("a").await), Some(ErrorKind::Deleted));
    assert!(store.list(Filter::all(), Page::of(9)).await?.sessions.is_empty());
    let deleted = store.list(Filter::all().deleted(), Page::of(9)).await?.sessions;
    assert_eq!(deleted[0].lifecycle, Some(Lifecycle::Deleted));
    // Until it is purged, a handle may still read it.
    assert_eq!(stale.transcript::<u8>(From::start()).await?.all().await?, [1]);
    Ok(())
}

#[tokio::test]
async fn an_undeleted_session_is_what_it_was() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    for (id, closed) in [("open", false), ("closed", true)] {
        let session = store.create_as(id, NewSession::new()).await?;
        let append = Append::at_end().commit_id("c".parse()?);
        session.append_with(append.clone(), [1]).await?;
        if closed {
            session.close().await?;
        }
        session.delete().await?;
        let back = store.undelete(id).await?;
        session.undelete().await?;
        let lifecycle = if closed { Lifecycle::Closed } else { Lifecycle::Active };
        for handle in [&session, &back, &store.open_session(id).await?] {
            assert_eq!(handle.refresh().await?.lifecycle, lifecycle);
            assert_eq!(handle.transcript::<u8>(From::start()).await?.all().await?, [1]);
            assert!(handle.append_with(append.clone(), [1]).await?.replayed);
        }
        let refused = kind(session.append([2]).await);
        assert_eq!(refused, closed.then_some(ErrorKind::Closed));
        // What is undone once can be done once more.
        session.delete().await?;
        assert_eq!(kind(store.open_session(id).await), Some(ErrorKind::Deleted));
    }
    assert_eq!(kind(store.undelete("never").await), Some(ErrorKind::Missing));
    Ok(())
}

#[tokio::test]
async fn only_what_is_deleted_can_be_purged_and_its_id_is_never_free() -> Result<(), Error> {
    let backend = MemoryBackend::new();
    let store = Store::on(Arc::new(backend.clone()));
    let session = store.create_as("a", NewSession::new().title("secret")).await?;
    session.append(["secret"]).await?;
    assert_eq!(kind(store.purge("a").await), Some(ErrorKind::Conflict));
    assert_eq!(kind(store.purge("b").await), Some(ErrorKind::Missing));
    session.delete().await?;
    store.purge("a").await?;
    session.purge().await?;
    store.delete("a").await?;
    session.delete().await?;
    for refused in [
        kind(store.open_session("a").await),
        kind(store.create_as("a", NewSession::new()).await),
        kind(store.open_or_create("a", NewSession::new()).await),
        kind(store.undelete("a").await),
        kind(session.undelete().await),
        kind(session.append([1]).await),
    ] {
        assert_eq!(refused, Some(ErrorKind::Deleted));
    }
    let deleted = store.list(Filter::all().deleted(), Page::of(9)).await?.sessions;
    assert_eq!((deleted.len(), deleted[0].messages), (1, 0));
    Ok(())
}

#[tokio::test]
async fn what_is_done_already_is_looked_at_before_it_is_told() -> Result<(), Error> {
    let backend = MemoryBackend::new();
    let [one, two] = [(); 2].map(|()| Store::on(Arc::new(backend.clone())));
    let session = one.create_as("a", NewSession::new()).await?;
    let append = Append::at_end().commit_id("c".parse()?);
    session.append_with(append.clone(), [1]).await?;
    session.close().await?;
    two.delete("a").await?;
    assert_eq!(kind(session.append_with(append, [1]).await), Some(ErrorKind::Deleted));
    assert_eq!(kind(session.close().await), Some(ErrorKind::Deleted));

    session.delete().await?;
    two.undelete("a").await?;
    session.delete().await?;
    assert_eq!(kind(two.open_session("a").await), Some(ErrorKind::Deleted));
    Ok(())
}
