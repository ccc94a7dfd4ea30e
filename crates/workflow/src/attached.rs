//! What goes along with sessions in memory only.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sessile_core::{Payload, SessionId};

/// Instructions that are attached to sessions and never stored.
#[derive(Default)]
pub(crate) struct Attached(Mutex<BTreeMap<SessionId, Payload>>);

impl Attached {
    /// Attaches this, in place of what was attached before.
    pub(crate) fn attach(&self, id: &SessionId, instructions: Payload) {
        self.locked().insert(id.clone(), instructions);
    }

    /// What is attached.
    pub(crate) fn of(&self, id: &SessionId) -> Option<Payload> {
        self.locked().get(id).cloned()
    }

    /// Drops what is attached.
    pub(crate) fn drop_of(&self, id: &SessionId) {
        self.locked().remove(id);
    }

    /// Every change is one call, so a holder that panicked leaves it whole.
    fn locked(&self) -> MutexGuard<'_, BTreeMap<SessionId, Payload>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Attached {
    /// Tells how many there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attached({})", self.locked().len())
    }
}
