//! Closing and deleting.

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
