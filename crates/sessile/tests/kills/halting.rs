//! A backend that tells how far a move has come, and stops there. It names every method of the
//! contract, as each wrapper does, so that none is missed silently.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use sessile::backend::{
    Appended, Backend, Capabilities, Collection, Commits, DocKey, Document, Expected, Gist, Head,
    NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile::{EntryType, Error, Name, Seq, SessionId};
use sessile_core::{Commit, Revision, SessionKey, Space, Tip};

use crate::moves::Point;

/// A backend on the way to which a move may be stopped.
#[derive(Debug)]
pub(crate) struct Halting {
    backend: Arc<dyn Backend>,
    appends: AtomicUsize,
    stop: fn(Point),
}

impl Halting {
    pub(crate) fn on(backend: Arc<dyn Backend>, stop: fn(Point)) -> Self {
        Self { backend, appends: AtomicUsize::new(0), stop }
    }
}

#[async_trait]
impl Backend for Halting {
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
        let is_last_word = commits.iter().any(|commit| commit.has(&EntryType::Outcome));
        let number = self.appends.fetch_add(1, Ordering::Relaxed);
        let (before, after) = match number {
            _ if is_last_word => (Point::BeforeTheLastWord, Point::AfterTheLastWord),
            0 => (Point::BeforeTheFirstBatch, Point::AfterTheFirstBatch),
            1 => (Point::BeforeTheLastBatch, Point::AfterTheLastBatch),
            _ => (Point::BeforeTheProof, Point::AfterTheProof),
        };
        (self.stop)(before);
        let appended = self.backend.append(key, expected, commits).await;
        (self.stop)(after);
        appended
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        (self.stop)(Point::BeforeTheDeletion);
        let removed = self.backend.remove(key, expected, tombstone).await;
        (self.stop)(Point::AfterTheDeletion);
        removed
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        self.backend.read(key, span).await
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        self.backend.head(key).await
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.backend.set_aside(key).await
    }

    async fn rewrite(&self, key: &SessionKey, at: Tip, commits: Commits) -> Result<(), Error> {
        self.backend.rewrite(key, at, commits).await
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.backend.mask(key, expected, seqs).await
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.backend.purge(key).await
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        self.backend.journals(space, after, limit).await
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        self.backend.recent(space, scope, after, limit).await
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.backend.note(key, gist);
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        self.backend.spaces(after, limit).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        self.backend.get(key).await
    }

    async fn put(&self, key: &DocKey, to: NewDocument, if_: Precondition) -> Result<(), Error> {
        self.backend.put(key, to, if_).await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.backend.delete(key, revision).await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        self.backend.documents(collection, after, limit).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.backend.close().await
    }
}
