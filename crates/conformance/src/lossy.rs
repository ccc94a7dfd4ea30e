//! A way to a backend that can be cut, that loses answers, and that counts what comes over it.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::StreamExt as _;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Collection, Commits, DocKey, Document, Expected, Gist, Head,
    NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile_core::{
    Commit, Error, ErrorKind, Name, Revision, Seq, SessionId, SessionKey, Space, Tip,
};

/// A backend with a bad line to it.
///
/// It does to any backend what a network does: the call arrives and its answer does not, or
/// nothing arrives at all.
pub(crate) struct Lossy {
    backend: Arc<dyn Backend>,
    is_cut: AtomicBool,
    answers_to_lose: AtomicUsize,
    /// How many changes get through before the line breaks; none where it does not.
    fuse: Mutex<Option<Fuse>>,
    commits_read: Arc<AtomicUsize>,
}

/// When the line breaks.
#[derive(Clone, Copy, Debug)]
struct Fuse {
    left: usize,
    /// Whether the change during which it breaks is done.
    is_done: bool,
}

impl Lossy {
    /// A line that works so far.
    pub(crate) fn to(backend: Arc<dyn Backend>) -> Arc<Self> {
        Arc::new(Self {
            backend,
            is_cut: AtomicBool::new(false),
            answers_to_lose: AtomicUsize::new(0),
            fuse: Mutex::new(None),
            commits_read: Arc::default(),
        })
    }

    /// From now on nothing arrives, until it is mended.
    pub(crate) fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
    }

    /// The next so many changes are done, and their answers are lost.
    pub(crate) fn lose_answers(&self, count: usize) {
        self.answers_to_lose.store(count, Ordering::Relaxed);
    }

    /// After so many changes more the line breaks: the next one is done and its answer lost, or it
    /// is not done; and from then on nothing arrives. So it looks to others when a process dies.
    pub(crate) fn breaks_after(&self, left: usize, is_done: bool) {
        *self.fuse() = Some(Fuse { left, is_done });
    }

    /// From now on everything arrives.
    pub(crate) fn mend(&self) {
        *self.fuse() = None;
        self.lose_answers(0);
        self.cut(false);
    }

    /// How many commits were read over it so far.
    pub(crate) fn commits_read(&self) -> usize {
        self.commits_read.load(Ordering::Relaxed)
    }

    fn fuse(&self) -> MutexGuard<'_, Option<Fuse>> {
        self.fuse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The backend for a change, if that arrives.
    fn arrive(&self) -> Result<&dyn Backend, Error> {
        if let Some(fuse) = &mut *self.fuse()
            && !self.is_cut.load(Ordering::Relaxed)
        {
            let Some(left) = fuse.left.checked_sub(1) else {
                self.cut(true);
                if !fuse.is_done {
                    return self.reach();
                }
                self.lose_answers(1);
                return Ok(&*self.backend);
            };
            fuse.left = left;
        }
        self.reach()
    }

    /// The backend, if the line is not cut.
    fn reach(&self) -> Result<&dyn Backend, Error> {
        if self.is_cut.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "the place does not answer"));
        }
        Ok(&*self.backend)
    }

    /// An answer to a change, unless it is lost.
    fn answer<T>(&self, answer: Result<T, Error>) -> Result<T, Error> {
        let count = |left: usize| left.checked_sub(1);
        let left = self.answers_to_lose.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count);
        match left {
            Ok(_) => Err(Error::new(ErrorKind::Unavailable, "the answer was lost")
                .retryable()
                .outcome_unknown()),
            Err(_) => answer,
        }
    }
}

impl fmt::Debug for Lossy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lossy").field("backend", &self.backend).finish_non_exhaustive()
    }
}

#[async_trait]
impl Backend for Lossy {
    fn name(&self) -> &'static str {
        self.backend.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.backend.capabilities()
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        self.answer(self.arrive()?.append(key, expected, commits).await)
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.answer(self.arrive()?.remove(key, expected, tombstone).await)
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        let count = Arc::clone(&self.commits_read);
        let commits = self.reach()?.read(key, span).await?;
        let counted = commits.inspect(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        Ok(counted.boxed())
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
        self.answer(self.arrive()?.rewrite(key, expected, commits).await)
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.answer(self.arrive()?.mask(key, expected, seqs).await)
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.answer(self.arrive()?.purge(key).await)
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
        self.backend.note(key, gist);
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
        self.answer(self.arrive()?.put(key, document, precondition).await)
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.answer(self.arrive()?.delete(key, revision).await)
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
        self.backend.close().await
    }
}
