//! The handle of a turn.

use std::fmt;
use std::sync::Arc;

use sessile_core::admission::BuiltOn;
use sessile_core::{Error, RequestId, Seq, Usage};

use super::holding::Holding;
use super::progress::{Progress, Teller};
use crate::admission::{Admit, ContextPolicy};
use crate::resident::Resident;
use crate::seat::Seat;

/// The work of one admitted request.
///
/// While it lasts nobody else adds messages to the session. What it [pushes](Self::push) is durable
/// and provisional: only [`commit`](Self::commit) makes it part of the transcript, together with the
/// outcome, in one commit that also frees the session.
///
/// A turn that is dropped keeps its claim: nothing frees the session but an outcome. Whoever knows
/// that its owner has stopped recovers it, and fences the owner by that.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// turn.push("what is it?").await?;
/// turn.push("a plum").await?;
/// // Provisional until the commit.
/// assert_eq!(session.info().messages, 0);
/// turn.commit("answered").await?;
/// assert_eq!(session.info().messages, 2);
/// # Ok(())
/// # }
/// ```
pub struct Turn {
    pub(super) holding: Holding,
    pub(super) built_on: BuiltOn,
    pub(super) usage: Usage,
    pub(super) policy: Option<ContextPolicy>,
    pub(super) system_forbidden: bool,
}

impl Turn {
    /// The turn of a claim that was just made.
    ///
    /// # Errors
    /// *fenced* where it was taken over already.
    pub(crate) fn begin(
        seat: &Arc<Seat>,
        resident: &Resident,
        admit: &Admit,
        claim: Seq,
    ) -> Result<Self, Error> {
        let holding = Holding {
            seat: Arc::clone(seat),
            request: admit.request().clone(),
            claim,
            teller: Teller::new(),
        };
        let (built_on, usage) = holding.look(resident, |active| {
            let checkpoint = active.checkpoint.as_ref().map(|last| last.number);
            (BuiltOn { messages: active.messages, checkpoint }, active.usage.clone())
        })?;
        let (policy, system_forbidden) = (admit.policy(), admit.system_is_forbidden());
        Ok(Self { holding, built_on, usage, policy, system_forbidden })
    }

    /// The request's id.
    pub const fn request(&self) -> &RequestId {
        &self.holding.request
    }

    /// The number of its claim: the fencing token.
    pub const fn claim(&self) -> Seq {
        self.holding.claim
    }

    /// What the request has used, as far as was recorded: the floor of what a recovery names.
    pub const fn usage(&self) -> &Usage {
        &self.usage
    }

    /// What happens in the turn from here on; its last event tells that the request ended.
    pub fn progress(&self) -> Progress {
        self.holding.teller.listen()
    }

    /// Reads the journal again, and takes over what an answer that was lost has done.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more; *unavailable*, *deadline*, *permission*.
    pub async fn refresh(&mut self) -> Result<(), Error> {
        let resident = self.holding.seat.admit().await?;
        resident.catch_up().await?;
        let (checkpoint, usage) = self.holding.look(&resident, |active| {
            (active.checkpoint.as_ref().map(|last| last.number), active.usage.clone())
        })?;
        self.built_on.checkpoint = checkpoint;
        self.usage = usage;
        Ok(())
    }
}

impl fmt::Debug for Turn {
    /// Tells ids and numbers only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("session", &self.holding.seat.key().id)
            .field("request", &self.holding.request)
            .field("claim", &self.holding.claim)
            .finish_non_exhaustive()
    }
}
