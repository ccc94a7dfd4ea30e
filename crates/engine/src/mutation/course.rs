//! The course of a mutation, from its turn to its answer.

use std::sync::Arc;

use sessile_core::fold::Recorded;
use sessile_core::{CommitId, Error};

use super::attempt::Attempt;
use super::change::Mutation;
use crate::decision::Decision;
use crate::resident::Resident;

/// Carries a change through in its turn, also when the caller does not wait for it.
///
/// # Errors
/// Those of the decision and of the backend; *deadline* when the turn did not come in time.
pub(crate) async fn carry_out<M: Mutation>(
    resident: &Arc<Resident>,
    mutation: M,
) -> Result<M::Answer, Error> {
    let course = async {
        // Before the turn, in which nobody may be kept waiting.
        let _approach = resident.opened().gate().approach().await;
        let mut attempt = Attempt::begin(resident).await?;
        let running = async move {
            attempt.settle().await?;
            attempt.run(mutation).await
        };
        resident.opened().carry(running).await
    };
    course.await.map_err(|error| error.about(resident.key()))
}

/// Finds out whether a commit is in the journal; if it is not, it never will be.
///
/// # Errors
/// Those of the backend; *corrupt* where damage may hide the commit.
pub(crate) async fn resolve(
    resident: &Arc<Resident>,
    id: CommitId,
) -> Result<Option<Recorded>, Error> {
    let course = async {
        let mut attempt = Attempt::begin(resident).await?;
        let running = async move { attempt.resolve(&id).await };
        resident.opened().carry(running).await
    };
    course.await.map_err(|error| error.about(resident.key()))
}

/// Has a torn tail set aside; answers whether there was one.
///
/// # Errors
/// Those of the backend.
pub(crate) async fn repair(resident: &Arc<Resident>) -> Result<bool, Error> {
    let course = async {
        let mut attempt = Attempt::begin(resident).await?;
        let running = async move { attempt.repair().await };
        resident.opened().carry(running).await
    };
    course.await.map_err(|error| error.about(resident.key()))
}

impl Attempt {
    /// Decides on the state and does what it takes, until it is done or refused.
    async fn run<M: Mutation>(&mut self, mut mutation: M) -> Result<M::Answer, Error> {
        let mut fresh = false;
        loop {
            self.deadline().bound(mutation.prepare(self.resident())).await.flatten()?;
            let (at, active, decided) =
                self.on_state(|state| (state.tip(), state.updated_at(), mutation.decide(state)));
            match decided {
                // What refuses it may be gone by now, and so may what made it done already.
                Err(_) | Ok(Decision::Stands(..) | Decision::Refuse(_)) if !fresh => {
                    self.catch_up().await?;
                }
                Err(error) => return Err(error),
                Ok(Decision::Refuse(answer)) => return Ok(answer),
                Ok(Decision::Stands(answer, position)) => {
                    if self.is_durable(position).await? {
                        mutation.finish(self.resident()).await?;
                        return Ok(answer);
                    }
                }
                Ok(Decision::Recall(sought)) => match self.recall(&sought).await {
                    Ok(()) => continue,
                    // What is not where it was read may have been purged since then.
                    Err(_) if !fresh => self.catch_up().await?,
                    Err(error) => return Err(error),
                },
                Ok(Decision::Again) => {}
                Ok(Decision::Append(commit)) => {
                    // A token belongs to one attempt at one place.
                    let commit = commit.with_token(self.resident().opened().token());
                    let commit = self.with_state(at, commit.not_before(active)).await?;
                    if let Some(appended) = self.append(at, &commit).await? {
                        mutation.finish(self.resident()).await?;
                        return Ok(mutation.appended(appended));
                    }
                }
                Ok(Decision::Plan(id, plan)) => {
                    let commit = self.planned(at, &id, &plan).await?.not_before(active);
                    if let Some(appended) = self.append(at, &commit).await? {
                        mutation.finish(self.resident()).await?;
                        return Ok(mutation.appended(appended));
                    }
                }
            }
            fresh = true;
        }
    }
}
