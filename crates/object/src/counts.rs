//! How many requests a backend made: they are what a place costs.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many requests were made, by kind.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use object_store::{ObjectStore, memory::InMemory, path::Path};
/// # use sessile_engine::{NewSession, Store};
/// use sessile_object::{Counts, ObjectBackend, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
/// # let (reads, writes) = (Arc::clone(&place), place);
/// # let mut options = Options::default();
/// # options.catalog_lag = std::time::Duration::from_hours(1);
/// let backend = ObjectBackend::on(reads, writes, &Path::from("agents"), options);
/// let store = Store::on(Arc::new(backend.clone()));
/// let session = store.create_as("ses_42", NewSession::new()).await?;
///
/// let before: Counts = backend.counts();
/// session.append(["hi"]).await?;
/// let after = backend.counts();
/// // An append writes one object, and asks for nothing.
/// assert_eq!((after.puts - before.puts, after.gets - before.gets), (1, 0));
/// assert_eq!(after.lists, before.lists);
/// # Ok(())
/// # }
/// ```
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
