//! Side effects: intended before they happen, completed after, and reconciled where nobody knows.

use crate::digest::Digest;
use crate::entry::EntryType;
use crate::entry::shape::{Completion, Intent};
use crate::error::{Error, ErrorKind};
use crate::fold::{Active, Effect, Intended, SessionState};
use crate::id::Name;
use crate::payload::Payload;
use crate::position::Seq;

use super::approvals;
use super::holder;
use super::past;
use super::plan::Plan;
use super::request::{Decision, Hand, Held};

/// Decides on an intent.
///
/// # Errors
/// *fenced*; *conflict* where the action's id stands for another call; *stale-approval*.
pub(super) fn intend(
    state: &SessionState,
    held: &Held<'_>,
    intent: &Intent,
) -> Result<Decision, Error> {
    let active = holder::held(state, held, EntryType::Intent)?;
    if let Some(before) = active.intents.get(&intent.action) {
        if before.name != intent.name || before.arguments != intent.arguments {
            let clause = format!("action {} stands for another call", intent.action);
            return Err(Error::new(ErrorKind::Conflict, clause)
                .with_hint("give another call an action id of its own"));
        }
        match before.effect {
            Effect::Done { seq, .. } => return Ok(Decision::Done(seq)),
            Effect::Unknown => return Ok(Decision::Indeterminate(before.clone())),
            // It may be done once more, as if it had never been intended.
            Effect::NotExecuted { .. } => {}
        }
    }
    approvals::check_use(active, intent)?;
    let plan = Plan::under(held.claim).with(EntryType::Intent, Payload::of(intent)?);
    Ok(Decision::Append(plan))
}

/// Decides on a completion.
///
/// # Errors
/// *fenced*; *mismatch* where there is no such intent; *conflict* where something else came of it.
pub(super) fn complete(
    state: &SessionState,
    held: &Held<'_>,
    action: &Name,
    intent: Seq,
    output: &Payload,
) -> Result<Decision, Error> {
    let active = holder::held(state, held, EntryType::Completion)?;
    let intended = intended(active, action)?;
    if intended.seq != intent {
        let clause =
            format!("action {action} was intended by entry {}, not {intent}", intended.seq);
        return Err(Error::new(ErrorKind::Mismatch, clause));
    }
    if let Some(seq) = known(action, intended, Some(output))? {
        return Ok(Decision::Stands(seq));
    }
    let reconciled = false;
    completing(Plan::under(held.claim), action, intended, Some(output), reconciled)
}

/// Decides on what is said of an action of which nobody knew what came of it.
///
/// # Errors
/// *fenced*, *mismatch* where there is no such action or another thing was called, *conflict* where
/// something else came of it or another claim is the last; *missing* and *invalid-admission* where
/// nothing is active.
pub(super) fn reconcile(
    state: &SessionState,
    held: &Held<'_>,
    hand: Hand<'_>,
    (action, name): (&Name, &Name),
    output: Option<&Payload>,
) -> Result<Decision, Error> {
    let check = |active| {
        let intended = intended(active, action)?;
        if intended.name != *name {
            let clause = format!("action {action} calls something else");
            return Err(Error::new(ErrorKind::Mismatch, clause));
        }
        Ok((intended, known(action, intended, output)?))
    };
    // Said again it stands, also where it was said under a claim of its own.
    if matches!(hand, Hand::Other { .. })
        && let (_, Some(seq)) = check(past::active(state, held.request)?)?
    {
        return Ok(Decision::Stands(seq));
    }
    let (active, plan) = holder::by(state, held, hand, EntryType::Completion)?;
    match check(active)? {
        (_, Some(seq)) => Ok(Decision::Stands(seq)),
        (intended, None) => completing(plan, action, intended, output, true),
    }
}

/// What an action's intent says.
fn intended<'a>(active: &'a Active, action: &Name) -> Result<&'a Intended, Error> {
    active.intents.get(action).ok_or_else(|| {
        let clause = format!("request {} has intended no action {action}", active.request);
        Error::new(ErrorKind::Mismatch, clause)
    })
}

/// The entry that says the same of an action; none where nothing is known of it.
///
/// # Errors
/// *conflict* where something else is known.
fn known(
    action: &Name,
    intended: &Intended,
    output: Option<&Payload>,
) -> Result<Option<Seq>, Error> {
    let given = output.map(|output| Digest::of(output.as_str().as_bytes()));
    match (intended.effect, given) {
        (Effect::Unknown, _) => Ok(None),
        (Effect::Done { seq, output }, Some(given)) if output == given => Ok(Some(seq)),
        (Effect::NotExecuted { seq }, None) => Ok(Some(seq)),
        (Effect::Done { seq, .. } | Effect::NotExecuted { seq }, _) => {
            let clause = format!("entry {seq} says something else of action {action}");
            Err(Error::new(ErrorKind::Conflict, clause))
        }
    }
}

/// To append a completion.
fn completing(
    plan: Plan,
    action: &Name,
    intended: &Intended,
    output: Option<&Payload>,
    reconciled: bool,
) -> Result<Decision, Error> {
    let (action, intent) = (action.clone(), intended.seq);
    let completion = Completion { action, intent, output: output.cloned(), reconciled };
    Ok(Decision::Append(plan.with(EntryType::Completion, Payload::of(&completion)?)))
}
