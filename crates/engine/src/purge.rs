//! Removing what a deleted session held.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::{Error, SessionKey};

use crate::delivery;
use crate::opened::Opened;

/// Removes a deleted session but for its tombstone, whatever becomes of the caller.
///
/// # Errors
/// *missing*, *conflict* when it is not deleted, *unsupported*, and those of the backend.
pub(crate) async fn purge(opened: &Arc<Opened>, key: &SessionKey) -> Result<(), Error> {
    let purging = async {
        opened.requires(Capability::Purge)?;
        let (opened, key) = (Arc::clone(opened), key.clone());
        let patience = opened.deadline().into();
        Arc::clone(&opened)
            .carry(async move {
                // Purging twice is purging once, so that a lost answer is asked for again.
                let purge = || opened.backend().purge(&key);
                delivery::repeat(&opened, &patience, purge).await
            })
            .await
    };
    purging.await.map_err(|error| error.about(key))
}
