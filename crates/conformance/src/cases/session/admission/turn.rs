//! The work of a request: provisional until one commit ends it, and free from what others do.

use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::json;
use sessile_core::admission::{BuiltOn, Recovery};
use sessile_core::fold::Lifecycle;
use sessile_core::{ErrorKind, Payload, Usage};
use sessile_engine::{Admission, Finish, From, NewSession, Turn, TurnEvent, Window};

use super::stage::{self, Before};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new("session/turn/is_provisional_until_it_is_committed", &["records/67"], |place| {
        Box::pin(is_provisional(place))
    }),
    Case::new(
        "session/turn/on_another_checkpoint_is_a_conflict_that_changes_nothing",
        &["records/26"],
        |place| Box::pin(on_another_checkpoint(place)),
    ),
    Case::new(
        "session/turn/on_a_transcript_that_moved_is_a_conflict_that_changes_nothing",
        &["records/27"],
        |place| Box::pin(on_a_transcript_that_moved(place)),
    ),
    Case::new("session/turn/tells_its_course_and_its_end_once", &["records/67"], |place| {
        Box::pin(tells_its_course(place))
    }),
    Case::new("session/turn/that_ended_answers_the_same_end", &["records/71"], |place| {
        Box::pin(answers_the_same_end(place))
    }),
    Case::new("session/turn/is_not_disturbed_by_what_others_write", &["LOST-1"], |place| {
        Box::pin(is_not_disturbed(place))
    }),
    Case::new("session/turn/may_close_its_session_with_its_end", &["OBJ-9"], |place| {
        Box::pin(may_close_its_session(place))
    }),
    Case::new("session/turn/is_abandoned_where_its_session_is_deleted", &["RET-3"], |place| {
        Box::pin(is_abandoned_by_deletion(place))
    }),
    Case::new("session/turn/takes_no_role_that_its_request_forbids", &["records/15"], |place| {
        Box::pin(takes_no_forbidden_role(place))
    }),
];

async fn is_provisional(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.push("two").await?;
    turn.push_all(["three", "four"]).await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        let info = handle.refresh().await?;
        same("how many messages", info.messages, 1)?;
        same("the texts", scene::texts(handle).await?, vec!["one".to_owned()])?;
        same("a view", handle.view(Window::last(9)).await?.messages().count(), 1)?;
    }
    let view = turn.view(Window::last(9)).await?;
    let seen: Vec<String> = view.messages().map(Payload::decode).collect::<Result<_, _>>()?;
    let all = ["one", "two", "three", "four"];
    same("its own view", seen, all.map(str::to_owned).to_vec())?;
    turn.commit_with(Finish::new("done")?.message("five")?).await?;
    let all = [all.as_slice(), &["five"]].concat();
    let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        stage::is_idle(handle).await?;
        same("the texts", scene::texts(handle).await?, all.clone())?;
        let numbers: Vec<Option<u64>> = (1..=5).map(Some).collect();
        same("the ordinals", scene::ordinals(handle).await?, numbers)?;
    }
    other.append(["six"]).await?;
    same("how many messages", session.refresh().await?.messages, 6)
}

/// A turn with a checkpoint, of a transcript of one message.
async fn checkpointed(turn: &mut Turn) -> Result<BuiltOn, Failed> {
    turn.push("two").await?;
    let number = turn.checkpoint("agent.step", 1, "one").await?;
    let number = number.max(turn.checkpoint("agent.step", 1, "two").await?);
    Ok(BuiltOn { messages: 1, checkpoint: Some(number) })
}

async fn on_another_checkpoint(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let mut turn = stage::begin(&session, "r1").await?;
    let built_on = checkpointed(&mut turn).await?;
    same("its number", built_on.checkpoint, Some(1))?;
    let before = Before::of(&*place, &session).await?;
    for checkpoint in [None, Some(0), Some(2)] {
        let finish = Finish::new("done")?.message("x")?;
        let answer = turn.commit_with(finish.built_on(BuiltOn { checkpoint, ..built_on })).await;
        fails("on another checkpoint", answer, ErrorKind::Conflict)?;
    }
    before.stays().await?;
    // Who recovered it, and knows of what the old owner stored, goes on from there.
    let mut turn = stage::recover(&other, Recovery::Reject).await?;
    let stored = turn.last_checkpoint().await?.ok_or_else(|| Failed::new("there is one"))?;
    same("the checkpoint", (stored.number, stored.decode::<String>()?), (1, "two".to_owned()))?;
    same("the next", turn.checkpoint("agent.step", 1, "three").await?, 2)?;
    let before = Before::of(&*place, &session).await?;
    let answer = turn.commit_with(Finish::new("done")?.built_on(built_on)).await;
    fails("on the one before", answer, ErrorKind::Conflict)?;
    before.stays().await?;
    turn.commit("done").await?;
    same("the texts", scene::texts(&session).await?, vec!["one".to_owned(), "two".to_owned()])
}

