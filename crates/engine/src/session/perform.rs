//! What others decide on, and the state that they decide on.

use sessile_core::Error;
use sessile_core::fold::SessionState;

use super::handle::Session;
use crate::lagging;
use crate::mutation;
use crate::perform::{Operation, Perform, Performed};

impl Session {
    /// Does what an operation decides on the newest state, as one commit where that state ends.
    ///
    /// A store that [writes behind](crate::Options::write_behind) answers one that is no barrier
    /// before it is written, and says by which [generation](Performed::waits) it is known.
    ///
    /// It needs no expected position: the operation itself looks at what it rests on. One that is to
    /// be safe to repeat after a lost answer names a [commit id](Operation::commit_id), or finds in
    /// the state what it did the first time.
    ///
    /// # Errors
    /// Those of the operation; *closed*, *deleted*, *busy* where the session does not take what it
    /// appends; *refused* above a limit; *corrupt* when damage may hide a commit of its id or lies
    /// before a tail that can't be read; *unavailable*, *deadline*, *permission*. Where the store
    /// writes behind, a barrier that could not be written has an unknown outcome, for it still
    /// waits, and one that others came before is *superseded*.
    pub async fn perform<O: Operation>(
        &self,
        operation: O,
    ) -> Result<Performed<O::Answer>, O::Refusal> {
        let Some(behind) = self.seat().residency().behind() else {
            let perform = Perform::new(self.opened(), operation)?;
            return mutation::carry_out(&*self.admit_change().await?, perform).await?;
        };
        if let Some(resident) = behind.resident(self.key()) {
            return behind.perform(&resident, operation).await;
        }
        behind.perform(&*self.seat().admit().await?, operation).await
    }

    /// Reads what others have added, and tells all that was folded of the session, for the
    /// [extensions](crate::Options::fold) of the store too: a copy, which nothing changes any more.
    /// What waits to be written here counts as added after all that.
    ///
    /// # Errors
    /// *missing* when the session is gone; *unavailable*, *deadline*, *permission*.
    pub async fn state(&self) -> Result<SessionState, Error> {
        if let Some(behind) = self.seat().residency().behind()
            && let Some(resident) = behind.resident(self.key())
        {
            resident.catch_up().await?;
            lagging::make_up(&resident).await?;
            if let Some(ahead) = behind.state(self.key()) {
                return Ok(ahead);
            }
        }
        let resident = self.at_hand().await?;
        if !resident.is_fresh() {
            resident.catch_up().await?;
        }
        lagging::make_up(&resident).await?;
        let state = resident.folded().state().clone();
        Ok(state)
    }
}
