//! What others write before what waits.

use std::sync::Arc;

use futures_util::{FutureExt as _, future};
use sessile_core::fold::Lifecycle;
use sessile_core::{Error, ErrorKind};
use sessile_engine::Store;

use super::stage::{self, Add};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/behind/what_others_came_before_is_told_as_superseded",
        &["workflow/31"],
        |place| Box::pin(what_others_came_before(place)),
    ),
    Case::new(
        "session/behind/a_barrier_that_others_came_before_says_so",
        &["workflow/29"],
        |place| Box::pin(a_barrier_that_others_came_before(place)),
    ),
    Case::new(
        "session/behind/two_that_write_behind_lose_nothing_of_each_other",
        &["workflow/32", "workflow/33"],
        |place| Box::pin(two_that_write_behind(place)),
    ),
];

fn is_superseded<T>(what: &str, answer: Result<T, Error>) -> Result<(), Failed> {
    let Err(error) = answer else {
        return Err(Failed::new(format!("{what} was told as done")));
    };
    same(&format!("{what}: its kind"), error.kind(), ErrorKind::Superseded)
}

fn superseded(store: &Store) -> u64 {
    store.status().waiting.map_or(0, |waiting| waiting.superseded)
}

async fn what_others_came_before(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = stage::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    session.perform(Add::later("first")).await?;
    let refused = session.perform(Add::later("at most one before").at_most(1)).await?;
    session.perform(Add::later("last")).await?;
    let (generation, last) = (stage::waits(&refused)?, store.generation());
    let position = session.state().await?.position();
    other.append_events(["theirs"]).await?;
    let mut moving = Box::pin(session.moved_past(position));
    same("where it has moved already", (&mut moving).now_or_never(), None)?;
    is_superseded("what others came before", store.flush_through(generation).await)?;
    same("where those who wait are told that it ends", moving.now_or_never(), Some(position))?;
    same("how many were superseded", superseded(&store), 1)?;
    // It is told once, and then the others are durable.
    store.flush_through(last).await?;
    stage::holds(&*place, "s1", &["theirs", "first", "last"]).await?;
    // A closed session takes no message any more.
    session.perform(Add::later("message").message()).await?;
    other.close().await?;
    is_superseded("closing over it", store.close().await)?;
    same("how many were superseded by then", superseded(&store), 2)?;
    same("its state", other.refresh().await?.lifecycle, Lifecycle::Closed)?;
    stage::holds(&*place, "s1", &["theirs", "first", "last"]).await
}

async fn a_barrier_that_others_came_before(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = stage::store(&*place).await?;
    let session = scene::session(&store, "s1", &[]).await?;
    let other = scene::store(&*place).await?.open_session("s1").await?;
    other.append_events(["theirs"]).await?;
    // What it knows does not refuse it.
    is_superseded("a barrier", session.perform(Add::now("none before").at_most(0)).await)?;
    // What it knows by now does, and was read anew before that.
    let refused = session.perform(Add::now("none before").at_most(0)).await;
    same("its kind", refused.err().map(|error| error.kind()), Some(ErrorKind::Refused))?;
    store.flush().await?;
    same("how many were superseded", superseded(&store), 1)?;
    stage::holds(&*place, "s1", &["theirs"]).await
}

async fn two_that_write_behind(place: Arc<dyn Place>) -> Result<(), Failed> {
    let stores = [stage::store(&*place).await?, stage::store(&*place).await?];
    let [one, two] = &stores;
    let first = scene::session(one, "s1", &[]).await?;
    let second = two.open_session("s1").await?;
    for round in 0..10 {
        for (name, session) in [("one", &first), ("two", &second)] {
            for number in 0..3 {
                let text = format!("{name} {round} {number}");
                session.perform(Add::later(text)).await?;
            }
        }
        let (left, right) = future::join(one.flush(), two.flush()).await;
        left.and(right)?;
    }
    for store in &stores {
        same("how many were superseded", superseded(store), 0)?;
        store.close().await?;
    }
    let texts = stage::stored(&*place, "s1").await?;
    for name in ["one", "two"] {
        let theirs: Vec<&String> = texts.iter().filter(|text| text.starts_with(name)).collect();
        let expected: Vec<String> = (0..10)
            .flat_map(|round| (0..3).map(move |number| format!("{name} {round} {number}")))
            .collect();
        same("those of one of them", theirs, expected.iter().collect())?;
    }
    ensure!(texts.len() == 60, "there are {} in all", texts.len());
    Ok(())
}
