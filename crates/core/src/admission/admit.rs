//! Taking the session: for the first time, and after its owner has stopped.

use crate::entry::EntryType;
use crate::entry::shape::Claim;
use crate::error::{Error, ErrorKind};
use crate::fold::{Active, SessionState};
use crate::position::Seq;

use super::past::{self, Past};
use super::plan::Plan;
use super::request::{Bid, Decision, Recovery};

/// Decides on a request that wants to hold the session.
///
/// # Errors
/// By kind, as told of the rules as a whole.
pub(super) fn admit(state: &SessionState, bid: &Bid<'_>) -> Result<Decision, Error> {
    if let Some(decided) = before(state, bid)? {
        return Ok(decided);
    }
    let admission = state.admission();
    let Some(active) = admission.active() else {
        if let Some(claim) = admission.claim() {
            return Err(past::unreadable(claim));
        }
        past::refuse_hidden(state, bid.request)?;
        return Ok(Decision::Claim(Plan::claim(first_claim(bid))));
    };
    if active.request != *bid.request {
        return Err(Error::busy(active.occupant()));
    }
    past::same_input(bid.request, active.input, bid.input)?;
    if !active.released {
        return Err(Error::busy(active.occupant()));
    }
    past::same_contract(&active.contract, bid.contract)?;
    Ok(Decision::Claim(Plan::claim(Claim {
        holder: bid.holder.cloned(),
        usage: active.usage.max(bid.usage),
        resumes: false,
        released: false,
        ..next_claim(active)
    })))
}

/// Decides on a request that takes over.
///
/// # Errors
/// By kind, as told of the rules as a whole.
pub(super) fn recover(
    state: &SessionState,
    claim: Seq,
    bid: &Bid<'_>,
    recovery: Recovery,
) -> Result<Decision, Error> {
    if let Some(decided) = before(state, bid)? {
        return Ok(decided);
    }
    let active = match past::active(state, bid.request) {
        Ok(active) => active,
        Err(error) if error.kind() == ErrorKind::Mismatch => return Err(error),
        Err(error) => {
            past::refuse_hidden(state, bid.request)?;
            return Err(error);
        }
    };
    past::same_input(bid.request, active.input, bid.input)?;
    if active.claim != claim {
        return Err(Error::busy(active.occupant()));
    }
    past::same_contract(&active.contract, bid.contract)?;
    check_usage(active, bid, recovery)?;
    let resumes = match recovery {
        Recovery::Reject => active.checkpoint.is_some(),
        Recovery::Restart => false,
        Recovery::Resume => true,
    };
    Ok(Decision::Claim(Plan::claim(Claim {
        holder: bid.holder.cloned(),
        usage: active.usage.max(bid.usage),
        resumes,
        released: false,
        ..next_claim(active)
    })))
}

/// What answers or refuses a request whoever is active.
fn before(state: &SessionState, bid: &Bid<'_>) -> Result<Option<Decision>, Error> {
    past::refuse_deleted(state)?;
    past::refuse_own_id(state, bid.request)?;
    match Past::of(state, bid.request) {
        Past::Ended(ended) => return past::replay(ended, bid.input, bid.contract).map(Some),
        Past::Unread(unread) => return Ok(Some(Decision::LookUp(unread))),
        Past::Open => {}
    }
    past::refuse_unreadable(state)?;
    state.accepts(&EntryType::Claim)?;
    Ok(None)
}

/// Refuses a usage that is not what the request goes on with, and to do again by itself what may
/// have been under way.
fn check_usage(active: &Active, bid: &Bid<'_>, recovery: Recovery) -> Result<(), Error> {
    let floor = &active.usage;
    let in_flight = active.checkpoint.as_ref().map(|checkpoint| checkpoint.in_flight);
    if in_flight == Some(true) && recovery == Recovery::Reject {
        let clause = format!(
            "request {} was under way when its owner stopped, and how far it came is not known",
            active.request
        );
        return Err(Error::new(ErrorKind::Ambiguous, clause)
            .with_hint("decide whether to restart it, or to resume it"));
    }
    if let Some(component) = bid.usage.first_below(floor) {
        let clause = format!("the usage of {component} is below what was recorded");
        return Err(Error::other_usage(component, clause));
    }
    match bid.usage.first_difference(floor).filter(|_| in_flight == Some(false)) {
        Some(component) => {
            let clause = format!(
                "the usage of {component} is above what was recorded, and nothing was under way"
            );
            Err(Error::other_usage(component, clause))
        }
        None => Ok(()),
    }
}

fn first_claim(bid: &Bid<'_>) -> Claim {
    Claim {
        request: bid.request.clone(),
        input: bid.input,
        contract: bid.contract.clone(),
        usage: bid.usage.clone(),
        holder: bid.holder.cloned(),
        recovers: None,
        resumes: false,
        released: false,
    }
}

/// A claim that takes over from the last one, with its messages, and keeps everything else.
pub(super) fn next_claim(active: &Active) -> Claim {
    Claim {
        request: active.request.clone(),
        input: active.input,
        contract: active.contract.clone(),
        usage: active.usage.clone(),
        holder: None,
        recovers: Some(active.claim),
        resumes: true,
        released: false,
    }
}
