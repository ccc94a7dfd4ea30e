//! What a store is opened with.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::Limits;
use sessile_core::fold::{Extension, Extensions};

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
    /// on; 128.
    pub state_entries: u64,
    /// After how many bytes of payload it does; 64 KiB.
    pub state_bytes: u64,
    /// What is folded of each session beside what this program makes of it; nothing.
    pub folds: Extensions,
    /// How many sessions are hot at most, but at least 1: folded in memory since they were last
    /// changed; 100.
    pub hot_target: usize,
    /// About how many bytes of folded sessions are kept in memory, hot or not; 64 MiB.
    pub cache_target: usize,
    /// How long what operations were told may wait to be written; none: it is durable before it is
    /// told.
    pub write_behind: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            deadline: Duration::from_secs(30),
            state_entries: 128,
            state_bytes: 64 << 10,
            folds: Extensions::default(),
            hot_target: 100,
            cache_target: 64 << 20,
            write_behind: None,
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

    /// Folds something more of each session, in place of a fold of the same name.
    ///
    /// A session that others have written without it is read further back for it, once.
    #[must_use]
    pub fn fold(mut self, extension: Arc<dyn Extension>) -> Self {
        self.folds = self.folds.with(extension);
        self
    }

    /// Keeps so many sessions hot, and so many bytes of folded sessions in memory.
    ///
    /// It is room and nothing else: a session that is not kept is read from its end again when it is
    /// used, and what is told of it is the same.
    #[must_use]
    pub const fn residency(mut self, hot_target: usize, cache_target: usize) -> Self {
        self.hot_target = hot_target;
        self.cache_target = cache_target;
        self
    }

    /// Tells of [operations](crate::Operation) that are no barriers before they are durable, and
    /// writes them within a window of 20 ms, together.
    ///
    /// Until then they are in this process only: its [states](crate::Session::state) show them, and
    /// nobody else sees them. If others write first so that one is refused, that is
    /// [told](crate::Store::flush_through). Everything else is durable before it is told, as ever.
    #[must_use]
    pub const fn write_behind(self) -> Self {
        self.write_behind_within(Duration::from_millis(20))
    }

    /// The same with another window.
    #[must_use]
    pub const fn write_behind_within(mut self, window: Duration) -> Self {
        self.write_behind = Some(window);
        self
    }

    /// Gives calls more time, or less.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }
}
