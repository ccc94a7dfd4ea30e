//! What a change takes on a given state, and what became of it.

use sessile_core::backend::Appended;
use sessile_core::fold::SessionState;
use sessile_core::{Commit, CommitId, Error, Position};

/// A change that somebody wants.
pub(crate) trait Mutation: Send + 'static {
    /// What the caller is told when it is done.
    type Answer: Send + 'static;

    /// Says what it takes on this state; asked again whenever the state has changed.
    ///
    /// # Errors
    /// Why the state does not allow it. The caller gets to see it only when the state was read
    /// anew before.
    fn decide(&self, state: &SessionState) -> Result<Decision<Self::Answer>, Error>;

    /// The answer when its commit was appended.
    fn appended(&self, appended: Appended) -> Self::Answer;
}

/// What a change takes.
#[derive(Debug)]
pub(crate) enum Decision<A> {
    /// To append this commit.
    Append(Commit),
    /// Nothing: it is done already, by what stands before a position.
    Stands(A, Position),
}

/// The answer for a commit id that is not known, where damage may hide the commit.
///
/// To take it for new could do a second time what stands in the damaged place.
pub(crate) fn hidden(state: &SessionState, id: &CommitId) -> Option<Error> {
    let place = *state.damage().first()?;
    let reason = format!("whether commit {id} was there can't be told");
    Some(Error::corrupt(place, reason))
}
