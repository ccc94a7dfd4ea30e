//! A claim that is held: what acts under it, and how the rules are asked.

use std::sync::Arc;

use sessile_core::admission::{Decision as Ruling, Held};
use sessile_core::fold::{Active, SessionState};
use sessile_core::{Error, RequestId, Seq};

use super::progress::Teller;
use crate::admission::{Came, Ruled, unasked};
use crate::mutation;
use crate::resident::Resident;
use crate::seat::Seat;

/// A claim on a session, as its holder has it.
#[derive(Clone, Debug)]
pub(super) struct Holding {
    pub(super) seat: Arc<Seat>,
    pub(super) request: RequestId,
    pub(super) claim: Seq,
    pub(super) teller: Teller,
}

impl Holding {
    /// Asks the rules what something takes under the claim, and does it.
    ///
    /// # Errors
    /// Those of the rules; those of the backend.
    pub(super) async fn rule<F>(&self, ask: F) -> Result<Came, Error>
    where
        F: Fn(&SessionState, Held<'_>) -> Result<Ruling, Error> + Send + Sync + 'static,
    {
        let (request, claim) = (self.request.clone(), self.claim);
        let asked = move |state: &SessionState| ask(state, Held { request: &request, claim });
        let request = Some(self.request.clone());
        let ruled = Ruled::new(self.seat.opened(), request, asked)?;
        mutation::carry_out(&*self.seat.admit().await?, ruled).await
    }

    /// Looks at the request as it was when the journal was last read.
    ///
    /// # Errors
    /// *fenced* where the claim did not stand then.
    pub(super) fn look<T>(
        &self,
        resident: &Resident,
        look: impl FnOnce(&Active) -> T,
    ) -> Result<T, Error> {
        let folded = resident.folded();
        let active = folded.state().admission().active();
        let held = active.filter(|it| it.claim == self.claim && it.request == self.request);
        let fenced = || Error::fenced(self.claim).about(self.seat.key());
        held.map(look).ok_or_else(fenced)
    }

    /// What is answered where the rules came to something that was not asked.
    pub(super) fn unexpected(&self) -> Error {
        unasked().about(self.seat.key())
    }
}
