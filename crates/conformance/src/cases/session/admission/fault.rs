//! A turn whose process dies at any of its writes, and one whose answers are lost.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::admission::Recovery;
use sessile_core::entry::shape::OutcomeStatus;
use sessile_core::{EntryType, Error, Outcome};
use sessile_engine::{Action, Done, Finish, From, Intent, NewSession, Options, Session, Store};

use super::stage::{self, Before};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/fault/at_any_write_leaves_each_step_whole_or_not_at_all",
        &["records/28", "records/37", "ADM-3", "ADM-4", "ADM-5", "SIDE-5"],
        |place| Box::pin(at_any_write(place)),
    ),
    Case::new("session/fault/a_lost_answer_is_no_second_claim", &["records/29"], |place| {
        Box::pin(a_lost_answer(place))
    }),
    Case::new(
        "session/fault/an_end_that_nobody_was_told_is_told_again",
        &["records/29", "records/37"],
        |place| Box::pin(nobody_was_told(place)),
    ),
];

/// A whole turn; each step is one write.
async fn work(session: &Session) -> Result<Done, Error> {
    let mut turn = stage::send(session, "r1").await?.started()?;
    turn.push("one").await?;
    turn.push_all(["two", "three"]).await?;
    turn.checkpoint("agent.step", 1, &3).await?;
    if let Intent::Fresh(fresh) = turn.intend(Action::new("call-1", "mail", "{}")).await? {
        fresh.complete("sent").await?;
    }
    turn.commit_with(Finish::new("done")?.message("four")?.checkpoint("agent.step", 1, &4)?).await
}

/// What each step leaves.
fn steps() -> Vec<Vec<EntryType>> {
    use EntryType::{Checkpoint, Claim, Completion, Intent, Message, Outcome};
    vec![
        vec![Claim],
        vec![Message],
        vec![Message, Message],
        vec![Checkpoint],
        vec![Intent],
        vec![Completion],
        vec![Message, Checkpoint, Outcome],
    ]
}

async fn at_any_write(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let steps = steps();
    for broken in 0..=steps.len() {
        for is_done in [false, true] {
            let id = format!("s{broken}-{is_done}");
            store.create_as(id.as_str(), NewSession::new()).await?;
            let line = Lossy::to(place.handle().await?);
            let backend: Arc<Lossy> = Arc::clone(&line);
            let session = Store::on(backend).open_session(id.as_str()).await?;
            line.breaks_after(broken, is_done);
            let ended = work(&session).await;
            same("whether it went through", ended.is_ok(), broken == steps.len())?;
            drop(session);
            let done = steps.get(..(broken + usize::from(is_done)).min(steps.len()));
            leaves(&*place, &id, done.unwrap_or_default())
                .await
                .map_err(|failed| Failed::new(format!("at write {broken}, {is_done}: {failed}")))?;
        }
    }
    Ok(())
}

