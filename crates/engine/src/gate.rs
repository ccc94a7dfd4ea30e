//! Lets mutations in until the store is closed, and closing wait for those that are in.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind};
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

/// Shared by every handle of a store.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Whether it is shut.
    shut: Arc<RwLock<bool>>,
    /// Held once more by each that is within.
    within: Arc<()>,
}

/// Held while a mutation runs.
#[derive(Debug)]
pub(crate) struct Pass {
    _held: OwnedRwLockReadGuard<bool>,
    _within: Arc<()>,
}

impl Gate {
    /// Lets a mutation in.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] once the store is closed.
    pub(crate) async fn enter(&self) -> Result<Pass, Error> {
        let held = Arc::clone(&self.shut).read_owned().await;
        if *held {
            return Err(
                Error::new(ErrorKind::Unavailable, "the store is closed").with_hint("open it anew")
            );
        }
        Ok(Pass { _held: held, _within: Arc::clone(&self.within) })
    }

    /// How many are within.
    pub(crate) fn within(&self) -> usize {
        Arc::strong_count(&self.within).saturating_sub(1)
    }

    /// Whether it is shut, or about to be.
    pub(crate) fn is_shut(&self) -> bool {
        self.shut.try_read().map_or(true, |shut| *shut)
    }

    /// Waits for every mutation that is in, and lets no other in.
    pub(crate) async fn shut(&self) {
        *self.shut.write().await = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn shutting_waits_for_those_within_and_refuses_the_next() {
        let gate = Arc::new(Gate::default());
        let pass = gate.enter().await.unwrap();
        let shutting = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.shut().await }
        });
        tokio::task::yield_now().await;
        assert!(!shutting.is_finished());
        assert_eq!((gate.within(), gate.is_shut()), (1, true));
        drop(pass);
        shutting.await.unwrap();
        assert_eq!((gate.within(), gate.is_shut()), (0, true));
        let error = gate.enter().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(!error.may_retry());
    }
}
