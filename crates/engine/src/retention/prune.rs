//! Pruning: what is old is deleted.

use std::sync::Arc;

use sessile_core::{Error, SessionKey, Space};

use super::ending;
use super::policy::Retention;
use super::seen::{self, Reach};
use super::survey::{self, Candidate, Survey};
use super::verdict::{KeptBack, Pruned, Verdict};
use crate::opened::Opened;

/// Why the tombstones say that their sessions were deleted.
const REASON: &str = "retention";

/// Judges every session of a space, and deletes those that are not to be kept unless it is a
/// rehearsal.
pub(crate) async fn prune(
    opened: &Arc<Opened>,
    space: &Space,
    retention: &Retention,
    dry_run: bool,
) -> Result<Pruned, Error> {
    let rules = retention.check(opened.now())?;
    let Survey { mut judged, to_remove } = survey::survey(opened, space, &rules).await?;
    if dry_run {
        return Ok(Pruned { sessions: judged });
    }
    let mut reach = Reach::default();
    let mut is_lost = false;
    for (index, candidate) in to_remove {
        let verdict = if is_lost {
            Verdict::Kept(KeptBack::NotTried)
        } else {
            match remove(opened, space, &candidate).await {
                Ok(()) => {
                    reach.answered();
                    Verdict::Removed
                }
                Err(error) if survey::is_changed(&error) => Verdict::Kept(KeptBack::Changed),
                Err(error) => {
                    is_lost = reach.is_lost_by(&error);
                    Verdict::Kept(KeptBack::Failed(error))
                }
            }
        };
        if let Some(judged) = judged.get_mut(index) {
            judged.verdict = verdict;
        }
    }
    Ok(Pruned { sessions: judged })
}

/// Deletes a session where nobody added to it since it was judged.
async fn remove(opened: &Arc<Opened>, space: &Space, candidate: &Candidate) -> Result<(), Error> {
    let key = SessionKey { space: space.clone(), id: candidate.recency.id.clone() };
    match seen::living(opened, key).await? {
        Some(resident) => ending::delete(&resident, Some(candidate.position), REASON).await,
        // Somebody else has deleted it.
        None => Ok(()),
    }
}
