//! What this process knows of bindings, which stands before what is stored.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sessile_interchange::binding::Binding;

/// What is known of a context.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// It was bound here.
    Bound(Binding),
    /// It was forgotten here, and may still be stored.
    Forgotten,
}

/// What is known of each context.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<HashMap<String, Known>>);

impl Remembered {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a context, if anything is.
    pub(crate) fn of(&self, context: &str) -> Option<Known> {
        self.all().get(context).cloned()
    }

    /// Knows this of a context from here on.
    pub(crate) fn set(&self, context: &str, known: Known) {
        self.all().insert(context.to_owned(), known);
    }

    /// Knows nothing of a context any more: what is stored holds.
    pub(crate) fn clear(&self, context: &str) {
        self.all().remove(context);
    }
}