async fn on_a_transcript_that_moved(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let mut turn = stage::begin(&session, "r1").await?;
    let built_on = checkpointed(&mut turn).await?;
    // A program that does not know of requests.
    scene::append_past(&*place, &session, vec![sample::message("theirs")?]).await?;
    let before = Before::of(&*place, &session).await?;
    fails("on what was", turn.commit("done").await, ErrorKind::Conflict)?;
    before.stays().await?;
    stage::is_busy("another", stage::send(&other, "r2").await, "r1", turn.claim())?;
    let moved = BuiltOn { messages: 2, ..built_on };
    turn.commit_with(Finish::new("done")?.built_on(moved)).await?;
    let texts = ["one", "two", "theirs"].map(str::to_owned).to_vec();
    let mut seen = scene::texts(&other).await?;
    seen.sort_unstable_by_key(|text| texts.iter().position(|it| it == text));
    same("the texts", seen, texts)
}

async fn tells_its_course(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let admission = stage::send(&session, "r1").await?;
    let progress = admission.progress();
    let Admission::Started(mut turn) = admission else {
        return Err(Failed::new("it is new"));
    };
    let pushed = turn.push("one").await?.first;
    turn.checkpoint("agent.step", 1, "state").await?;
    stage::is_busy("what was told before", stage::send(&other, "r1").await, "r1", turn.claim())?;
    let done = turn.commit("done").await?;
    turn.commit("done").await?;
    let events: Vec<TurnEvent> = progress.collect().await;
    let expected = vec![
        TurnEvent::Pushed { first: pushed, messages: 1 },
        TurnEvent::Checkpointed { number: 0 },
        TurnEvent::Committed(Box::new(done.clone())),
    ];
    same("the events", events, expected)?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        // By the time that it is told the session is free.
        stage::is_idle(handle).await?;
        let again = stage::send(handle, "r1").await?;
        let events: Vec<TurnEvent> = again.progress().collect().await;
        let told = stage::replayed("again", again)?;
        same("the events of a replay", events, vec![TurnEvent::Committed(Box::new(told.clone()))])?;
        same("what they tell", (told.seq, told.result), (done.seq, done.result.clone()))?;
    }
    Ok(())
}

async fn answers_the_same_end(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let working = stage::begin(&session, "completes").await?;
    let progress = working.progress();
    working.push("one").await?;
    let completed = working.commit("done").await?;
    let breaking = stage::begin(&session, "breaks").await?;
    let broken = breaking.fail("broken", false).await?;
    let before = Before::of(&*place, &session).await?;
    for (turn, done) in [(&working, &completed), (&breaking, &broken)] {
        for again in [
            turn.commit("another").await?,
            turn.fail("another", true).await?,
            turn.cancel("another").await?,
        ] {
            ensure!(again.replayed, "it ended before");
            same("its end", (again.status, again.seq, again.result), {
                (done.status, done.seq, done.result.clone())
            })?;
        }
        fails("more of it", turn.push("x").await, ErrorKind::Fenced)?;
    }
    // Nor does a recovery do it again.
    for handle in [&session, &other] {
        let admit = stage::asking("completes")?;
        let again = handle.recover_with(working.claim(), admit, Recovery::Restart).await?;
        same("its end", stage::replayed("a recovery", again)?.seq, completed.seq)?;
    }
    before.stays().await?;
    let events: Vec<TurnEvent> = progress.collect().await;
    same("how many events", events.len(), 2)
}

