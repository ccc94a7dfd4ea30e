//! How often a backend asked the filesystem for what costs something.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::faults::Faults;

/// What a backend did to its files since it was opened; for tests and for whoever pays.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_fs::{Counts, FsBackend, Options};
/// #
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let folder = tempfile::tempdir().expect("a folder");
/// let backend = Arc::new(FsBackend::open(folder.path(), Options::default()).await?);
/// let store = Store::on(Arc::clone(&backend) as Arc<dyn sessile_core::Backend>);
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
///
/// let before: Counts = backend.counts();
/// session.append(["more"]).await?;
/// let after = backend.counts();
/// // An append is one write and one flush.
/// assert_eq!((after.writes - before.writes, after.file_syncs - before.file_syncs), (1, 1));
/// assert_eq!(after.name_changes, before.name_changes);
/// # Ok(())
/// # }
/// ```
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
