//! A store for tests that misbehaves as it is told.

mod fault;
mod pace;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};

use self::fault::answer;
pub(crate) use self::fault::{Answer, Breach, Fault};
use self::pace::Pace;
use crate::client::Client;
use crate::options::Options;
use crate::place::Place;

/// A store in memory; each write and each read takes the next of its own faults.
pub(crate) struct Double {
    pub(crate) inner: InMemory,
    pub(crate) pace: Pace,
    breach: Option<Breach>,
    writes: Mutex<VecDeque<Fault>>,
    reads: Mutex<VecDeque<Answer>>,
    before_deletes: Mutex<Duration>,
    undeletable: Mutex<Vec<Path>>,
    before_writes: Mutex<Duration>,
    /// How many requests are answered before none is any more.
    left: Arc<Mutex<Option<u64>>>,
    /// By how much what was written is older than it was written here.
    aged: Mutex<Vec<(Path, Duration)>>,
}

impl Double {
    fn with(breach: Option<Breach>, writes: &[Fault]) -> Arc<Self> {
        Arc::new(Self {
            inner: InMemory::new(),
            pace: Pace::default(),
            breach,
            writes: Mutex::new(writes.iter().copied().collect()),
            reads: Mutex::default(),
            before_deletes: Mutex::default(),
            undeletable: Mutex::default(),
            before_writes: Mutex::default(),
            left: Arc::default(),
            aged: Mutex::default(),
        })
    }

    pub(crate) fn sound() -> Arc<Self> {
        Self::with(None, &[])
    }

    pub(crate) fn broken(breach: Breach) -> Arc<Self> {
        Self::with(Some(breach), &[])
    }

    /// Lets the next writes go wrong.
    pub(crate) fn fail_writes(&self, faults: &[Fault]) {
        self.writes.lock().unwrap().extend(faults);
    }

    /// Lets the next reads of objects go wrong.
    pub(crate) fn fail_reads(&self, answers: &[Answer]) {
        self.reads.lock().unwrap().extend(answers);
    }

    /// Lets so much time pass before anything is deleted.
    pub(crate) fn delay_deletes(&self, by: Duration) {
        *self.before_deletes.lock().unwrap() = by;
    }

    /// Refuses to delete some objects, and deletes the others.
    pub(crate) fn keep(&self, paths: impl IntoIterator<Item = Path>) {
        *self.undeletable.lock().unwrap() = paths.into_iter().collect();
    }

    /// Lets so much time pass before anything is written.
    pub(crate) fn delay_writes(&self, by: Duration) {
        *self.before_writes.lock().unwrap() = by;
    }

    /// Answers so many requests, and then none, until it is told otherwise.
    pub(crate) fn die_after(&self, requests: impl Into<Option<u64>>) {
        *self.left.lock().unwrap() = requests.into();
    }

    /// Makes what is listed of an object older than it is.
    pub(crate) fn age(&self, path: Path, by: Duration) {
        self.aged.lock().unwrap().push((path, by));
    }

    /// Makes nothing older than it is any more.
    pub(crate) fn age_no_more(&self) {
        self.aged.lock().unwrap().clear();
    }

    /// Whether it answers no more.
    fn is_dead(&self) -> bool {
        is_over(&self.left)
    }

    /// What is listed, as it is to be told.
    fn told(
        &self,
        listed: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let aged = self.aged.lock().unwrap().clone();
        let listed = listed.map(move |meta| {
            let mut meta = meta?;
            for (_, by) in aged.iter().filter(|(path, _)| *path == meta.location) {
                meta.last_modified -= *by;
            }
            Ok(meta)
        });
        if !self.breaks(Breach::ListsBackwards) {
            return listed.boxed();
        }
        let all = listed.collect::<Vec<_>>();
        stream::once(all).flat_map(|all| stream::iter(all.into_iter().rev())).boxed()
    }

    pub(crate) fn client(self: &Arc<Self>, options: Options) -> Client {
        let store: Arc<dyn ObjectStore> = Arc::<Self>::clone(self);
        Client::new(Arc::clone(&store), store, options)
    }

    /// A handle on the place `p` in this store.
    pub(crate) fn place(self: &Arc<Self>, options: Options) -> Place {
        let store: Arc<dyn ObjectStore> = Arc::<Self>::clone(self);
        Place::new(Arc::clone(&store), store, &Path::from("p"), options)
    }

    /// The names of all objects.
    pub(crate) async fn names(&self) -> Vec<String> {
        let listed = self.inner.list(None).map(|it| it.unwrap().location.to_string());
        listed.collect().await
    }

    fn breaks(&self, breach: Breach) -> bool {
        self.breach == Some(breach)
    }

    async fn write(
        &self,
        path: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        let is_create = matches!(options.mode, PutMode::Create);
        match self.breach {
            Some(Breach::DeniesAll | Breach::DeniesWrites) => {
                return Err(answer(path, Answer::Denied).await);
            }
            Some(Breach::HasNoSwaps) if !is_create => {
                return Err(Error::NotImplemented {
                    operation: "swap".into(),
                    implementer: "it".into(),
                });
            }
            Some(Breach::RefusesSwaps) if !is_create => {
                return Err(answer(path, Answer::Changed).await);
            }
            Some(Breach::RefusesLongKeys) if path.as_ref().len() > 600 => {
                return Err(answer(path, Answer::Status(400)).await);
            }
            Some(Breach::TakesEveryCreate) if is_create => options.mode = PutMode::Overwrite,
            Some(Breach::TakesEverySwap) if !is_create => options.mode = PutMode::Overwrite,
            Some(Breach::ChecksTooEarly) => self.check_early(path, &mut options).await?,
            Some(Breach::ChecksSwapsTooEarly) if !is_create => {
                self.check_early(path, &mut options).await?;
            }
            _ => {}
        }
        self.inner.put_opts(path, payload, options).await
    }

