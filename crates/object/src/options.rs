//! How a place is used.

use std::time::Duration;

/// How a place in object storage is used.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// use std::time::Duration;
///
/// # use object_store::{ObjectStore, memory::InMemory, path::Path};
/// use sessile_core::ErrorKind;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_object::{ObjectBackend, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
/// # let (reads, writes) = (Arc::clone(&place), place);
/// // Writers here never stall for longer than an hour.
/// let mut options = Options::default();
/// options.purge_after = Duration::from_hours(1);
/// let backend = ObjectBackend::on(reads, writes, &Path::from("agents"), options);
/// let store = Store::on(Arc::new(backend));
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.delete().await?;
/// // One that stalls now must still meet what it was overtaken by.
/// let error = session.purge().await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unavailable);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// For how long a write whose outcome is ambiguous is sent again before its outcome is
    /// *unknown*. Default 30 s.
    pub deadline: Duration,
    /// How long a request may take whatever its size; each MiB that it carries adds a second.
    /// Default 30 s.
    pub request_timeout: Duration,
    /// How long after its deletion a session may be purged, by the place's own times: a writer
    /// that was stalled for less must still meet what it was overtaken by. All who use a place
    /// should have the same. Default 24 h.
    pub purge_after: Duration,
    /// How old a handle's last look at a journal may be when an append is acknowledged; beyond
    /// that it looks again before it answers. No more than half of `purge_after` counts: a purge
    /// must not overtake a look that is still believed. Default 10 min.
    pub look_age: Duration,
    /// How long after a commit the catalog may still tell the time of an earlier one. Default 5 s.
    pub catalog_lag: Duration,
    /// After how many objects of a journal they are merged into a range; 0 for never. Default 8.
    pub merge_every: u64,
    /// Whether entity tags are sent without their quotes in conditions, as servers want it that
    /// compare them as text. Default `false`.
    pub unquoted_tags: bool,
    /// Purges at once, and believes looks for as long as `look_age` says all the same: for tests
    /// that know of no writer that is left. Default `false`.
    #[doc(hidden)]
    pub purges_at_once: bool,
}

impl Options {
    /// How long after its deletion a session is purged at the earliest.
    pub(crate) fn waits_to_purge(&self) -> Duration {
        if self.purges_at_once { Duration::ZERO } else { self.purge_after }
    }

    /// How old a look may be that is still believed.
    pub(crate) fn believes_looks_for(&self) -> Duration {
        if self.purges_at_once { self.look_age } else { self.look_age.min(self.purge_after / 2) }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            request_timeout: Duration::from_secs(30),
            purge_after: Duration::from_hours(24),
            look_age: Duration::from_mins(10),
            catalog_lag: Duration::from_secs(5),
            merge_every: 8,
            unquoted_tags: false,
            purges_at_once: false,
        }
    }
}
