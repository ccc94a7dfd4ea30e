//! How many requests a backend made: they are what a place costs.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many requests were made, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Objects read, whole or in part, found or not.
    pub gets: u64,
    /// Objects written, or asked to be.
    pub puts: u64,
    /// Lists begun; each has a request for every thousand names.
    pub lists: u64,
    /// Objects deleted.
    pub deletes: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) gets: AtomicU64,
    pub(crate) puts: AtomicU64,
    pub(crate) lists: AtomicU64,
    pub(crate) deletes: AtomicU64,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            gets: read(&self.gets),
            puts: read(&self.puts),
            lists: read(&self.lists),
            deletes: read(&self.deletes),
        }
    }
}
