//! Sending again what may have been done.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::{ErrorKind, Position};
use sessile_engine::{Append, Session};

use super::scene;
use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new("session/repeat/is_answered_with_the_first_result", &["records/24"], |place| {
        Box::pin(is_answered_with_the_first_result(place))
    }),
    Case::new("session/repeat/with_other_content_is_a_conflict", &["records/24"], |place| {
        Box::pin(with_other_content_is_a_conflict(place))
    }),
    Case::new("session/repeat/at_once_is_done_once", &["records/24"], |place| {
        Box::pin(at_once_is_done_once(place))
    }),
];

async fn is_answered_with_the_first_result(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one"]).await?;
    let append = Append::at(session.position()).commit_id("turn-1".parse()?);
    let first = session.append_with(append.clone(), ["two", "three"]).await?;
    ensure!(!first.replayed, "the first time it is done");
    session.append(["four"]).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    for handle in [&session, &reopened] {
        // Where others appended since, and where the session is closed by then.
        let again = handle.append_with(append.clone(), ["two", "three"]).await?;
        ensure!(again.replayed, "a repeat says that it is one");
        same("the position", again.position, first.position)?;
        same("the first number", again.first, first.first)?;
        handle.close().await?;
    }
    let texts = scene::texts(&reopened).await?;
    same("the texts", texts, ["one", "two", "three", "four"].map(str::to_owned).to_vec())
}

async fn with_other_content_is_a_conflict(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let append = Append::at_end().commit_id("turn-1".parse()?);
    session.append_with(append.clone(), [1, 2]).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    let conflict = ErrorKind::Conflict;
    for handle in [&session, &reopened] {
        let position = handle.position();
        fails("less", handle.append_with(append.clone(), [1]).await, conflict)?;
        fails("other order", handle.append_with(append.clone(), [2, 1]).await, conflict)?;
        fails("other type", handle.append_events_with(append.clone(), [1, 2]).await, conflict)?;
        fails("other spelling", handle.append_with(append.clone(), [1.0, 2.0]).await, conflict)?;
        same("the position", handle.refresh().await?.position, position)?;
    }
    Ok(())
}

async fn at_once_is_done_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let mut handles: Vec<Session> = vec![session.clone()];
    for _ in 0..4 {
        handles.push(scene::store(&*place).await?.open_session("s1").await?);
    }
    for round in 0..10_u64 {
        let append = Append::at_end().commit_id(format!("round-{round}").parse()?);
        let append_on = |handle: &Session| {
            let (handle, append) = (handle.clone(), append.clone());
            async move { Ok(handle.append_with(append, [round]).await?) }
        };
        let answers = together(handles.iter().map(append_on).collect()).await?;
        let done = answers.iter().filter(|answer| !answer.replayed).count();
        same("how often it was done", done, 1)?;
        let positions: BTreeSet<Position> = answers.iter().map(|answer| answer.position).collect();
        same("how many positions were answered", positions.len(), 1)?;
    }
    same("how many messages", session.refresh().await?.messages, 10)
}
