//! Appending to a session.

use std::sync::Arc;

use sessile_core::{ErrorKind, Limits, Position};
use sessile_engine::{Append, NewSession, Options, Session};

use super::scene;
use crate::case::{Case, Need};
use crate::failed::{Failed, conflicts_at, ensure, fails, same};
use crate::fixture::Place;
use crate::hands::Hands;
use crate::together::together;

pub(super) const CASES: &[Case] = &[
    Case::new("session/append/numbers_go_on_after_a_restart", &["records/13", "LOST-3"], |place| {
        Box::pin(numbers_go_on_after_a_restart(place))
    }),
    Case::new(
        "session/append/a_stale_position_is_a_conflict_that_changes_nothing",
        &["records/14", "OBJ-9"],
        |place| Box::pin(a_stale_position_is_a_conflict(place)),
    ),
    Case::new(
        "session/append/an_empty_batch_is_refused_before_anything_else",
        &["records/15", "OBJ-9"],
        |place| Box::pin(an_empty_batch_is_refused(place)),
    ),
    Case::new("session/append/a_returned_position_holds", &["LOST-2"], |place| {
        Box::pin(a_returned_position_holds(place))
    }),
    Case::new(
        "session/append/of_many_at_one_position_one_wins",
        &["records/8", "CONC-6"],
        |place| Box::pin(of_many_at_one_position_one_wins(place)),
    ),
    Case::new("session/append/above_the_limit_nothing_is_stored", &["MEM-3"], |place| {
        Box::pin(above_the_limit_nothing_is_stored(place))
    })
    .needing(&[Need::Footprint]),
];

async fn numbers_go_on_after_a_restart(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = {
        let store = scene::store(&*place).await?;
        let session = store.create_as("s1", NewSession::new()).await?;
        let done = session.append(["one", "two", "three"]).await?;
        same("the position", done.position, session.refresh().await?.position)?;
        let done = session.append_events(["an event"]).await?;
        same("the position", done.position, session.position())?;
        let done = session.append(["four", "five"]).await?;
        same("the position", done.position, session.position())?;
        same("the ordinals", scene::ordinals(&session).await?, (1..=5).map(Some).collect())?;
        let messages = scene::messages(&session).await?;
        store.close().await?;
        messages
    };
    let session = scene::store(&*place).await?.open_session("s1").await?;
    let before = session.position();
    let done = session.append(["six", "seven"]).await?;
    same("the first new number", done.first.number(), before.number())?;
    let messages = scene::messages(&session).await?;
    same("the ordinals", scene::ordinals(&session).await?, (1..=7).map(Some).collect())?;
    ensure!(messages.starts_with(&first), "the first messages are what they were");
    let numbers: Vec<u64> = messages.iter().map(|message| message.seq.number()).collect();
    ensure!(numbers.is_sorted_by(|a, b| a < b), "a number stands twice: {numbers:?}");
    Ok(())
}

async fn a_stale_position_is_a_conflict(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one"]).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    let stale = session.position();
    let done = other.append(["two"]).await?;
    let beyond = Position::new(done.position.number() + 1).unwrap_or(Position::START);
    for wrong in [stale, Position::START, beyond] {
        for handle in [&session, &other] {
            let answer = handle.append_with(Append::at(wrong), ["x"]).await;
            conflicts_at("an append elsewhere", answer, done.position)?;
            let answer = handle.set_meta_with(Append::at(wrong), [("k", "x")]).await;
            conflicts_at("a change elsewhere", answer, done.position)?;
        }
    }
    let texts = scene::texts(&session).await?;
    same("the texts", texts, vec!["one".to_owned(), "two".to_owned()])?;
    session.append_with(Append::at(done.position), ["three"]).await?;
    Ok(())
}

async fn an_empty_batch_is_refused(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &["one"]).await?;
    let elsewhere = Append::at(Position::START);
    let none: [&str; 0] = [];
    for append in [Append::at_end(), elsewhere.clone(), elsewhere.commit_id("c".parse()?)] {
        let answer = session.append_with(append.clone(), none).await;
        fails("no message", answer, ErrorKind::Refused)?;
        let answer = session.append_events_with(append, none).await;
        fails("no event", answer, ErrorKind::Refused)?;
    }
    session.delete().await?;
    fails("no message, deleted", session.append(none).await, ErrorKind::Refused)?;
    Ok(())
}

async fn a_returned_position_holds(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, options) = Hands::with_options();
    let store = scene::store_with(&*place, options).await?;
    let session = store.create_as("s1", NewSession::new()).await?;
    let mut position = session.position();
    for number in 0..500_u64 {
        // A clock that jumps and falls back is none of a position's business.
        hands.set((number * 7_919) % 10_007);
        let text = serde_json::to_string(&position)?;
        let told: Position = serde_json::from_str(&text)?;
        position = session.append_with(Append::at(told), [number]).await?.position;
    }
    same("how many messages", session.info().messages, 500)
}

async fn of_many_at_one_position_one_wins(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let mut handles = Vec::new();
    for _ in 0..4 {
        handles.push(scene::store(&*place).await?.open_session("s1").await?);
    }
    for round in 0..20_u64 {
        let at = session.refresh().await?.position;
        let append = |handle: &Session| {
            let handle = handle.clone();
            async move { Ok(handle.append_with(Append::at(at), [round]).await) }
        };
        let answers = together(handles.iter().map(append).collect()).await?;
        let now = session.refresh().await?.position;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        same("how many won", won.len(), 1)?;
        for answer in lost {
            conflicts_at("a lost race", answer, now)?;
        }
        same("how many messages", session.info().messages, round + 1)?;
    }
    Ok(())
}

async fn above_the_limit_nothing_is_stored(place: Arc<dyn Place>) -> Result<(), Failed> {
    let limit = 4_096;
    let mut limits = Limits::default();
    limits.entry_bytes = limit;
    let options = Options::default().limits(limits);
    let store = scene::store_with(&*place, options).await?;
    let session = scene::session(&store, "s1", &["one"]).await?;
    // A text of JSON has two more bytes than it says.
    let text = |bytes: usize| "x".repeat(bytes - 2);
    let before = scene::footprint(&*place).await?;
    for bytes in [limit + 1, 2 * limit, 100 * limit] {
        let answer = session.append([text(bytes)]).await;
        let error = fails("a message above the limit", answer, ErrorKind::Refused)?;
        ensure!(error.clause().contains(&limit.to_string()), "the limit is not told: {error}");
        let answer = session.append_events([text(bytes)]).await;
        fails("an event above the limit", answer, ErrorKind::Refused)?;
    }
    scene::untouched(&*place, &before).await?;
    session.append([text(limit)]).await?;
    session.append(["three"]).await?;
    let reopened = scene::store(&*place).await?.open_session("s1").await?;
    let texts = vec!["one".to_owned(), text(limit), "three".to_owned()];
    same("whether all three are there", scene::texts(&reopened).await? == texts, true)
}
