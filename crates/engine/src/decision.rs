//! What a change takes on a given state.

use sessile_core::admission::Plan;
use sessile_core::fold::SessionState;
use sessile_core::{Commit, CommitId, Error, Position, RequestId};

/// What a change takes.
#[derive(Debug)]
pub(crate) enum Decision<A> {
    /// To append this commit.
    Append(Commit),
    /// To append this plan under this id.
    Plan(CommitId, Box<Plan>),
    /// Nothing: it is done already, by what stands before a position.
    Stands(A, Position),
    /// Nothing: it is refused, with this for the caller.
    Refuse(A),
    /// To find out what became of this: it may be among what was not read.
    Recall(Sought),
    /// To prepare it anew: the state is not any more the one that it was prepared for.
    Again,
}

/// What a journal is asked for, however long ago it was.
#[derive(Clone, Debug)]
pub(crate) enum Sought {
    /// A commit.
    Commit(CommitId),
    /// The end of a request.
    Request(RequestId),
}

/// The answer for a commit id that is not known, where damage may hide the commit.
///
/// To take it for new could do a second time what stands in the damaged place.
pub(crate) fn hidden(state: &SessionState, id: &CommitId) -> Option<Error> {
    let place = *state.damage().first()?;
    let reason = format!("whether commit {id} was there can't be told");
    Some(Error::corrupt(place, reason))
}
