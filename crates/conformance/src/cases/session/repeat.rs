//! Sending again what may have been done.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::{ErrorKind, Position, Seq};
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
    Case::new("session/repeat/at_once_with_other_content_one_is_done", &["records/24"], |place| {
        Box::pin(at_once_with_other_content(place))
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

/// Handles of their own on one session, as several hosts have them.
async fn handles(place: &dyn Place) -> Result<Vec<Session>, Failed> {
    let mut handles = vec![scene::session(&scene::store(place).await?, "s1", &[]).await?];
    for _ in 0..4 {
        handles.push(scene::store(place).await?.open_session("s1").await?);
    }
    Ok(handles)
}

async fn at_once_is_done_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    let handles = handles(&*place).await?;
    let mut places = Vec::new();
    for round in 0..10_u64 {
        let append = Append::at_end().commit_id(format!("round-{round}").parse()?);
        let append_on = |handle: &Session| {
            let (handle, append) = (handle.clone(), append.clone());
            async move { Ok(handle.append_with(append, [round]).await?) }
        };
        let answers = together(handles.iter().map(append_on).collect()).await?;
        let done = answers.iter().filter(|answer| !answer.replayed).count();
        same("how often it was done", done, 1)?;
        let told: BTreeSet<(Seq, Position)> =
            answers.iter().map(|answer| (answer.first, answer.position)).collect();
        same("how many places were answered", told.len(), 1)?;
        places.extend(told.into_iter().map(|(first, _)| (first, round.to_string())));
    }
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    same("what is where", placed(&reopened).await?, places)
}

async fn at_once_with_other_content(place: Arc<dyn Place>) -> Result<(), Failed> {
    let handles = handles(&*place).await?;
    let mut places = Vec::new();
    for round in 0..10 {
        let append = Append::at_end().commit_id(format!("round-{round}").parse()?);
        let append_on = |(number, handle): (usize, &Session)| {
            let (handle, append) = (handle.clone(), append.clone());
            async move { Ok((number, handle.append_with(append, [number]).await)) }
        };
        let appending = handles.iter().enumerate().map(append_on).collect();
        let mut done = Vec::new();
        for (number, answer) in together(appending).await? {
            match answer {
                Ok(answer) => {
                    ensure!(!answer.replayed, "what nobody did before was told as a repeat");
                    done.push((answer.first, number.to_string()));
                }
                lost => drop(fails("other content", lost, ErrorKind::Conflict)?),
            }
        }
        same("how often it was done", done.len(), 1)?;
        places.extend(done);
    }
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    same("what is where", placed(&reopened).await?, places)
}

/// The messages of a session with their numbers.
async fn placed(session: &Session) -> Result<Vec<(Seq, String)>, Failed> {
    let messages = scene::messages(session).await?;
    Ok(messages.into_iter().map(|it| (it.seq, it.data.as_str().to_owned())).collect())
}