/// Fails unless a session holds these steps and nothing else, and goes on from there.
async fn leaves(place: &dyn Place, id: &str, steps: &[Vec<EntryType>]) -> Result<(), Failed> {
    let session = stage::reopened(place, id).await?;
    let entries = session.entries(From::start()).await?.all().await?;
    let types: Vec<EntryType> = entries.into_iter().map(|entry| entry.entry_type).collect();
    let expected = [&[EntryType::Session], steps.concat().as_slice()].concat();
    same("the entries", types, expected)?;
    let before = Before::of(place, &session).await?;
    let whole = ["one", "two", "three", "four"].map(str::to_owned).to_vec();
    if steps.len() == self::steps().len() {
        let told = stage::told(&session, "r1").await?;
        same("its result", told.decode::<String>()?, "done".to_owned())?;
        same("the texts", scene::texts(&session).await?, whole)?;
        stage::is_idle(&session).await?;
        before.stays().await?;
        // Nobody has to recover anything first.
        stage::begin(&session, "r2").await?.commit("next").await?;
        return Ok(());
    }
    same("the texts", scene::texts(&session).await?, Vec::new())?;
    if steps.is_empty() {
        stage::is_idle(&session).await?;
        return work(&session).await.map(drop).map_err(Failed::from);
    }
    let active = stage::active(&session).await?;
    same("for what", (active.input, &active.contract), (stage::digest(), &stage::terms()?))?;
    stage::is_busy("another", stage::send(&session, "r2").await, "r1", active.claim)?;
    // A reader does not go on with it, and neither does whoever looks.
    before.stays().await?;
    let turn = stage::recover(&session, Recovery::Resume).await?;
    if let Some(stored) = turn.last_checkpoint().await? {
        let pending = turn.view(sessile_engine::Window::last(9)).await?.messages().count();
        same("what the checkpoint was built on", stored.decode::<usize>()?, pending)?;
    }
    same("whether it is there", active.checkpoint.is_some(), steps.len() > 3)?;
    if active.indeterminate().next().is_some() {
        same("what nobody knows", steps.last(), Some(&vec![EntryType::Intent]))?;
    }
    turn.cancel("its owner is gone").await?;
    same("the texts", scene::texts(&session).await?, Vec::new())?;
    stage::begin(&session, "r2").await?.commit("next").await?;
    let told = stage::told(&session, "r1").await?;
    same("how it ended", told.status, OutcomeStatus::Cancelled)
}

async fn a_lost_answer(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    // A backend that does not know what it was sent is given up soon.
    let store = Store::with(backend, Options::default().deadline(Duration::from_secs(8)));
    let session = scene::session(&store, "s1", &["zero"]).await?;
    for lost in [1, 2] {
        let id = format!("r{lost}");
        line.lose_answers(lost);
        let mut turn = stage::begin(&session, &id).await?;
        same("its claim", stage::active(&session).await?.claim, turn.claim())?;
        line.lose_answers(lost);
        turn.push(&lost).await?;
        line.lose_answers(lost);
        same("its number", turn.checkpoint("agent.step", 1, &lost).await?, 0)?;
        line.lose_answers(lost);
        let Intent::Fresh(fresh) = turn.intend(Action::new("call-1", "mail", "{}")).await? else {
            return Err(Failed::new("it was not intended before"));
        };
        line.lose_answers(lost);
        fresh.complete("sent").await?;
        line.lose_answers(lost);
        let done = turn.commit(&lost).await?;
        ensure!(!done.replayed, "it is done the first time");
        same("its end", stage::told(&session, &id).await?.seq, done.seq)?;
    }
    let reopened = stage::reopened(&*place, "s1").await?;
    same("how many claims", stage::claims(&reopened).await?.len(), 2)?;
    same("how many outcomes", stage::outcomes(&reopened).await?.len(), 2)?;
    let seen = scene::bytes(&reopened).await?;
    same("the messages", seen, [r#""zero""#, "1", "2"].map(str::to_owned).to_vec())
}

async fn nobody_was_told(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let session = scene::session(&Store::on(backend), "s1", &["one"]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.push("two").await?;
    line.breaks_after(0, true);
    let Err(error) = turn.commit("done").await else {
        return Err(Failed::new("an end that was not answered was told as done"));
    };
    same("its outcome", error.outcome(), Outcome::Unknown)?;
    for handle in [stage::reopened(&*place, "s1").await?, stage::reopened(&*place, "s1").await?] {
        let before = Before::of(&*place, &handle).await?;
        let told = stage::told(&handle, "r1").await?;
        same("its result", told.decode::<String>()?, "done".to_owned())?;
        same("the texts", scene::texts(&handle).await?.len(), 2)?;
        before.stays().await?;
        let next = stage::send(&handle, "r2").await?;
        if let sessile_engine::Admission::Started(turn) = next {
            turn.commit("next").await?;
        }
    }
    // The one who was not told asks again.
    line.mend();
    let told = turn.commit("done").await?;
    ensure!(told.replayed, "it was done before");
    same("its result", told.decode::<String>()?, "done".to_owned())
}
