//! Side effects of a turn: intended before they happen, and never repeated unasked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use sessile_core::admission::Recovery;
use sessile_core::entry::shape::{Completion, Dialect};
use sessile_core::fold::{Active, Effect};
use sessile_core::{EntryType, Error, ErrorKind, Payload, Usage};
use sessile_engine::{Action, Intent, NewSession, Reach, Reconciled, Session, Store, Turn};

use super::stage::{self, Before};
use crate::case::Case;
use crate::cases::session::scene;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::lossy::Lossy;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "session/tool/is_not_called_where_its_intent_is_not_stored",
        &["records/45"],
        |place| Box::pin(is_not_called(place)),
    ),
    Case::new(
        "session/tool/of_which_nobody_knows_is_not_called_again",
        &["records/46", "SIDE-2"],
        |place| Box::pin(nobody_knows(place)),
    ),
    Case::new(
        "session/tool/is_told_of_by_its_own_id_and_name_and_once",
        &["records/47"],
        |place| Box::pin(is_told_of(place)),
    ),
    Case::new("session/tool/of_a_batch_is_known_each_by_itself", &["SIDE-1"], |place| {
        Box::pin(of_a_batch(place))
    }),
    Case::new("session/tool/without_a_match_blocks_nothing", &["SIDE-3"], |place| {
        Box::pin(without_a_match(place))
    }),
];

/// What is done outside, and how often.
#[derive(Debug, Default)]
struct Outside(AtomicUsize);

