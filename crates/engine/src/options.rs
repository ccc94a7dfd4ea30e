//! What a store is opened with.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::Limits;

use crate::clock::{Clock, SystemClock};
use crate::entropy::{Entropy, SystemEntropy};

/// The options of a store; each has a default.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use sessile_engine::Options;
///
/// let options = Options::default().deadline(Duration::from_secs(5));
/// assert_eq!(options.limits.entry_bytes, 16 << 20);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The bounds on what the store takes.
    pub limits: Limits,
    /// Where the times of entries come from; the clock of the machine.
    pub clock: Arc<dyn Clock>,
    /// Where tokens, salts and minted ids come from; the operating system.
    pub entropy: Arc<dyn Entropy>,
    /// How long a call may take before it is answered with *deadline*; 30 s.
    ///
    /// A mutation goes on trying until then: after a conflict that it may decide anew, and after
    /// an answer that was lost. A read that streams has this long for each piece.
    pub deadline: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            deadline: Duration::from_secs(30),
        }
    }
}

impl Options {
    /// Bounds what the store takes.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes times from another clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Takes randomness from another source.
    #[must_use]
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = entropy;
        self
    }

    /// Gives calls more time, or less.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }
}
