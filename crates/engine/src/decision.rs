//! What a change takes on a given state.

use sessile_core::fold::SessionState;
use sessile_core::{Commit, CommitId, Error, Position};

/// What a change takes.
#[derive(Debug)]
pub(crate) enum Decision<A> {
    /// To append this commit.
    Append(Commit),
    /// Nothing: it is done already, by what stands before a position.
    Stands(A, Position),
    /// To find out whether this commit is there: it may be one of those that were not read.
    Recall(CommitId),
    /// To prepare it anew: the state is not any more the one that it was prepared for.
    Again,
}

/// The answer for a commit id that is not known, where damage may hide the commit.
///
/// To take it for new could do a second time what stands in the damaged place.
pub(crate) fn hidden(state: &SessionState, id: &CommitId) -> Option<Error> {
    let place = *state.damage().first()?;
    let reason = format!("whether commit {id} was there can't be told");
    Some(Error::corrupt(place, reason))
}
