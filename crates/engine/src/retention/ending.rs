//! Deleting a session for a reason.

use std::sync::Arc;

use sessile_core::backend::Appended;
use sessile_core::entry::shape::Delete;
use sessile_core::fold::{Lifecycle, SessionState};
use sessile_core::{Commit, EntryType, Error, NewEntry, Payload, Position};

use crate::decision::Decision;
use crate::mutation::{self, Mutation};
use crate::resident::Resident;

/// Deletes a session, wherever its journal ends, or only where nobody added to it since a position.
/// One that is deleted already is answered as done.
///
/// # Errors
/// *conflict* where somebody did; those of deleting.
pub(super) async fn delete(
    resident: &Arc<Resident>,
    at: Option<Position>,
    reason: &str,
) -> Result<(), Error> {
    let opened = resident.opened();
    let data = Payload::of(&Delete { reason: Some(reason.into()) })?;
    let entry = NewEntry::new(opened.now(), EntryType::Delete, data);
    let tombstone = Commit::new(opened.commit_id()?, opened.token(), vec![entry], opened.limits())?;
    mutation::carry_out(resident, Ending { at, tombstone }).await
}

/// A deletion that was decided on a state.
#[derive(Debug)]
struct Ending {
    at: Option<Position>,
    tombstone: Commit,
}

impl Mutation for Ending {
    type Answer = ();

    fn decide(&self, state: &SessionState) -> Result<Decision<()>, Error> {
        if state.lifecycle() == Lifecycle::Deleted {
            return Ok(Decision::Stands((), state.position()));
        }
        if let Some(at) = self.at.filter(|at| !state.holds(*at)) {
            return Err(Error::conflict(at, state.position()));
        }
        state.accepts(&EntryType::Delete)?;
        Ok(Decision::Append(self.tombstone.clone()))
    }

    fn appended(&self, _: Appended) {}
}
