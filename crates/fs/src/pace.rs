//! How long appends take, by which it is decided on which thread they are made.
//!
//! On a fast disk a sync takes about as long as two threads take to wake each other, so that an
//! append whose caller's thread is [spare](sessile_core::backend::handover) is made there. On a slow
//! one the way does not matter, and a program's own threads are not to be blocked that long.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The longest that an append may be expected to take where it blocks its caller's thread.
const QUICK: Duration = Duration::from_micros(500);

/// What the appends of one store took lately.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The greatest of the last ones in nanoseconds, of which each later one takes a quarter off.
    nanos: AtomicU64,
}

impl Default for Pace {
    /// Nothing is expected to be quick before some were.
    fn default() -> Self {
        Self { nanos: AtomicU64::new(nanos(QUICK * 8)) }
    }
}

fn nanos(of: Duration) -> u64 {
    u64::try_from(of.as_nanos()).unwrap_or(u64::MAX)
}

impl Pace {
    /// Whether the next append is expected to be quick.
    pub(crate) fn is_quick(&self) -> bool {
        self.nanos.load(Ordering::Relaxed) < nanos(QUICK)
    }

    /// Makes an append, and takes the time that it takes.
    pub(crate) fn of<T>(&self, append: impl FnOnce() -> T) -> T {
        let since = Instant::now();
        let done = append();
        self.note(since.elapsed());
        done
    }

    /// Takes it that an append took so long.
    pub(crate) fn note(&self, took: Duration) {
        // One that comes between may be left out: the next ones tell the same.
        let before = self.nanos.load(Ordering::Relaxed);
        self.nanos.store(nanos(took).max(before - before / 4), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_append_counts_more_than_the_quick_ones_around_it() {
        let pace = Pace::default();
        let quick_ones = |count: usize| (0..count).for_each(|_| pace.note(QUICK / 10));
        assert!(!pace.is_quick(), "nothing is known yet");
        quick_ones(20);
        assert!(pace.is_quick());
        pace.note(QUICK * 20);
        assert!(!pace.is_quick());
        quick_ones(8);
        assert!(!pace.is_quick());
        quick_ones(20);
        assert!(pace.is_quick());
        for _ in 0..40 {
            pace.note(QUICK * 2);
            assert!(!pace.is_quick());
            quick_ones(1);
        }
        assert!(!pace.is_quick(), "every other one is slow");
    }
}
