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
    /// After how many entries the next commit carries the folded state, from which opening goes
    /// on; 512.
    pub state_entries: u64,
    /// After how many bytes of payload it does; 1 MiB.
    pub state_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            deadline: Duration::from_secs(30),
            state_entries: 512,
            state_bytes: 1 << 20,
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

    /// Keeps the folded state in the journal after so many entries or bytes of payload, whichever
    /// are there first: opening reads about that much, whatever the session's length.
    #[must_use]
    pub const fn state_every(mut self, entries: u64, bytes: u64) -> Self {
        self.state_entries = entries;
        self.state_bytes = bytes;
        self
    }

    /// Gives calls more time, or less.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }
}
