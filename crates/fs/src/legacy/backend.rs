//! The backend: what is older is answered from its files until it is written to.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Collection, Commits, DocKey, Document, Expected, Gist, Head,
    NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile_core::commit::{Commit, Tip};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{Name, SessionId, SessionKey, Space};
use sessile_core::position::Seq;
use sessile_core::revision::Revision;

use super::journal::OldJournal;
use super::standing::{Legacy, Standing};

/// A backend, and beside it a folder of session files in an older layout.
///
/// Their sessions are listed and read as if they were the backend's, from their files, which are
/// never written. The first mutation of one makes it a journal of the backend's, the same to every
/// reader, and is done on that. From then on the files are not looked at for it, unless they go on:
/// then they are shown as a session of their own. New sessions are the backend's alone.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_core::{Backend as _, Space};
/// use sessile_fs::{FsBackend, LegacyBackend, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/session-files/current");
/// let store = FsBackend::open(folder.path().join("store"), Options::default()).await?;
/// let backend = LegacyBackend::over(Arc::new(store), old, Space::default()).await?;
/// let sessions = backend.journals(&Space::default(), None, 10).await?;
/// assert_eq!(sessions[0].as_str(), "ses_18f3_1");
/// assert!(!folder.path().join("store").exists());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LegacyBackend(Arc<Legacy>);

impl LegacyBackend {
    /// Puts a folder of session files beside a backend: its sessions are those of one space.
    ///
    /// # Errors
    /// *invalid place* where there is no folder, and for one within a store; *permission*,
    /// *unavailable*.
    pub async fn over(
        backend: Arc<dyn Backend>,
        folder: impl AsRef<Path>,
        space: Space,
    ) -> Result<Self, Error> {
        Ok(Self(Arc::new(Legacy::of(backend, folder.as_ref(), space).await?)))
    }

    fn inner(&self) -> &dyn Backend {
        &*self.0.inner
    }

    /// Makes what is older under a name the backend's, if a mutation is to be done where that ends.
    async fn take_over(&self, key: &SessionKey, expected: Expected) -> Result<(), Error> {
        let Standing::Old(journal, begun) = self.0.standing(key).await? else { return Ok(()) };
        let tip = journal.tip();
        if let Expected::At(expected) = expected
            && expected != tip
        {
            return Err(Error::conflict(expected.position, tip.position).about(key));
        }
        match self.0.take_over(key, &journal, begun).await {
            // Somebody else was faster, and may have gone on: the mutation finds out.
            Err(error) if error.kind() == ErrorKind::Conflict && expected != Expected::End => {
                Ok(())
            }
            done => done,
        }
    }

    async fn old(&self, key: &SessionKey) -> Result<Option<OldJournal>, Error> {
        match self.0.standing(key).await? {
            Standing::Own => Ok(None),
            Standing::Old(journal, _) => Ok(Some(journal)),
        }
    }
}

#[async_trait]
impl Backend for LegacyBackend {
    fn name(&self) -> &'static str {
        self.inner().name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        if !commits.is_empty() {
            self.take_over(key, expected).await?;
        }
        self.inner().append(key, expected, commits).await
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.take_over(key, Expected::At(expected)).await?;
        self.inner().remove(key, expected, tombstone).await
    }

    async fn changed(&self, key: &SessionKey) {
        self.inner().changed(key).await;
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        match self.old(key).await? {
            None => self.inner().read(key, span).await,
            Some(journal) => Ok(Box::pin(stream::iter(journal.span(span).into_iter().map(Ok)))),
        }
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        match self.old(key).await? {
            None => self.inner().head(key).await,
            Some(journal) => journal.head(),
        }
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        match self.old(key).await? {
            None => self.inner().set_aside(key).await,
            Some(_) => Ok(Vec::new()),
        }
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        self.take_over(key, Expected::At(expected)).await?;
        self.inner().rewrite(key, expected, commits).await
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.take_over(key, Expected::At(expected)).await?;
        self.inner().mask(key, expected, seqs).await
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        match self.old(key).await? {
            None => self.inner().purge(key).await,
            Some(_) => Err(Error::new(ErrorKind::Conflict, "it is not deleted")
                .with_hint("delete it first")
                .about(key)),
        }
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        if *space == self.0.space {
            return self.0.ids(after, limit).await;
        }
        self.inner().journals(space, after, limit).await
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        if *space == self.0.space {
            return self.0.rows(scope, after, limit).await;
        }
        self.inner().recent(space, scope, after, limit).await
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.inner().note(key, gist);
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        self.0.spaces(after, limit).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        self.inner().get(key).await
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        self.inner().put(key, document, precondition).await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        self.inner().delete(key, revision).await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        self.inner().documents(collection, after, limit).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.inner().close().await
    }
}
