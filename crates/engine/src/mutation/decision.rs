//! What a change takes on a given state, and what became of it.

use sessile_core::backend::Appended;
use sessile_core::fold::SessionState;
use sessile_core::{Commit, CommitId, Error, Position};

use crate::resident::Resident;

/// A change that somebody wants.
pub(crate) trait Mutation: Send + 'static {
    /// What the caller is told when it is done.
    type Answer: Send + 'static;

    /// Reads what it takes to decide and the state does not tell; asked before each decision.
    ///
    /// # Errors
    /// Those of reading, and why what stands in the journal does not allow it.
    fn prepare(&mut self, _: &Resident) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// Says what it takes on this state; asked again whenever the state has changed.
    ///
    /// # Errors
    /// Why the state does not allow it. The caller gets to see it only when the state was read
    /// anew before.
    fn decide(&self, state: &SessionState) -> Result<Decision<Self::Answer>, Error>;

    /// Does what is left to do once it stands in the journal; asked also when it stood there
    /// before, so that a repeat completes what was cut short.
    ///
    /// # Errors
    /// Those of the backend; what stands in the journal stays.
    fn finish(&self, _: &Resident) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }

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
