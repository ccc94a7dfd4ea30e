//! Lets mutations in until the store is closed, and closing wait for those that are in.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind};
use tokio::sync::{OwnedRwLockReadGuard, RwLock};
use tokio::task::yield_now;

/// Shared by every handle of a store.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Whether it is shut.
    shut: Arc<RwLock<bool>>,
    /// Held once more by each that is within.
    within: Arc<()>,
    /// Held once more by each call on its way in, or waiting for what is within.
    calls: Arc<()>,
}

/// Held by a call from before it enters until it has its answer.
#[derive(Debug)]
pub(crate) struct Approach(Arc<()>);

impl Approach {
    /// Whether there is no other call.
    fn is_only(&self) -> bool {
        // The gate holds one too.
        Arc::strong_count(&self.0) == 2
    }
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

    /// Announces a call, and lets those that are about to be made at the same time announce
    /// themselves.
    ///
    /// Many futures that one task drives are called one after the other, each until it has to wait:
    /// the first would not see the rest if it did not.
    pub(crate) async fn approach(&self) -> Approach {
        let approach = Approach(Arc::clone(&self.calls));
        if approach.is_only() {
            yield_now().await;
        }
        approach
    }

    /// Whether one is within, has been called by whoever still waits for it, and no other is called.
    pub(crate) fn is_for_one(&self) -> bool {
        self.within() == 1 && Arc::strong_count(&self.calls) == 2
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
    use futures_util::future::join_all;

    #[tokio::test]
    async fn calls_that_one_task_makes_together_see_one_another() {
        let gate = Gate::default();
        let call = async || {
            let _approach = gate.approach().await;
            let _pass = gate.enter().await.unwrap();
            let is_for_one = gate.is_for_one();
            // It takes a while.
            yield_now().await;
            is_for_one
        };
        assert!(call().await);
        assert!(call().await, "the one before is over");
        assert_eq!(join_all([call(), call(), call()]).await, [false; 3], "others come too");
        let kept = gate.approach().await;
        assert!(!call().await);
        drop(kept);
        assert!(call().await);
    }

    #[tokio::test]
    async fn shutting_waits_for_those_within_and_refuses_the_next() {
        let gate = Arc::new(Gate::default());
        let pass = gate.enter().await.unwrap();
        let shutting = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.shut().await }
        });
        yield_now().await;
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