impl Outside {
    /// Does what a turn wants as its host has to: only where it is intended for the first time.
    /// Answers whether it was done.
    async fn act(&self, turn: &Turn, action: Action) -> Result<bool, Error> {
        match turn.intend(action).await? {
            Intent::Fresh(fresh) => {
                let count = self.0.fetch_add(1, Ordering::Relaxed);
                fresh.complete(&count).await?;
                Ok(true)
            }
            Intent::Done(_) | Intent::Indeterminate(_) => Ok(false),
        }
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

fn mail(number: usize) -> Action {
    Action::new(format!("call-{number}"), "mail", format!(r#"{{"to":{number}}}"#))
}

/// What is known of the actions of a request.
fn effects(active: &Active) -> Vec<(String, &'static str)> {
    let told = |effect| match effect {
        Effect::Unknown => "unknown",
        Effect::Done { .. } => "done",
        Effect::NotExecuted { .. } => "not executed",
    };
    let intents = active.intents.iter();
    intents.map(|(action, it)| (action.to_string(), told(it.effect))).collect()
}

fn named(effects: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    effects.iter().map(|(action, effect)| ((*action).to_owned(), *effect)).collect()
}

async fn is_not_called(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let session = scene::session(&Store::on(backend), "s1", &[]).await?;
    let turn = stage::begin(&session, "r1").await?;
    let outside = Outside::default();
    line.cut(true);
    let cut = outside.act(&turn, mail(1)).await;
    fails("out of reach", cut, ErrorKind::Unavailable)?;
    same("how often it was called", outside.count(), 0)?;
    line.mend();
    ensure!(outside.act(&turn, mail(1)).await?, "it was not intended yet");
    // Stored, and nobody was told: then it is not known whether it was called.
    line.breaks_after(0, true);
    ensure!(outside.act(&turn, mail(2)).await.is_err(), "what nobody was told is not done");
    same("how often it was called", outside.count(), 1)?;
    line.mend();
    let reopened = stage::reopened(&*place, "s1").await?;
    let known = effects(&stage::active(&reopened).await?);
    same("what is known", known, named(&[("call-1", "done"), ("call-2", "unknown")]))?;
    ensure!(!outside.act(&turn, mail(2)).await?, "it is not called by itself");
    same("how often it was called", outside.count(), 1)
}

async fn nobody_knows(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.ask("leave", &mail(2)).await?;
    other.decide("leave", true, Some("ann".into())).await?;
    let outside = Outside::default();
    ensure!(outside.act(&turn, mail(1)).await?, "it is new");
    // Done outside, and the process dies before it can say so.
    let Intent::Fresh(fresh) = turn.intend(mail(2).approved("leave")).await? else {
        return Err(Failed::new("it is new"));
    };
    drop((fresh, turn, session));
    let known = named(&[("call-1", "done"), ("call-2", "unknown")]);
    let before = Before::of(&*place, &other).await?;
    for handle in [&other, &stage::reopened(&*place, "s1").await?] {
        let active = stage::active(handle).await?;
        same("what is known", effects(&active), known.clone())?;
        let used = active.approvals.values().filter(|it| it.used_by.is_some()).count();
        same("how much leave is used up", used, 1)?;
    }
    before.stays().await?;
    for recovery in [Recovery::Restart, Recovery::Resume] {
        let turn = stage::recover(&other, recovery).await?;
        let before = Before::of(&*place, &other).await?;
        for action in [mail(1), mail(2), mail(2).approved("leave")] {
            ensure!(!outside.act(&turn, action).await?, "it is called a second time");
        }
        let Intent::Done(output) = turn.intend(mail(1)).await? else {
            return Err(Failed::new("what was done is told"));
        };
        same("its output", output.decode::<usize>()?, 0)?;
        let other_call = turn.intend(Action::new("call-1", "mail", "another")).await;
        fails("another call of its id", other_call, ErrorKind::Conflict)?;
        fails("an end without a word on it", turn.commit("done").await, ErrorKind::Ambiguous)?;
        before.stays().await?;
    }
    same("how often it was called", outside.count(), 1)
}

async fn is_told_of(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let used = Usage::new().with("calls", 4);
    let admit = stage::asking("r1")?.usage(used.clone());
    let turn = session.admit_with(admit).await?.started()?;
    for number in 1..=2 {
        _ = turn.intend(mail(number)).await?;
    }
    let active = stage::active(&other).await?;
    let before = Before::of(&*place, &session).await?;
    let output = Payload::of("sent")?;
    let sent = || Reconciled::Executed(output.clone());
    for (action, name) in [("call-3", "mail"), ("call-1", "pay"), ("mail", "call-1")] {
        let answer = other.reconcile(&active, action, name, sent(), None).await;
        fails("another action", answer, ErrorKind::Mismatch)?;
    }
    before.stays().await?;
    let known = other.reconcile(&active, "call-1", "mail", sent(), None).await?;
    same("what is known", effects(&known), named(&[("call-1", "done"), ("call-2", "unknown")]))?;
    same("what was used", known.usage.clone(), used.clone())?;
    let before = Before::of(&*place, &session).await?;
    // Said again it stands, whichever claim is named; said otherwise it is refused.
    for claim in [&active, &known] {
        other.reconcile(claim, "call-1", "mail", sent(), None).await?;
        let otherwise = Reconciled::NotExecuted;
        let answer = other.reconcile(claim, "call-1", "mail", otherwise, None).await;
        fails("something else", answer, ErrorKind::Conflict)?;
    }
    fails("the old owner", turn.push("late").await, ErrorKind::Fenced)?;
    before.stays().await?;
    let known = other.reconcile(&known, "call-2", "mail", Reconciled::NotExecuted, None).await?;
    let expected = named(&[("call-1", "done"), ("call-2", "not executed")]);
    same("what is known", effects(&known), expected)?;
    let completions = stage::of_type(&other, &EntryType::Completion).await?;
    let completions = completions.iter().map(|entry| entry.data.decode::<Completion>());
    let reconciled: Vec<bool> =
        completions.map(|it| Ok::<_, Error>(it?.reconciled)).collect::<Result<_, _>>()?;
    same("who found out", reconciled, vec![true, true])?;
    let turn = stage::recover(&other, Recovery::Resume).await?;
    let outside = Outside::default();
    ensure!(!outside.act(&turn, mail(1)).await?, "what was done is not done again");
    ensure!(outside.act(&turn, mail(2)).await?, "what was not done may be");
    let done = turn.commit("done").await?;
    same("what was used", done.usage, used)
}

async fn of_a_batch(place: Arc<dyn Place>) -> Result<(), Failed> {
    let [session, other] = stage::pair(&*place, &[]).await?;
    let turn = stage::begin(&session, "r1").await?;
    turn.push("call three tools").await?;
    let mut intents = Vec::new();
    for number in 1..=3 {
        let Intent::Fresh(fresh) = turn.intend(mail(number)).await? else {
            return Err(Failed::new("it is new"));
        };
        intents.push(fresh);
    }
    // The first is done and told; the second is done, and the process dies.
    for fresh in intents.iter().take(1) {
        fresh.complete("sent").await?;
    }
    drop((intents, turn, session));
    let reopened = stage::reopened(&*place, "s1").await?;
    let known = named(&[("call-1", "done"), ("call-2", "unknown"), ("call-3", "unknown")]);
    for handle in [&other, &reopened] {
        same("what is known", effects(&stage::active(handle).await?), known.clone())?;
    }
    let turn = stage::recover(&reopened, Recovery::Resume).await?;
    let outside = Outside::default();
    for number in 1..=3 {
        ensure!(!outside.act(&turn, mail(number)).await?, "nothing is called by itself");
    }
    let unknown = |known: Intent| match known {
        Intent::Indeterminate(unknown) => Ok(unknown),
        _ => Err(Failed::new("nobody knows what came of it")),
    };
    turn.reconcile(&unknown(turn.intend(mail(2)).await?)?, "sent").await?;
    turn.reconcile_unexecuted(&unknown(turn.intend(mail(3)).await?)?).await?;
    ensure!(outside.act(&turn, mail(3)).await?, "what was not done may be");
    turn.commit("done").await?;
    same("how often it was called", outside.count(), 1)
}

async fn without_a_match(place: Arc<dyn Place>) -> Result<(), Failed> {
    let store = scene::store(&*place).await?;
    let session = store.create_as("s1", NewSession::new().dialect(Dialect::Openai)).await?;
    let call = |id: &str| {
        let function = json!({"name": "ls", "arguments": "{}"});
        let calls = json!([{"id": id, "type": "function", "function": function}]);
        json!({"role": "assistant", "tool_calls": calls})
    };
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    // A turn that died in the middle, a result of nothing, and one too many.
    let turn = stage::begin(&session, "r1").await?;
    let told = [call("open"), call("twice"), result("twice"), result("twice"), result("none")];
    turn.push_all(told).await?;
    turn.commit("done").await?;
    for handle in [session, stage::reopened(&*place, "s1").await?] {
        let misfits = handle.misfits(Reach::End).await?;
        same("open calls", misfits.open_calls.count, 1)?;
        same("orphan results", misfits.orphan_results.count, 1)?;
        same("second results", misfits.second_results.count, 1)?;
        goes_on(&handle).await?;
    }
    Ok(())
}

/// Fails unless a session takes a request.
async fn goes_on(session: &Session) -> Result<(), Failed> {
    let id = format!("r-{}", session.position());
    stage::begin(session, &id).await?.commit("next").await?;
    stage::is_idle(session).await
}
