//! How often a backend asked the filesystem for what costs something.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::faults::Faults;

/// What a backend did to its files since it was opened; for tests and for whoever pays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Files opened, to read or to write; new ones left out.
    pub opens: u64,
    /// Calls that write bytes into a file.
    pub writes: u64,
    /// Bytes that they wrote, padding included.
    pub bytes_written: u64,
    /// Flushes of files.
    pub file_syncs: u64,
    /// Flushes of folders.
    pub folder_syncs: u64,
    /// Changes of names: files and folders made, linked, renamed, removed.
    pub name_changes: u64,
    /// Files cut.
    pub truncations: u64,
}

/// The running counts of one backend.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    opens: AtomicU64,
    writes: AtomicU64,
    bytes_written: AtomicU64,
    file_syncs: AtomicU64,
    folder_syncs: AtomicU64,
    name_changes: AtomicU64,
    truncations: AtomicU64,
    /// What a test wants to fail.
    pub(crate) faults: Faults,
}

impl Counters {
    pub(crate) fn opened(&self) {
        self.opens.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn wrote(&self, bytes: usize) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.bytes_written.fetch_add(u64::try_from(bytes).unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn synced_file(&self) {
        self.file_syncs.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn synced_folder(&self) {
        self.folder_syncs.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn changed_name(&self) {
        self.name_changes.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn truncated(&self) {
        self.truncations.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Counts {
        let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            opens: value(&self.opens),
            writes: value(&self.writes),
            bytes_written: value(&self.bytes_written),
            file_syncs: value(&self.file_syncs),
            folder_syncs: value(&self.folder_syncs),
            name_changes: value(&self.name_changes),
            truncations: value(&self.truncations),
        }
    }
}
