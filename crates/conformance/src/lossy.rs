//! A way to a backend that can be cut, and that loses answers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Collection, Commits, DocKey, Document, Expected, Head,
    NewDocument, Precondition, Recency, Recent, SetAside, Span,
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
}

impl Lossy {
    /// A line that works so far.
    pub(crate) fn to(backend: Arc<dyn Backend>) -> Arc<Self> {
        Arc::new(Self {
            backend,
            is_cut: AtomicBool::new(false),
            answers_to_lose: AtomicUsize::new(0),
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
        self.answer(self.reach()?.append(key, expected, commits).await)
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.answer(self.reach()?.remove(key, expected, tombstone).await)
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
        self.answer(self.reach()?.rewrite(key, expected, commits).await)
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.answer(self.reach()?.mask(key, expected, seqs).await)
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.answer(self.reach()?.purge(key).await)
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
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        self.reach()?.recent(space, after, limit).await
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
        self.answer(self.reach()?.put(key, document, precondition).await)
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.answer(self.reach()?.delete(key, revision).await)
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