async fn is_not_disturbed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let mut turn = stage::begin(&session, "r1").await?;
    let mut events = 0;
    for round in 0..3_u64 {
        other.set_meta([("round", round)]).await?;
        other.set_title(format!("round {round}")).await?;
        other.touch().await?;
        other.append_events([round]).await?;
        events += 1;
        same("what others read", scene::texts(&other).await?, vec!["one".to_owned()])?;
        let fork = other.fork(None).await?;
        same("a fork", scene::texts(&fork).await?, vec!["one".to_owned()])?;
        turn.push(&round).await?;
        turn.note([round]).await?;
        events += 1;
        same("a checkpoint", turn.checkpoint("agent.step", 1, &round).await?, round)?;
        let before = Before::of(&*place, &session).await?;
        stage::is_busy("a message", other.append(["x"]).await, "r1", turn.claim())?;
        stage::is_busy("a summary", other.compact(From::last(1), ["x"]).await, "r1", {
            turn.claim()
        })?;
        before.stays().await?;
    }
    turn.commit("done").await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        let info = handle.refresh().await?;
        same("the title", info.title(), Some("round 2".to_owned()))?;
        same("how much there is", (info.messages, info.events), (4, events))?;
        let seen = scene::bytes(handle).await?;
        same("the messages", seen, [r#""one""#, "0", "1", "2"].map(str::to_owned).to_vec())?;
        ensure!(info.strays.is_none(), "nothing was written under a claim that did not stand");
    }
    Ok(())
}

async fn may_close_its_session(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.push("one").await?;
    for handle in [&session, &other] {
        stage::is_busy("closing", handle.close().await, "r1", turn.claim())?;
    }
    let done = turn.commit_with(Finish::new("done")?.close()).await?;
    for handle in [&session, &other, &stage::reopened(&*place, "s1").await?] {
        same("its state", handle.refresh().await?.lifecycle, Lifecycle::Closed)?;
        same("the texts", scene::texts(handle).await?, vec!["one".to_owned()])?;
        fails("another request", stage::send(handle, "r2").await, ErrorKind::Closed)?;
        same("its end", stage::told(handle, "r1").await?.seq, done.seq)?;
    }
    Ok(())
}

async fn is_abandoned_by_deletion(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &["one"]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.push("two").await?;
    other.delete().await?;
    let deleted = ErrorKind::Deleted;
    fails("more of it", turn.push("x").await, deleted)?;
    fails("its end", turn.commit("done").await, deleted)?;
    fails("a request", stage::send(&session, "r2").await, deleted)?;
    let back = scene::store(&*place).await?.undelete("s1").await?;
    for handle in [&back, &session] {
        stage::is_idle(handle).await?;
        fails("more of it", turn.push("x").await, ErrorKind::Fenced)?;
        fails("its end", turn.commit("done").await, ErrorKind::Fenced)?;
        let told = stage::told(handle, "r1").await?;
        let status = sessile_core::entry::shape::OutcomeStatus::Abandoned;
        same("how it ended", (told.status, told.result, told.may_retry), (status, None, true))?;
        same("the texts", scene::texts(handle).await?, vec!["one".to_owned()])?;
    }
    stage::begin(&back, "r2").await?.commit("done").await?;
    Ok(())
}

async fn takes_no_forbidden_role(place: Arc<dyn Place>) -> Result<(), Failed> {
    let dialect = sessile_core::entry::shape::Dialect::Openai;
    let store = scene::store(&*place).await?;
    let session = store.create_as("s1", NewSession::new().dialect(dialect)).await?;
    let turn = session.admit_with(stage::asking("r1")?.forbid_system()).await?.started()?;
    let before = Before::of(&*place, &session).await?;
    let says = |role: &str| json!({"role": role, "content": "x"});
    for role in ["system", "developer"] {
        fails(role, turn.push(&says(role)).await, ErrorKind::Refused)?;
        let batch = turn.push_all([says("user"), says(role)]).await;
        fails(role, batch, ErrorKind::Refused)?;
        let finish = Finish::new("done")?.message(&says(role))?;
        fails(role, turn.commit_with(finish).await, ErrorKind::Refused)?;
    }
    let none = turn.push_all::<&str>([]).await;
    fails("no message", none, ErrorKind::Refused)?;
    before.stays().await?;
    turn.push(&says("user")).await?;
    turn.commit_with(Finish::new("done")?.usage(&Usage::new())).await?;
    same("how many messages", session.refresh().await?.messages, 1)
}
