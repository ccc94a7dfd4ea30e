//! Going through the sessions of a space, deleted and damaged ones included.

use std::sync::Arc;

use sessile_core::backend::{self, Recent, Scope};
use sessile_core::fold::Lifecycle;
use sessile_core::{Error, ErrorKind, SessionKey, Space};

use crate::listing::Walk;
use crate::opened::Opened;
use crate::resident::Resident;

/// How many answers in a row may fail to come before the place counts as out of reach.
const MOST_FAILURES: u32 = 3;

/// A session as the backend lists it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) key: SessionKey,
    /// What the backend saw of it, or why it can't be read.
    pub(super) seen: Result<backend::Seen, Error>,
}

/// Goes through a space.
pub(super) struct Course<'a> {
    space: &'a Space,
    walk: Walk<'a>,
}

impl<'a> Course<'a> {
    pub(super) fn new(opened: &'a Opened, space: &'a Space, scope: Scope) -> Self {
        Self { space, walk: Walk::new(opened, (space, scope), None) }
    }

    /// The next session.
    ///
    /// # Errors
    /// Those of listing: what is not listed is not taken for gone.
    pub(super) async fn next(&mut self) -> Result<Option<Seen>, Error> {
        let Some(Recent { recency, seen }) = self.walk.next().await? else {
            return Ok(None);
        };
        let key = SessionKey { space: self.space.clone(), id: recency.id };
        Ok(Some(Seen { key, seen }))
    }
}

/// Opens a session that is not deleted; none for one that is by then.
///
/// # Errors
/// Those of reading it.
pub(super) async fn living(
    opened: &Arc<Opened>,
    key: SessionKey,
) -> Result<Option<Arc<Resident>>, Error> {
    match Resident::load(Arc::clone(opened), key).await {
        Ok(resident) => {
            let is_deleted = resident.folded().state().lifecycle() == Lifecycle::Deleted;
            Ok((!is_deleted).then(|| Arc::new(resident)))
        }
        Err(error) if matches!(error.kind(), ErrorKind::Missing | ErrorKind::Deleted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Tells a place that is out of reach from single sessions that are.
#[derive(Debug, Default)]
pub(super) struct Reach {
    failed: u32,
}

impl Reach {
    /// Notes that something failed; answers whether the place counts as out of reach by that.
    pub(super) fn is_lost_by(&mut self, error: &Error) -> bool {
        if matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Deadline) {
            self.failed += 1;
        } else {
            self.failed = 0;
        }
        self.failed >= MOST_FAILURES
    }

    /// Notes that the place has answered.
    pub(super) const fn answered(&mut self) {
        self.failed = 0;
    }
}
