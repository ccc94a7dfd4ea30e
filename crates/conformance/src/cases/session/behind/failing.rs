//! What is told while nothing can be written, and what becomes of it.

use std::sync::Arc;

use sessile_core::{ErrorKind, Outcome};

use super::stage::{self, Add, REPLAYED};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/behind/a_barrier_that_failed_is_uncertain_and_its_repeat_the_same",
        &["workflow/29"],
        |place| Box::pin(a_barrier_that_failed(place)),
    ),
    Case::new(
        "session/behind/a_failure_is_told_until_writing_works_again",
        &["workflow/30"],
        |place| Box::pin(a_failure_is_told(place)),
    ),
    Case::new(
        "session/behind/nothing_is_lost_or_done_twice_whatever_fails",
        &["workflow/29", "workflow/30", "workflow/31"],
        |place| Box::pin(nothing_is_lost(place)),
    ),
    Case::new(
        "session/behind/what_can_not_be_written_keeps_a_store_open",
        &["workflow/33"],
        |place| Box::pin(keeps_a_store_open(place)),
    ),
];

/// Fails unless an answer says that the place is out of reach, and not what became of it.
fn is_uncertain<T>(what: &str, answer: Result<T, sessile_core::Error>) -> Result<(), Failed> {
    let Err(error) = answer else {
        return Err(Failed::new(format!("{what} was told as done")));
    };
    same(&format!("{what}: its outcome"), error.outcome(), Outcome::Unknown)?;
    same(&format!("{what}: its kind"), error.kind(), ErrorKind::Unavailable)
}

async fn a_barrier_that_failed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = stage::behind(backend);
    let session = scene::session(&store, "s1", &[]).await?;
    let add = Add::now("once").keyed("key")?;
    line.cut(true);
    for _ in 0..2 {
        is_uncertain("a barrier", session.perform(add.clone()).await)?;
    }
    stage::holds(&*place, "s1", &[]).await?;
    line.cut(false);
    let again = session.perform(add.clone()).await?;
    same("what its repeat is told", again.answer, REPLAYED.to_owned())?;
    same("what it waits as", again.waits, None)?;
    stage::holds(&*place, "s1", &["once"]).await?;
    let reopened = stage::store(&*place).await?.open_session("s1").await?;
    same("what it is told later", reopened.perform(add).await?.answer, REPLAYED.to_owned())?;
    stage::holds(&*place, "s1", &["once"]).await
}

async fn a_failure_is_told(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = stage::behind(backend);
    let session = scene::session(&store, "s1", &[]).await?;
    let last_error = || store.status().waiting.and_then(|waiting| waiting.last_error);
    line.cut(true);
    for number in 0..3 {
        let told = session.perform(Add::later(number.to_string())).await?;
        same("what is told", told.answer.clone(), format!("{number} before it"))?;
        stage::waits(&told)?;
        is_uncertain("a flush", store.flush().await)?;
        let told = last_error().ok_or_else(|| Failed::new("no failure is told"))?;
        ensure!(told.contains("s1"), "it does not say of what: {told}");
        ensure!(told.chars().count() <= 240, "it has {} characters", told.chars().count());
    }
    same("how many wait", store.status().waiting.map(|it| it.changes), Some(3))?;
    line.cut(false);
    store.flush().await?;
    same("the failure that is told", last_error(), None)?;
    stage::holds(&*place, "s1", &["0", "1", "2"]).await
}

async fn nothing_is_lost(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = stage::behind(backend);
    let session = scene::session(&store, "s1", &[]).await?;
    let mut wanted = Vec::new();
    for round in 0..8_usize {
        line.breaks_after(round % 3, round % 2 == 0);
        for number in 0..4 {
            let text = format!("{round} {number}");
            let is_barrier = number == 3;
            let add = if is_barrier { Add::now(&*text) } else { Add::later(&*text) };
            let told = session.perform(add).await;
            if is_barrier && told.is_ok() {
                let texts = stage::stored(&*place, "s1").await?;
                ensure!(texts.contains(&text), "{text} was told as durable: {texts:?}");
            }
            if !is_barrier {
                stage::waits(&told?)?;
            }
            wanted.push(text);
            if number == 1 {
                let through = store.generation();
                let flushed = store.flush_through(through).await;
                let texts = stage::stored(&*place, "s1").await?;
                let is_there = wanted.iter().all(|text| texts.contains(text));
                ensure!(flushed.is_err() || is_there, "flushed and not there: {texts:?}");
            }
        }
        line.mend();
        store.flush().await?;
        same("what is there", stage::stored(&*place, "s1").await?, wanted.clone())?;
    }
    same("how many were superseded", store.status().waiting.map(|it| it.superseded), Some(0))
}

async fn keeps_a_store_open(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let store = stage::behind(backend);
    let session = scene::session(&store, "s1", &[]).await?;
    session.perform(Add::later("a")).await?;
    line.cut(true);
    is_uncertain("closing", store.close().await)?;
    line.cut(false);
    session.perform(Add::later("b")).await?;
    store.close().await?;
    stage::holds(&*place, "s1", &["a", "b"]).await
}
