//! What is known of a request before it is decided on.

use crate::digest::Digest;
use crate::entry::shape::Contract;
use crate::error::{Error, ErrorKind};
use crate::fold::{Active, Ended, Lifecycle, RequestLookup, SessionState, Unread};
use crate::id::RequestId;
use crate::position::Seq;

use super::request::Decision;

/// What is known of the end of a request.
pub(super) enum Past {
    /// It ended.
    Ended(Ended),
    /// It did not, as far as can be read.
    Open,
    /// It can't be told before this was read.
    Unread(Unread),
}

impl Past {
    /// Looks for the end of a request.
    pub(super) fn of(state: &SessionState, request: &RequestId) -> Self {
        let is_active = |active: &Active| active.request == *request;
        if state.admission().active().is_some_and(is_active) {
            return Self::Open;
        }
        match state.commits().look_request(request) {
            RequestLookup::Found(ended) => Self::Ended(ended),
            RequestLookup::Absent => Self::Open,
            RequestLookup::Unread(unread) => Self::Unread(unread),
        }
    }
}

/// The answer for a request that ended, if it is the same request.
///
/// # Errors
/// *mismatch* for another input, *configuration-mismatch* for other terms, *expired* where what it
/// was answered with was removed, *invalid-admission* where nobody can tell whether it is the same.
pub(super) fn replay(ended: Ended, input: Digest, contract: &Contract) -> Result<Decision, Error> {
    let (Some(its_input), Some(its_contract)) = (ended.input, &ended.contract) else {
        let clause = format!(
            "request {} ended, and what it was asked for can't be read any more",
            ended.request
        );
        return Err(Error::new(ErrorKind::InvalidAdmission, clause)
            .with_hint("give new work a request id of its own"));
    };
    same_input(&ended.request, its_input, input)?;
    same_contract(its_contract, contract)?;
    if ended.expired {
        let clause = format!("request {} ended, and its result was removed", ended.request);
        return Err(
            Error::new(ErrorKind::Expired, clause).with_hint("it is not done again under this id")
        );
    }
    Ok(Decision::Replay(ended))
}

/// Refuses another input under the same id.
///
/// # Errors
/// *mismatch*.
pub(super) fn same_input(request: &RequestId, its: Digest, given: Digest) -> Result<(), Error> {
    if its == given {
        return Ok(());
    }
    let clause = format!("request {request} was sent with another input");
    Err(Error::new(ErrorKind::Mismatch, clause)
        .with_hint("give other work a request id of its own"))
}

/// Refuses other terms.
///
/// # Errors
/// *configuration-mismatch*, naming the first part that differs.
pub(super) fn same_contract(its: &Contract, given: &Contract) -> Result<(), Error> {
    match its.first_difference(given) {
        Some(part) => Err(Error::other_configuration(part)),
        None => Ok(()),
    }
}

/// Refuses a deleted session, which answers nothing else.
///
/// # Errors
/// *deleted*.
pub(super) fn refuse_deleted(state: &SessionState) -> Result<(), Error> {
    match state.lifecycle() {
        Lifecycle::Deleted => Err(Error::new(ErrorKind::Deleted, "it was deleted")),
        Lifecycle::Active | Lifecycle::Closed => Ok(()),
    }
}

/// Refuses a request that has the id of its session.
///
/// # Errors
/// *mismatch*.
pub(super) fn refuse_own_id(state: &SessionState, request: &RequestId) -> Result<(), Error> {
    if request.as_str() != state.header().id.as_str() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Mismatch, "a request can't have the id of its session")
        .with_hint("give it an id of its own"))
}

/// Refuses a session whose admission can't be read.
///
/// # Errors
/// *invalid-admission*, naming the entry.
pub(super) fn refuse_unreadable(state: &SessionState) -> Result<(), Error> {
    match state.admission().unreadable() {
        Some(seq) => Err(unreadable(seq)),
        None => Ok(()),
    }
}

/// The answer where an entry of admission can't be read.
pub(super) fn unreadable(seq: Seq) -> Error {
    let clause = format!("entry {seq} says who holds the session, and can't be read");
    Error::new(ErrorKind::InvalidAdmission, clause)
        .with_hint("a newer version of the program may read it")
}

/// Refuses what would be done for the first time where damage may hide that it was done.
///
/// # Errors
/// *corrupt*, naming the damage.
pub(super) fn refuse_hidden(state: &SessionState, request: &RequestId) -> Result<(), Error> {
    // What was asked of the session before a fork is none of the fork's.
    let cut = state.header().forked_from.as_ref().filter(|cut| cut.copied);
    let is_own = |seq: Seq| cut.is_none_or(|cut| cut.seq < seq);
    match state.damage().iter().find(|place| is_own(place.seq)) {
        Some(place) => {
            let reason = format!("whether request {request} ended before can't be told");
            Err(Error::corrupt(*place, reason))
        }
        None => Ok(()),
    }
}

/// The active request, if it is this one: its usage is what a recovery goes on with at least.
///
/// # Errors
/// *deleted*; *missing* where none ever was active, *invalid-admission* where none is or it can't be
/// read, *mismatch* where another one is.
pub fn active<'a>(state: &'a SessionState, request: &RequestId) -> Result<&'a Active, Error> {
    refuse_deleted(state)?;
    let active = any(state)?;
    if active.request == *request {
        return Ok(active);
    }
    let clause = format!("not request {request} is active, but {}", active.request);
    Err(Error::new(ErrorKind::Mismatch, clause))
}

/// The request that is active.
///
/// # Errors
/// *missing* where none ever was, *invalid-admission* where none is or it can't be read.
fn any(state: &SessionState) -> Result<&Active, Error> {
    refuse_unreadable(state)?;
    let admission = state.admission();
    match (admission.active(), admission.claim()) {
        (Some(active), _) => Ok(active),
        (None, Some(claim)) => Err(unreadable(claim)),
        (None, None) if admission.is_untouched() => {
            Err(Error::new(ErrorKind::Missing, "no request ever held the session"))
        }
        (None, None) => Err(Error::new(ErrorKind::InvalidAdmission, "no request is active")
            .with_hint("a request that ended is answered when it is sent again")),
    }
}
