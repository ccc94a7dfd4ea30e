//! What becomes of a request whose owner has stopped, where nobody goes on with it.

use sessile_core::admission::{self, End, Hand, Held, Request};
use sessile_core::entry::shape::OutcomeStatus;
use sessile_core::fold::{Active, SessionState};
use sessile_core::{Error, ErrorKind, Text};

use super::admit::{rule, still_active};
use super::handle::Session;
use crate::admission::{Came, Done, unasked};
use crate::recall;

impl Session {
    /// Fences the owner of a request that has stopped, so that the same request may be
    /// [sent again](Self::admit) by whoever has it. Answers the request as it stands then.
    ///
    /// # Errors
    /// *mismatch* when another request is active, *conflict* when another claim stands; *missing*
    /// and *invalid admission* when nothing is active; *closed*, *deleted*, *unavailable*,
    /// *deadline*, *permission*.
    pub async fn release(&self, active: &Active, by: Option<Text>) -> Result<Active, Error> {
        let (request, claim) = (active.request.clone(), active.claim);
        let ask = move |state: &SessionState| {
            let held = Held { request: &request, claim };
            admission::decide(state, &Request::Release { held, holder: by.as_ref() })
        };
        let resident = self.admit_change().await?;
        match rule(&resident, Some(&active.request), ask).await? {
            Came::Appended { .. } | Came::Stood(_) => still_active(&resident, &active.request),
            Came::Ended(ended) => {
                let clause = format!("request {} ended before", ended.request);
                Err(Error::new(ErrorKind::InvalidAdmission, clause)
                    .with_hint("a request that ended is answered when it is sent again"))
            }
            _ => Err(unasked()),
        }
    }

    /// Calls off a request whose owner has stopped, and frees the session.
    ///
    /// # Errors
    /// Those of [`abandon`](Self::abandon).
    pub async fn cancel(
        &self,
        active: &Active,
        reason: impl Into<Text> + Send,
        by: Option<Text>,
    ) -> Result<Done, Error> {
        self.end_other(active, OutcomeStatus::Cancelled, reason.into(), by).await
    }

    /// Gives up a request whose owner has stopped, and frees the session. What its turn has pushed
    /// stays as evidence, outside the transcript; side effects that were intended stay unknown.
    ///
    /// # Errors
    /// *mismatch* when another request is active, *conflict* when another claim stands; *missing*
    /// and *invalid admission* when nothing is active; *deleted*, *unavailable*, *deadline*,
    /// *permission*.
    pub async fn abandon(
        &self,
        active: &Active,
        reason: impl Into<Text> + Send,
        by: Option<Text>,
    ) -> Result<Done, Error> {
        self.end_other(active, OutcomeStatus::Abandoned, reason.into(), by).await
    }

    async fn end_other(
        &self,
        active: &Active,
        status: OutcomeStatus,
        reason: Text,
        by: Option<Text>,
    ) -> Result<Done, Error> {
        let (request, claim) = (active.request.clone(), active.claim);
        let end = End { reason: Some(reason), may_retry: true, ..End::new(status) };
        let ask = move |state: &SessionState| {
            let held = Held { request: &request, claim };
            let hand = Hand::Other { holder: by.as_ref() };
            admission::decide(state, &Request::End { held, hand, end: &end })
        };
        let resident = self.admit_change().await?;
        match rule(&resident, Some(&active.request), ask).await? {
            Came::Ended(ended) => Done::read(&resident, ended, true).await,
            Came::Appended { .. } => {
                let ended = recall::recall_request(&resident, &active.request).await?;
                Done::read(&resident, ended.ok_or_else(unasked)?, false).await
            }
            _ => Err(unasked()),
        }
    }
}
