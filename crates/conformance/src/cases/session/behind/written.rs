//! What was told before it was durable, and comes to be.

use std::collections::BTreeMap;
use std::sync::Arc;

use sessile_core::ErrorKind;
use sessile_engine::Generation;

use super::stage::{self, Add};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/behind/what_was_flushed_is_there_after_reopening",
        &["workflow/31"],
        |place| Box::pin(what_was_flushed_is_there(place)),
    ),
    Case::new("session/behind/a_burst_is_written_in_fewer_cycles", &["workflow/32"], |place| {
        Box::pin(a_burst(place))
    }),
    Case::new("session/behind/closing_writes_what_waits", &["workflow/33"], |place| {
        Box::pin(closing_writes(place))
    }),
    Case::new(
        "session/behind/a_barrier_waits_for_no_window_and_what_follows_comes_after",
        &["workflow/31"],
        |place| Box::pin(a_barrier_waits_for_no_window(place)),
    ),
    Case::new("session/behind/only_this_process_sees_what_waits", &["workflow/30"], |place| {
        Box::pin(only_this_process_sees(place))
    }),
];

async fn what_was_flushed_is_there(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = stage::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    same("the first generation", store.generation(), Generation::default())?;
    store.flush().await?;
    let mut last = Generation::default();
    for round in 0..3 {
        let first = stage::waits(&session.perform(Add::later(format!("{round} a"))).await?)?;
        let second = stage::waits(&session.perform(Add::later(format!("{round} b"))).await?)?;
        ensure!(last < first && first < second, "generations fall: {last}, {first}, {second}");
        same("the last one", store.generation(), second)?;
        store.flush_through(first).await?;
        let texts = stage::stored(&*place, "s1").await?;
        ensure!(texts.contains(&format!("{round} a")), "flushed and not there: {texts:?}");
        last = second;
    }
    store.flush_through(last).await?;
    drop((store, session));
    stage::holds(&*place, "s1", &["0 a", "0 b", "1 a", "1 b", "2 a", "2 b"]).await
}

async fn a_burst(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = stage::store(&*place).await?;
    let mut expected = BTreeMap::new();
    let mut sessions = Vec::new();
    for id in ["s1", "s2", "s3"] {
        sessions.push(scene::session(&store, id, &[]).await?);
    }
    for number in 0..60_usize {
        let session = sessions.get(number % 3).ok_or_else(|| Failed::new("there are three"))?;
        let text = number.to_string();
        let told = session.perform(Add::later(text.clone())).await?;
        same("what is told", told.answer, format!("{} before it", number / 3))?;
        let id = session.id().to_string();
        expected.entry(id).or_insert_with(Vec::new).push(text);
    }
    let waiting = store.status().waiting.unwrap_or_default();
    same("how many wait", (waiting.changes, waiting.sessions, waiting.cycles), (60, 3, 0))?;
    store.flush().await?;
    let waiting = store.status().waiting.unwrap_or_default();
    same("how many wait then", (waiting.changes, waiting.sessions), (0, 0))?;
    ensure!(waiting.cycles < 10, "60 changes took {} cycles", waiting.cycles);
    for (id, texts) in expected {
        same("what is there", stage::stored(&*place, &id).await?, texts)?;
    }
    Ok(())
}

async fn closing_writes(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = stage::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    for text in ["a", "b", "c"] {
        stage::waits(&session.perform(Add::later(text)).await?)?;
    }
    store.close().await?;
    stage::holds(&*place, "s1", &["a", "b", "c"]).await?;
    let late = session.perform(Add::later("late")).await;
    fails("what comes after closing", late, ErrorKind::Unavailable)?;
    store.close().await?;
    stage::holds(&*place, "s1", &["a", "b", "c"]).await
}

async fn a_barrier_waits_for_no_window(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = stage::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    session.perform(Add::later("1")).await?;
    let now = session.perform(Add::now("2")).await?;
    same("what a barrier waits as", now.waits, None)?;
    let position = now.committed.as_ref().map(|committed| committed.position);
    same("where it says that it stands", position, Some(session.position()))?;
    stage::holds(&*place, "s1", &["1", "2"]).await?;
    session.perform(Add::later("3")).await?;
    session.append_events(["4"]).await?;
    stage::holds(&*place, "s1", &["1", "2", "3", "4"]).await?;
    session.perform(Add::later("5")).await?;
    session.set_title("titled").await?;
    session.perform(Add::later("6")).await?;
    session.close().await?;
    stage::holds(&*place, "s1", &["1", "2", "3", "4", "5", "6"]).await?;
    session.perform(Add::later("7")).await?;
    session.delete().await?;
    fails("an event of the dead", session.perform(Add::later("8")).await, ErrorKind::Deleted)?;
    store.flush().await?;
    same("how many were superseded", store.status().waiting.map(|it| it.superseded), Some(0))
}

async fn only_this_process_sees(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = stage::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    let position = session.state().await?.position();
    session.perform(Add::later("a")).await?;
    session.perform(Add::later("b")).await?;
    let second = store.open_session("s1").await?;
    for (handle, events) in [(&session, 2), (&second, 2), (&other, 0)] {
        same("how many events", stage::events(handle).await?, events)?;
    }
    ensure!(session.moved_past(position).await > position, "nobody who waits is told");
    stage::holds(&*place, "s1", &[]).await?;
    // What others add is seen too, before what waits.
    other.append_events(["theirs"]).await?;
    same("how many events by then", stage::events(&session).await?, 3)?;
    store.flush().await?;
    for handle in [&session, &second, &other] {
        same("how many events in the end", stage::events(handle).await?, 3)?;
    }
    stage::holds(&*place, "s1", &["theirs", "a", "b"]).await
}
