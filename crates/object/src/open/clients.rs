//! The two clients of a place.

use std::sync::Arc;

use object_store::ObjectStore;

/// The two clients of a place.
#[derive(Debug)]
pub(super) struct Clients {
    /// Asks again what fails.
    pub(super) reads: Arc<dyn ObjectStore>,
    /// Sends once.
    pub(super) writes: Arc<dyn ObjectStore>,
}
