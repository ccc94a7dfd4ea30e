//! What bindings consist of.

use std::sync::Arc;

use sessile_engine::Options;
use sessile_interchange::binding::Unreadable;
use tokio::sync::Mutex;

use crate::kept::Kept;
use crate::remembered::Remembered;

/// Where bindings are kept, and what is known of them here.
#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) kept: Kept,
    pub(super) remembered: Arc<Remembered>,
    /// Held while one is changed.
    pub(super) changes: Arc<Mutex<()>>,
    pub(super) unreadable: Unreadable,
    pub(super) options: Options,
}

impl Map {
    pub(super) fn kept(kept: Kept, options: Options) -> Self {
        let unreadable = Unreadable::Refuse;
        Self { kept, remembered: Arc::default(), changes: Arc::default(), unreadable, options }
    }
}
