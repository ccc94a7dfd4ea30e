//! What the holder of a claim may do, and what somebody else may who takes it from the holder.

use crate::entry::EntryType;
use crate::entry::shape::{Checkpoint, Claim};
use crate::error::{Error, ErrorKind};
use crate::fold::{Active, SessionState};
use crate::payload::Payload;

use super::admit::next_claim;
use super::past;
use super::plan::Plan;
use super::request::{Decision, Hand, Held};

/// The request whose claim stands and is the holder's, who wants to append an entry of a type.
///
/// # Errors
/// *deleted*, *closed*, *unsupported*; *fenced* where it does not stand.
pub(super) fn held<'a>(
    state: &'a SessionState,
    held: &Held<'_>,
    entry_type: EntryType,
) -> Result<&'a Active, Error> {
    state.takes(&[entry_type], Some(held.claim))?;
    let active = state.admission().active().filter(|active| active.request == *held.request);
    active.ok_or_else(|| Error::fenced(held.claim))
}

/// Where somebody goes on with a request: under the holder's claim, or under a new one that fences
/// the holder.
///
/// # Errors
/// *fenced* for a holder whose claim does not stand; for somebody else *mismatch* where another
/// request is active and *conflict* where another claim is the last.
pub(super) fn by<'a>(
    state: &'a SessionState,
    held: &Held<'_>,
    hand: Hand<'_>,
    entry_type: EntryType,
) -> Result<(&'a Active, Plan), Error> {
    match hand {
        Hand::Holder => {
            let active = self::held(state, held, entry_type)?;
            Ok((active, Plan::under(active.claim)))
        }
        Hand::Other { holder } => {
            let active = named(state, held)?;
            state.accepts(&EntryType::Claim)?;
            let claim = Claim { holder: holder.cloned(), ..next_claim(active) };
            Ok((active, Plan::claim(claim)))
        }
    }
}

/// The active request, as somebody else than its holder names it.
///
/// # Errors
/// *deleted*; those of [`past::active`]; *mismatch* where another request is active; *conflict*
/// where another claim is its last.
pub(super) fn named<'a>(state: &'a SessionState, held: &Held<'_>) -> Result<&'a Active, Error> {
    let active = past::active(state, held.request)?;
    if active.claim == held.claim {
        return Ok(active);
    }
    let clause = format!(
        "claim {} is the last of request {}, not {}",
        active.claim, held.request, held.claim
    );
    Err(Error::new(ErrorKind::Conflict, clause)
        .with_hint("see what became of it, then decide again"))
}

/// Decides on a checkpoint.
///
/// # Errors
/// *fenced*; *conflict* where its number is not the next.
pub(super) fn checkpoint(
    state: &SessionState,
    held: &Held<'_>,
    checkpoint: &Checkpoint,
) -> Result<Decision, Error> {
    let active = self::held(state, held, EntryType::Checkpoint)?;
    let next = next_number(active)?;
    if checkpoint.number != next {
        let clause = format!("the next checkpoint has number {next}, not {}", checkpoint.number);
        return Err(Error::new(ErrorKind::Conflict, clause));
    }
    let plan = Plan::under(held.claim).with(EntryType::Checkpoint, Payload::of(checkpoint)?);
    Ok(Decision::Append(plan))
}

/// The number of a request's next checkpoint.
///
/// # Errors
/// *conflict* where there is none.
fn next_number(active: &Active) -> Result<u64, Error> {
    let Some(last) = &active.checkpoint else {
        return Ok(0);
    };
    let full = || Error::new(ErrorKind::Conflict, "no number is left for another checkpoint");
    last.number.checked_add(1).ok_or_else(full)
}
