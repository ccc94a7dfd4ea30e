//! Leave: asked for by a turn, given or refused by anybody, used up once.

use crate::entry::EntryType;
use crate::entry::shape::{self, Approval, Intent, call};
use crate::error::{Error, ErrorKind};
use crate::fold::{Active, Asked, SessionState};
use crate::id::Name;
use crate::payload::Payload;

use super::holder;
use super::past;
use super::plan::Plan;
use super::request::{Decision, Held};

/// Decides on a question for leave.
///
/// # Errors
/// *fenced*; *conflict* where the id stands for another question.
pub(super) fn ask(
    state: &SessionState,
    held: &Held<'_>,
    approval: &Approval,
) -> Result<Decision, Error> {
    let active = holder::held(state, held, EntryType::Approval)?;
    match active.approvals.get(&approval.id) {
        Some(asked) if asked.action == approval.action && asked.call == approval.call => {
            Ok(Decision::Stands(asked.seq))
        }
        Some(_) => {
            let clause = format!("approval {} was asked for another call", approval.id);
            Err(Error::new(ErrorKind::Conflict, clause)
                .with_hint("give another question an id of its own"))
        }
        None => {
            let plan = Plan::under(held.claim).with(EntryType::Approval, Payload::of(approval)?);
            Ok(Decision::Append(plan))
        }
    }
}

/// Decides on a decision.
///
/// # Errors
/// *deleted*; *stale-approval* where nobody waits for it; *conflict* where it was decided
/// differently.
pub(super) fn decide(state: &SessionState, decision: &shape::Decision) -> Result<Decision, Error> {
    state.accepts(&EntryType::Decision)?;
    past::refuse_unreadable(state)?;
    let active = state.admission().active();
    let asked = active.and_then(|active| active.approvals.get(&decision.approval));
    let Some(asked) = asked else {
        return Err(stale(&decision.approval, "is not waited for"));
    };
    match asked.decided {
        Some(decided) if decided.allow == decision.allow => Ok(Decision::Stands(decided.seq)),
        Some(decided) => {
            let clause = format!(
                "entry {} decides differently on approval {}",
                decided.seq, decision.approval
            );
            Err(Error::new(ErrorKind::Conflict, clause).with_hint("ask for leave again"))
        }
        None => {
            let plan = Plan::free(EntryType::Decision, Payload::of(decision)?);
            Ok(Decision::Append(plan))
        }
    }
}

/// Refuses an intent whose approval does not cover it.
///
/// # Errors
/// *stale-approval*, saying why.
pub(super) fn check_use(active: &Active, intent: &Intent) -> Result<(), Error> {
    let Some(id) = &intent.approval else {
        // Whoever has asked for leave does not go on without it.
        let is_for_it = |asked: &Asked| asked.action == intent.action && asked.used_by.is_none();
        return match active.approvals.iter().find(|(_, asked)| is_for_it(asked)) {
            Some((id, _)) => Err(stale(id, "was asked for this action, which does not name it")),
            None => Ok(()),
        };
    };
    let Some(asked) = active.approvals.get(id) else {
        return Err(stale(id, "was never asked for"));
    };
    if asked.action != intent.action || asked.call != call(&intent.name, &intent.arguments) {
        return Err(stale(id, "is for another call"));
    }
    match (asked.used_by, asked.decided) {
        (Some(seq), _) => Err(stale(id, format_args!("was used up by entry {seq}"))),
        (None, None) => Err(stale(id, "is not decided yet")),
        (None, Some(decided)) if !decided.allow => Err(stale(id, "was refused")),
        (None, Some(_)) => Ok(()),
    }
}

fn stale(id: &Name, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::StaleApproval, format!("approval {id} {why}"))
        .with_hint("ask for leave again")
}
