//! A change that somebody wants, from its preparation to its answer.

use sessile_core::Error;
use sessile_core::backend::Appended;
use sessile_core::fold::SessionState;

use crate::decision::Decision;
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
