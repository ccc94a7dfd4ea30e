//! A store for tests that misbehaves as it is told.

use std::collections::VecDeque;
use std::fmt;
use std::future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

use crate::client::Client;
use crate::options::Options;
use crate::place::Place;

/// What is answered in place of the truth.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// That the object exists.
    Exists,
    /// That the condition does not hold.
    Changed,
    /// That the connection broke.
    Broken,
    /// This status.
    Status(u16),
    /// That access is refused.
    Denied,
    /// Nothing, ever.
    Never,
}

/// What happens to one write.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// It is applied, and another answer is given.
    Applied(Answer),
    /// It is not applied, and this is answered.
    Dropped(Answer),
    /// It is applied so long after it came, and answered at once.
    Late(Duration, Answer),
    /// It is done and answered as it should be.
    Nothing,
}

/// A promise that is broken at all times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breach {
    /// Creates overwrite what is there.
    TakesEveryCreate,
    /// Swaps overwrite whatever is there.
    TakesEverySwap,
    /// Conditions are checked a moment before they are acted on.
    ChecksTooEarly,
    /// Creates are checked when they are done, swaps a moment before.
    ChecksSwapsTooEarly,
    /// There are no swaps.
    HasNoSwaps,
    /// The condition of a swap never holds.
    RefusesSwaps,
    /// What is missing is answered with a refusal.
    DeniesTheMissing,
    /// Everything is answered with a refusal.
    DeniesAll,
    /// Writes are refused.
    DeniesWrites,
    /// Lists show nothing.
    ListsNothing,
    /// Lists begin at the beginning, whatever they are to begin after.
    ListsFromTheStart,
    /// Keys above 600 bytes are refused.
    RefusesLongKeys,
    /// What is deleted stays.
    KeepsTheDeleted,
}

/// A store in memory; each write and each read takes the next of its own faults.
pub(crate) struct Double {
    pub(crate) inner: InMemory,
    breach: Option<Breach>,
    writes: Mutex<VecDeque<Fault>>,
    reads: Mutex<VecDeque<Answer>>,
    before_deletes: Mutex<Duration>,
}

impl Double {
    fn with(breach: Option<Breach>, writes: &[Fault]) -> Arc<Self> {
        Arc::new(Self {
            inner: InMemory::new(),
            breach,
            writes: Mutex::new(writes.iter().copied().collect()),
            reads: Mutex::default(),
            before_deletes: Mutex::default(),
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

/// The error that is an answer, once it comes.
async fn answer(path: &Path, answer: Answer) -> Error {
    let path = path.to_string();
    match answer {
        Answer::Exists => Error::AlreadyExists { path, source: "it exists".into() },
        Answer::Changed => Error::Precondition { path, source: "it is another".into() },
        Answer::Broken => Error::Generic { store: "it", source: "connection reset".into() },
        Answer::Status(status) => {
            let source = format!("Server returned non-2xx status code: {status} Told: so");
            Error::Generic { store: "it", source: source.into() }
        }
        Answer::Denied => Error::PermissionDenied { path, source: "not you".into() },
        Answer::Never => future::pending().await,
    }
}

#[async_trait]
impl ObjectStore for Double {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
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
        let delay = *self.before_deletes.lock().unwrap();
        let paths = paths.then(move |path| async move {
            tokio::time::sleep(delay).await;
            path
        });
        self.inner.delete_stream(paths.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.breaks(Breach::ListsNothing) {
            return stream::empty().boxed();
        }
        if self.breaks(Breach::DeniesAll) {
            let path = prefix.cloned().unwrap_or_default();
            return stream::once(async move { Err(answer(&path, Answer::Denied).await) }).boxed();
        }
        self.inner.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.breaks(Breach::ListsFromTheStart) {
            return self.inner.list(prefix);
        }
        self.inner.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
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
