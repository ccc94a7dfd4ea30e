//! A clock that is set by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sessile_core::UnixMillis;
use sessile_engine::{Clock, Options};

/// A clock that stands where it was set.
#[derive(Debug, Default)]
pub(crate) struct Hands(AtomicU64);

impl Hands {
    /// A clock that was set.
    pub(crate) const fn at(millis: u64) -> Self {
        Self(AtomicU64::new(millis))
    }

    /// Options with a clock, and the clock.
    pub(crate) fn with_options() -> (Arc<Self>, Options) {
        let hands = Arc::new(Self::default());
        let clock: Arc<Self> = Arc::clone(&hands);
        (hands, Options::default().clock(clock))
    }

    /// Sets the clock.
    pub(crate) fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }
}

impl Clock for Hands {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::Relaxed))
    }
}
