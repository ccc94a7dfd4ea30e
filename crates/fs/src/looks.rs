//! The looks at journals that a backend took last.
//!
//! Whoever opens a session asks where its journal ends, then for its last commits, and then for its
//! last messages: one look answers all of it, as long as the file bears it out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sessile_core::id::SessionKey;

use crate::look::Look;
use crate::root::Root;

/// How many are kept: each holds its file open, and what was read of it.
const KEPT: usize = 4;

/// The looks that were taken last, the youngest at the end.
#[derive(Debug, Default)]
pub(crate) struct Looks(Mutex<VecDeque<(SessionKey, Arc<Look>)>>);

impl Looks {
    /// The last look at a journal, if one now would find the same. It asks for what the system
    /// mostly has at hand, so that it may be asked anywhere.
    pub(crate) fn of(&self, root: &Root, key: &SessionKey) -> Option<Arc<Look>> {
        let look =
            self.lock().iter().find(|(of, _)| of == key).map(|(_, look)| Arc::clone(look))?;
        if look.still_holds(&root.journal_path(key)) {
            return Some(look);
        }
        self.let_go(&look);
        None
    }

    /// Lets go of a look, if it is kept.
    pub(crate) fn let_go(&self, look: &Arc<Look>) {
        self.lock().retain(|(_, kept)| !Arc::ptr_eq(kept, look));
    }

    /// Keeps a look, and lets go of the oldest; of one that found something wrong the next one may
    /// find more.
    pub(crate) fn keep(&self, key: &SessionKey, look: &Arc<Look>) {
        if !look.is_sound() {
            return;
        }
        let mut kept = self.lock();
        kept.retain(|(of, _)| of != key);
        while kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((key.clone(), Arc::clone(look)));
    }

    /// Lets go of all of them.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    /// What is kept is whole whoever panicked with it.
    fn lock(&self) -> MutexGuard<'_, VecDeque<(SessionKey, Arc<Look>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