    /// Deletes one after the other, each of which is a request of its own.
    fn delete_some(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let (inner, left) = (self.inner.clone(), Arc::clone(&self.left));
        let deleted = paths.then(move |path| {
            let (inner, is_dead) = (inner.clone(), is_over(&left));
            async move {
                let path = path?;
                if is_dead {
                    return Err(answer(&path, Answer::Broken).await);
                }
                inner.delete(&path).await.map(|()| path)
            }
        });
        deleted.boxed()
    }

    async fn check_early(&self, path: &Path, options: &mut PutOptions) -> Result<()> {
        let held = self.inner.get_opts(path, GetOptions::default()).await.ok();
        let holds = match &options.mode {
            PutMode::Create => held.is_none(),
            PutMode::Update(version) => held.is_some_and(|it| it.meta.e_tag == version.e_tag),
            PutMode::Overwrite => true,
        };
        if !holds {
            return Err(answer(path, Answer::Changed).await);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        options.mode = PutMode::Overwrite;
        Ok(())
    }
}

/// Takes one of the requests that are left; answers whether none was.
fn is_over(left: &Mutex<Option<u64>>) -> bool {
    let mut left = left.lock().unwrap();
    let is_over = *left == Some(0);
    *left = left.map(|left| left.saturating_sub(1));
    is_over
}

#[async_trait]
impl ObjectStore for Double {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.pace.write(path, payload.content_length());
        self.pace.request(path).await;
        if self.is_dead() {
            return Err(answer(path, Answer::Broken).await);
        }
        // As from a place, no answer is there at once: others go on meanwhile.
        tokio::task::yield_now().await;
        let delay = *self.before_writes.lock().unwrap();
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let fault = self.writes.lock().unwrap().pop_front();
        match fault.unwrap_or(Fault::Nothing) {
            Fault::Nothing => self.write(path, payload, options).await,
            Fault::Dropped(with) => Err(answer(path, with).await),
            Fault::Applied(with) => {
                self.write(path, payload, options).await?;
                Err(answer(path, with).await)
            }
            Fault::Late(after, with) => {
                let (inner, late) = (self.inner.clone(), path.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    let _refused_or_not = inner.put_opts(&late, payload, options).await;
                });
                Err(answer(path, with).await)
            }
        }
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.pace.request(path).await;
        tokio::task::yield_now().await;
        if self.is_dead() {
            return Err(answer(path, Answer::Broken).await);
        }
        let failing = self.reads.lock().unwrap().pop_front();
        if let Some(with) = failing {
            return Err(answer(path, with).await);
        }
        if self.breaks(Breach::DeniesAll) {
            return Err(answer(path, Answer::Denied).await);
        }
        match self.inner.get_opts(path, options).await {
            Err(Error::NotFound { .. }) if self.breaks(Breach::DeniesTheMissing) => {
                Err(answer(path, Answer::Denied).await)
            }
            answered => answered,
        }
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        if self.breaks(Breach::KeepsTheDeleted) {
            return paths;
        }
        if self.left.lock().unwrap().is_some() {
            return self.delete_some(paths);
        }
        let delay = *self.before_deletes.lock().unwrap();
        let kept = self.undeletable.lock().unwrap().clone();
        let pace = self.pace.clone();
        let paths = paths.then(move |path| {
            let (kept, pace) = (kept.clone(), pace.clone());
            async move {
                let path = path?;
                pace.request(&path).await;
                tokio::time::sleep(delay).await;
                let is_kept = kept.contains(&path);
                if is_kept { Err(answer(&path, Answer::Denied).await) } else { Ok(path) }
            }
        });
        self.inner.delete_stream(paths.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.breaks(Breach::ListsNothing) {
            return stream::empty().boxed();
        }
        if self.is_dead() {
            return stream::once(async { Err(answer(&"".into(), Answer::Broken).await) }).boxed();
        }
        if self.breaks(Breach::DeniesAll) {
            let path = prefix.cloned().unwrap_or_default();
            return stream::once(async move { Err(answer(&path, Answer::Denied).await) }).boxed();
        }
        self.pace.list(prefix, self.told(self.inner.list(prefix)))
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.breaks(Breach::ListsFromTheStart) {
            return self.inner.list(prefix);
        }
        if self.is_dead() {
            return stream::once(async { Err(answer(&"".into(), Answer::Broken).await) }).boxed();
        }
        // What is listed is what is there when the request comes through.
        let (inner, folder, offset) = (self.inner.clone(), prefix.cloned(), offset.clone());
        let listed = async move { inner.list_with_offset(folder.as_ref(), &offset) };
        self.pace.list(prefix, self.told(stream::once(listed).flatten().boxed()))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.pace.request(&prefix.cloned().unwrap_or_default()).await;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

impl fmt::Debug for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Double({:?})", self.breach)
    }
}

impl fmt::Display for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Double({:?})", self.breach)
    }
}
