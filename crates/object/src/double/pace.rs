//! What requests cost at a place: each is counted, and takes a while.

use std::mem;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use object_store::path::Path;
use object_store::{ObjectMeta, Result};
use tokio::sync::Semaphore;

/// How many names a request of a list gives.
const PAGE: u64 = 1_000;

/// The requests that were made, and how long each takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace(Arc<Requests>);

#[derive(Debug, Default)]
struct Requests {
    made: AtomicU64,
    /// What they asked for, since somebody wanted to know.
    paths: Mutex<Vec<Path>>,
    written: AtomicU64,
    takes: Mutex<Duration>,
    /// Those that are to wait when they come: for a path, after so many others for it.
    to_hold: Mutex<Vec<(Path, usize)>>,
    held: AtomicUsize,
    gate: Gate,
}

/// Where requests wait that are held.
#[derive(Debug)]
struct Gate(Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::const_new(0))
    }
}

impl Pace {
    /// How many requests were made, each page of a list being one.
    pub(crate) fn made(&self) -> u64 {
        self.0.made.load(Ordering::Relaxed)
    }

    /// What was asked for since the last call.
    pub(crate) fn asked(&self) -> Vec<Path> {
        mem::take(&mut self.0.paths.lock().unwrap())
    }

    /// How many bytes they were to write of journals and documents.
    pub(crate) fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }

    /// Lets each request take so long.
    pub(crate) fn take(&self, long: Duration) {
        *self.0.takes.lock().unwrap() = long;
    }

    /// Holds a request for each path, after so many others for it, until they are released.
    pub(crate) fn hold(&self, paths: impl IntoIterator<Item = (Path, usize)>) {
        self.0.to_hold.lock().unwrap().extend(paths);
    }

    /// How many requests are held.
    pub(crate) fn held(&self) -> usize {
        self.0.held.load(Ordering::Relaxed)
    }

    /// Lets those go on that are held.
    pub(crate) fn release(&self) {
        self.0.gate.0.add_permits(self.0.held.swap(0, Ordering::Relaxed));
    }

    /// Whether a request for a path is one that is to be held.
    fn is_to_hold(&self, path: &Path) -> bool {
        let mut to_hold = self.0.to_hold.lock().unwrap();
        let Some(at) = to_hold.iter().position(|(held, _)| held == path) else { return false };
        let others = &mut to_hold[at].1;
        if *others > 0 {
            *others -= 1;
            return false;
        }
        to_hold.remove(at);
        true
    }

    pub(super) fn write(&self, path: &Path, bytes: usize) {
        if path.as_ref().starts_with("p/catalog/") {
            return;
        }
        self.0.written.fetch_add(u64::try_from(bytes).unwrap(), Ordering::Relaxed);
    }

    pub(super) async fn request(&self, path: &Path) {
        self.0.made.fetch_add(1, Ordering::Relaxed);
        self.0.paths.lock().unwrap().push(path.clone());
        if self.is_to_hold(path) {
            self.0.held.fetch_add(1, Ordering::Relaxed);
            self.0.gate.0.acquire().await.unwrap().forget();
        }
        let takes = *self.0.takes.lock().unwrap();
        if !takes.is_zero() {
            tokio::time::sleep(takes).await;
        }
    }

    /// A list, a request for each page of which is made when it is come to.
    pub(super) fn list(
        &self,
        folder: Option<&Path>,
        listed: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let begun = (self.clone(), folder.cloned().unwrap_or_default(), listed, 0_u64);
        let paged = stream::unfold(begun, |(pace, folder, mut listed, number)| async move {
            if number.is_multiple_of(PAGE) {
                pace.request(&folder).await;
            }
            let item = listed.next().await?;
            Some((item, (pace, folder, listed, number + 1)))
        });
        paged.boxed()
    }
}
