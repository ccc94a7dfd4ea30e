//! Ending a request, and letting go of it.

use crate::entry::EntryType;
use crate::entry::shape::{Claim, Outcome, OutcomeStatus};
use crate::error::{Error, ErrorKind};
use crate::fold::{Active, SessionState};
use crate::text::Text;

use super::admit::next_claim;
use super::holder;
use super::past::{self, Past};
use super::plan::Plan;
use super::request::{BuiltOn, Decision, End, Hand, Held};

/// Decides on the end of a turn, with the messages that it has written.
///
/// # Errors
/// *fenced*; *conflict* where it was built on another transcript or checkpoint; *ambiguous* where
/// nobody knows what came of an action of its.
pub(super) fn commit(
    state: &SessionState,
    held: &Held<'_>,
    built_on: BuiltOn,
    end: &End,
) -> Result<Decision, Error> {
    if let Some(decided) = ended(state, held, Hand::Holder)? {
        return Ok(decided);
    }
    let active = holder::held(state, held, EntryType::Outcome)?;
    let messages = state.messages();
    if built_on.messages != messages {
        let clause = format!(
            "there are {messages} messages, and the turn was built on {}",
            built_on.messages
        );
        return Err(Error::new(ErrorKind::Conflict, clause)
            .with_hint("read what became of them, then decide again"));
    }
    let last = active.checkpoint.as_ref().map(|checkpoint| checkpoint.number);
    if built_on.checkpoint != last {
        let clause = "the turn has another last checkpoint than it was built on";
        return Err(Error::new(ErrorKind::Conflict, clause));
    }
    if let Some((action, _)) = active.indeterminate().next() {
        let clause = format!("what came of action {action} is not known");
        return Err(Error::new(ErrorKind::Ambiguous, clause)
            .with_hint("reconcile it, or end the request without a result"));
    }
    let outcome = outcome(state, active, OutcomeStatus::Completed, end);
    let pending = state.sight().hidden().pending();
    Ok(Decision::Append(Plan::under(held.claim).adopting(outcome, pending)))
}

/// Decides on another end of a request, which leaves the messages that it has written.
///
/// # Errors
/// *fenced* for the holder; for others *mismatch*, *conflict*, *missing* and *invalid-admission*.
pub(super) fn end(
    state: &SessionState,
    held: &Held<'_>,
    hand: Hand<'_>,
    end: &End,
) -> Result<Decision, Error> {
    if end.status == OutcomeStatus::Completed {
        let clause = "a request is completed with what its turn has written";
        return Err(Error::new(ErrorKind::Refused, clause));
    }
    if let Some(decided) = ended(state, held, hand)? {
        return Ok(decided);
    }
    let (active, plan) = holder::by(state, held, hand, EntryType::Outcome)?;
    let outcome = outcome(state, active, end.status, end);
    Ok(Decision::Append(plan.ending(outcome)))
}

/// Decides on fencing the holder for the sake of the same request.
///
/// # Errors
/// *mismatch*, *conflict*, *missing* and *invalid-admission*.
pub(super) fn release(
    state: &SessionState,
    held: &Held<'_>,
    holder: Option<&Text>,
) -> Result<Decision, Error> {
    if let Some(decided) = ended(state, held, Hand::Other { holder })? {
        return Ok(decided);
    }
    let active = past::active(state, held.request)?;
    let names_it = active.claim == held.claim || active.recovers == Some(held.claim);
    if active.released && names_it {
        return Ok(Decision::Stands(active.claim));
    }
    let active = holder::named(state, held)?;
    state.accepts(&EntryType::Claim)?;
    let claim = Claim { released: true, holder: holder.cloned(), ..next_claim(active) };
    Ok(Decision::Append(Plan::claim(claim)))
}

/// The answer for a request that ended already. A holder hears it who ended it, and any other holder
/// is fenced.
fn ended(state: &SessionState, held: &Held<'_>, hand: Hand<'_>) -> Result<Option<Decision>, Error> {
    past::refuse_deleted(state)?;
    match (Past::of(state, held.request), hand) {
        // What the session's deletion ended stands at the claim itself.
        (Past::Ended(ended), Hand::Holder)
            if ended.claim != held.claim || ended.seq == ended.claim =>
        {
            Err(Error::fenced(held.claim))
        }
        (Past::Ended(ended), _) => Ok(Some(Decision::Replay(ended))),
        (Past::Unread(unread), _) => Ok(Some(Decision::LookUp(unread))),
        (Past::Open, _) => Ok(None),
    }
}

fn outcome(state: &SessionState, active: &Active, status: OutcomeStatus, end: &End) -> Outcome {
    Outcome {
        redacted: false,
        request: active.request.clone(),
        input: Some(active.input),
        contract: Some(active.contract.clone()),
        status,
        adopts: None,
        messages: state.messages(),
        result: end.result.clone(),
        may_retry: end.may_retry,
        reason: end.reason.clone(),
        usage: active.usage.max(&end.usage),
    }
}
