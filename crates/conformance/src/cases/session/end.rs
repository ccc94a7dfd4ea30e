//! Closing, deleting, purging.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::fold::Lifecycle;
use sessile_core::{ErrorKind, Seq};
use sessile_engine::{Append, Filter, From, NewSession, Session};

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, fails, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("session/end/a_closed_session_takes_no_message", &["OBJ-9"], |place| {
        Box::pin(a_closed_session_takes_no_message(place))
    }),
    Case::new("session/end/ending_twice_is_ending_once", &["RET-3", "OBJ-9"], |place| {
        Box::pin(ending_twice_is_ending_once(place))
    }),
    Case::new("session/end/nothing_brings_a_deleted_session_back", &["RET-3"], |place| {
        Box::pin(nothing_brings_a_deleted_session_back(place))
    }),
    Case::new("session/end/the_id_of_a_deleted_session_is_used_up", &["RET-8"], |place| {
        Box::pin(the_id_is_used_up(place))
    }),
    Case::new("session/end/also_after_a_purge", &["RET-8", "RET-2"], |place| {
        Box::pin(also_after_a_purge(place))
    })
    .needing(&[Need::Has(Capability::Purge)]),
];

async fn a_closed_session_takes_no_message(place: Arc<dyn Place>) -> Result<(), Failed> {
    let session = scene::session(&scene::store(&*place).await?, "s1", &["one"]).await?;
    let stale = scene::store(&*place).await?.open_session("s1").await?;
    session.close().await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    let closed = ErrorKind::Closed;
    for handle in [&session, &stale, &reopened] {
        fails("a message", handle.append(["x"]).await, closed)?;
        let at = Append::at(handle.position());
        fails("a message", handle.append_with(at, ["x"]).await, closed)?;
        fails("going back", handle.rewind(Seq::FIRST).await, closed)?;
        handle.append_events(["an event"]).await?;
        handle.set_meta([("k", "v")]).await?;
    }
    let info = session.refresh().await?;
    same("its state", info.lifecycle, Lifecycle::Closed)?;
    same("how many events", info.events, 3)?;
    same("the texts", scene::texts(&session).await?, vec!["one".to_owned()])
}

async fn ending_twice_is_ending_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    session.close().await?;
    let closed = session.position();
    session.close().await?;
    other.close().await?;
    same("the position", other.refresh().await?.position, closed)?;
    session.delete().await?;
    session.delete().await?;
    other.delete().await?;
    store.delete("s1").await?;
    scene::store(&*place).await?.delete("s1").await?;
    fails("deleting nobody", store.delete("nobody").await, ErrorKind::Missing)?;
    let entries = other.entries(From::start()).await?.all().await?.len();
    same("how many entries", entries, 3)
}

/// Fails unless every change of a deleted session is refused.
async fn is_deleted_to(handle: &Session) -> Result<(), Failed> {
    let deleted = ErrorKind::Deleted;
    fails("a message", handle.append(["x"]).await, deleted)?;
    let known = Append::at_end().commit_id("c".parse()?);
    fails("a known commit", handle.append_with(known, ["one"]).await, deleted)?;
    fails("an event", handle.append_events(["x"]).await, deleted)?;
    fails("metadata", handle.set_meta([("k", "v")]).await, deleted)?;
    fails("a title", handle.set_title("t").await, deleted)?;
    fails("touching", handle.touch().await, deleted)?;
    fails("closing", handle.close().await, deleted)?;
    fails("going back", handle.rewind(Seq::FIRST).await, deleted)?;
    fails("summarising", handle.compact(From::last(1), ["x"]).await, deleted)?;
    Ok(())
}

async fn nothing_brings_a_deleted_session_back(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    session.append_with(Append::at_end().commit_id("c".parse()?), ["one"]).await?;
    let stale = scene::store(&*place).await?.open_session("s1").await?;
    store.delete("s1").await?;
    for handle in [&session, &stale] {
        is_deleted_to(handle).await?;
    }
    for store in [&store, &scene::store(&*place).await?] {
        fails("opening", store.open_session("s1").await, ErrorKind::Deleted)?;
        same("those listed", scene::ids(store, &Filter::all()).await?, Vec::new())?;
        let deleted = scene::ids(store, &Filter::all().deleted()).await?;
        same("those deleted", deleted, vec!["s1".to_owned()])?;
    }
    Ok(())
}

async fn the_id_is_used_up(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let first = scene::session(&store, "s1", &["one", "two"]).await?;
    store.delete("s1").await?;
    for store in [&store, &scene::store(&*place).await?] {
        let new = NewSession::new;
        fails("creating", store.create_as("s1", new()).await, ErrorKind::Deleted)?;
        fails("opening", store.open_or_create("s1", new()).await, ErrorKind::Deleted)?;
        is_deleted_to(&first).await?;
    }
    Ok(())
}

async fn also_after_a_purge(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["secret"]).await?;
    fails("purging the living", store.purge("s1").await, ErrorKind::Conflict)?;
    store.delete("s1").await?;
    store.purge("s1").await?;
    store.purge("s1").await?;
    for store in [&store, &scene::store(&*place).await?] {
        let new = NewSession::new();
        fails("creating", store.create_as("s1", new).await, ErrorKind::Deleted)?;
        fails("opening", store.open_session("s1").await, ErrorKind::Deleted)?;
        same("those listed", scene::ids(store, &Filter::all()).await?, Vec::new())?;
    }
    fails("a message", session.append(["x"]).await, ErrorKind::Deleted)?;
    fails("undeleting", session.undelete().await, ErrorKind::Deleted).map(drop)
}
