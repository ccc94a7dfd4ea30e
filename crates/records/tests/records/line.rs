//! A line to a backend in memory that loses calls and answers, and that lets others in between.

use std::fmt;
use std::future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Collection, Commits, DocKey, Document, Expected, Gist, Head,
    NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile_core::{
    Commit, Error, ErrorKind, Name, Revision, Seq, SessionId, SessionKey, Space, Tip,
};
use sessile_memory::MemoryBackend;

/// What happens to a put or a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is done and answered.
    Answered,
    /// It is not done, for certain.
    Refused,
    /// It is not done, and whoever asked is not told.
    CallLost,
    /// It is done, and whoever asked is not told.
    AnswerLost,
    /// It is not done, and never answered.
    DiesBefore,
    /// It is done, and never answered.
    DiesAfter,
}

type Fates = Box<dyn Fn(usize) -> Fate + Send + Sync>;
type Between = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// A line to a backend in memory; what others do on that backend directly is not counted.
pub(crate) struct Line {
    memory: MemoryBackend,
    fates: Fates,
    /// What happens before the change of a number.
    between: Mutex<Option<(usize, Between)>>,
    is_cut: AtomicBool,
    changes: AtomicUsize,
}

impl Line {
    /// A line on which each change, counted from 0, has a fate.
    pub(crate) fn to(
        memory: &MemoryBackend,
        fates: impl Fn(usize) -> Fate + Send + Sync + 'static,
    ) -> Self {
        Self {
            memory: memory.clone(),
            fates: Box::new(fates),
            between: Mutex::default(),
            is_cut: AtomicBool::new(false),
            changes: AtomicUsize::new(0),
        }
    }

    /// A line that works, on which something happens just before the change of a number.
    pub(crate) fn with_between(
        memory: &MemoryBackend,
        number: usize,
        between: impl FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static,
    ) -> Self {
        let line = Self::to(memory, |_| Fate::Answered);
        *line.between.lock().unwrap() = Some((number, Box::new(between)));
        line
    }

    /// The same line, on which each change has a fate.
    pub(crate) fn losing(self, fates: impl Fn(usize) -> Fate + Send + Sync + 'static) -> Self {
        Self { fates: Box::new(fates), ..self }
    }

    /// From here on nothing arrives, or everything does again.
    pub(crate) fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
    }

    /// How many changes were asked for.
    pub(crate) fn changes(&self) -> usize {
        self.changes.load(Ordering::Relaxed)
    }

    fn reach(&self) -> Result<&MemoryBackend, Error> {
        if self.is_cut.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "the place does not answer"));
        }
        Ok(&self.memory)
    }

    async fn change<F: Future<Output = Result<(), Error>>>(&self, done: F) -> Result<(), Error> {
        self.reach()?;
        let number = self.changes.fetch_add(1, Ordering::Relaxed);
        let between = self.between.lock().unwrap().take_if(|(at, _)| *at == number);
        if let Some((_, between)) = between {
            between().await;
        }
        let unavailable = || Error::new(ErrorKind::Unavailable, "no answer came");
        match (self.fates)(number) {
            Fate::Answered => done.await,
            Fate::Refused => Err(unavailable()),
            Fate::CallLost => Err(unavailable().outcome_unknown().retryable()),
            Fate::AnswerLost => {
                let _lost = done.await;
                Err(unavailable().outcome_unknown().retryable())
            }
            Fate::DiesBefore => future::pending().await,
            Fate::DiesAfter => {
                let _lost = done.await;
                future::pending().await
            }
        }
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").finish_non_exhaustive()
    }
}

#[async_trait]
impl Backend for Line {
    fn name(&self) -> &'static str {
        self.memory.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.memory.capabilities()
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        self.reach()?.append(key, expected, commits).await
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.reach()?.remove(key, expected, tombstone).await
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        self.reach()?.read(key, span).await
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        self.reach()?.head(key).await
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.reach()?.set_aside(key).await
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        self.reach()?.rewrite(key, expected, commits).await
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.reach()?.mask(key, expected, seqs).await
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.reach()?.purge(key).await
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        self.reach()?.journals(space, after, limit).await
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        self.reach()?.recent(space, scope, after, limit).await
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        if let Ok(backend) = self.reach() {
            backend.note(key, gist);
        }
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        self.reach()?.spaces(after, limit).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        self.reach()?.get(key).await
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        self.change(self.memory.put(key, document, precondition)).await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.change(self.memory.delete(key, revision)).await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        self.reach()?.documents(collection, after, limit).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.memory.close().await
    }
}
