//! A bucket in memory that takes its time and counts what it is asked for.
//!
//! The time is that of a paused runtime: it passes only while everybody waits, so that what has
//! passed, divided by a request's time, is the number of requests that had to wait for another.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _};
use sessile::object::object_store::memory::InMemory;
use sessile::object::object_store::path::Path;
use sessile::object::object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// Requests by what they are billed as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    pub(crate) puts: u64,
    /// Those of them that add to a journal.
    pub(crate) commits: u64,
    pub(crate) gets: u64,
    pub(crate) lists: u64,
    pub(crate) deletes: u64,
}

#[derive(Debug, Default)]
struct Counters {
    puts: AtomicU64,
    commits: AtomicU64,
    gets: AtomicU64,
    lists: AtomicU64,
    deletes: AtomicU64,
}

/// The bucket; clones are the same one.
#[derive(Clone, Debug)]
pub(crate) struct Delayed {
    inner: Arc<InMemory>,
    delay: Duration,
    counters: Arc<Counters>,
}

impl Delayed {
    pub(crate) fn new(delay: Duration) -> Self {
        Self { inner: Arc::new(InMemory::new()), delay, counters: Arc::default() }
    }

    pub(crate) fn requests(&self) -> Requests {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Requests {
            puts: read(&self.counters.puts),
            commits: read(&self.counters.commits),
            gets: read(&self.counters.gets),
            lists: read(&self.counters.lists),
            deletes: read(&self.counters.deletes),
        }
    }

    async fn ask(&self, counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(self.delay).await;
    }
}

impl fmt::Display for Delayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {:?}", self.inner, self.delay)
    }
}

#[async_trait]
impl ObjectStore for Delayed {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let adds = location.parts().any(|part| part.as_ref() == "log");
        self.counters.commits.fetch_add(u64::from(adds), Ordering::Relaxed);
        self.ask(&self.counters.puts).await;
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.ask(&self.counters.puts).await;
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.ask(&self.counters.gets).await;
        self.inner.get_opts(location, options).await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.ask(&self.counters.gets).await;
        self.inner.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let own = self.clone();
        let locations = locations.then(move |location| {
            let own = own.clone();
            async move {
                own.ask(&own.counters.deletes).await;
                location
            }
        });
        self.inner.delete_stream(locations.boxed())
    }

    /// A list is answered a thousand at a time; each answer is a request.
    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.paged(self.inner.list(prefix))
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.paged(self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.ask(&self.counters.lists).await;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.ask(&self.counters.puts).await;
        self.inner.copy_opts(from, to, options).await
    }
}

impl Delayed {
    fn paged(
        &self,
        found: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let own = self.clone();
        let first = futures_util::stream::once({
            let own = own.clone();
            async move { own.ask(&own.counters.lists).await }
        });
        let found = found.enumerate().then(move |(index, item)| {
            let own = own.clone();
            async move {
                if index > 0 && index % 1_000 == 0 {
                    own.ask(&own.counters.lists).await;
                }
                item
            }
        });
        // The listing is a snapshot of the moment it was asked for; nobody writes meanwhile.
        first.filter_map(|()| async { None }).chain(found).boxed()
    }
}
