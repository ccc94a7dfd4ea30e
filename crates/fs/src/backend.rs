//! The backend: the contract's methods, each carried out on a thread that may block.

use std::ops::DerefMut;
use std::sync::Arc;

use async_trait::async_trait;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Capability, Collection, Commits, DocKey, Document, Expected,
    Gist, Head, NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span, handover,
};
use sessile_core::commit::{Commit, Tip};
use sessile_core::entry::EntryType;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{Name, SessionId, SessionKey, Space};
use sessile_core::position::Seq;
use sessile_core::revision::Revision;

use crate::create;
use crate::document;
pub(crate) use crate::handle::FsBackend;
use crate::journals;
use crate::listing;
use crate::replacement::{Filling, Replacement};
use crate::root;
use crate::serving;
use crate::set_aside;
use crate::watching;

#[async_trait]
impl Backend for FsBackend {
    fn name(&self) -> &'static str {
        "fs"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::of(Capability::ALL.iter().copied())
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        let deadline = self.options.lock_deadline;
        let mut journal = self.turn(key).await?;
        let at = self.shelves();
        if handover::is_spare() && self.pace.is_quick() {
            let at_once = self.pace.of(|| journal.append_at_once(&at, expected, &commits));
            if let Some(appended) = at_once {
                return appended.map_err(|error| error.about(key));
            }
        }
        let (pace, key) = (Arc::clone(&self.pace), key.clone());
        self.pool
            .run(move || {
                let append = || journal.append(&at, expected, &commits, deadline);
                pace.of(append).map_err(|error| error.about(&key))
            })
            .await
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        if !tombstone.has(&EntryType::Delete) {
            return Err(Error::new(ErrorKind::Refused, "a tombstone has a delete entry"));
        }
        if expected == Tip::ABSENT {
            // Nothing ends there that could be removed.
            self.head(key).await?;
        }
        let appended = self.append(key, Expected::At(expected), vec![tombstone]).await?;
        appended.into_iter().next().ok_or_else(|| {
            Error::new(ErrorKind::Unavailable, "the append gave no answer").outcome_unknown()
        })
    }

    async fn changed(&self, key: &SessionKey) {
        watching::changed(root::journal_path(self.root.path(), key)).await;
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        let look = self.look(key).await?;
        serving::commits(&self.pool, &self.looks, look, span).await
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        Ok(self.look(key).await?.head())
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        let (root, key) = (Arc::clone(&self.root), key.clone());
        let list = move || {
            if !create::is_taken(&root, &key)? {
                return Err(root::missing(&key));
            }
            set_aside::list(&root, &key).map_err(|error| error.about(&key))
        };
        self.pool.run(list).await
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        let (root, deadline) = (Arc::clone(&self.root), self.options.lock_deadline);
        let about = key.clone();
        let begin = move || Replacement::begin(&root, &about, expected, deadline);
        let filling = Filling::new(self.pool.clone(), self.pool.run(begin).await?);
        let whole = filling.fill(commits, expected).await.map_err(|error| error.about(key))?;
        let root = Arc::clone(&self.root);
        self.physically(key, move |writer, key| writer.rewrite(&root, key, expected, whole)).await
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        let root = Arc::clone(&self.root);
        self.physically(key, move |writer, key| writer.mask(&root, key, expected, &seqs)).await
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        let (root, deadline) = (Arc::clone(&self.root), self.options.lock_deadline);
        self.physically(key, move |writer, key| {
            if writer.is_deleted(key)? {
                // The journal goes last: until then the purge can be asked for again.
                document::purge(&root, key, deadline)?;
                set_aside::remove(&root, key)?;
            }
            writer.purge(key)
        })
        .await
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        let (root, space, after) = (Arc::clone(&self.root), space.clone(), after.cloned());
        self.pool.run(move || listing::journals(&root, &space, after.as_ref(), limit)).await
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        let at = self.shelves();
        if let Some(rows) = listing::at_hand(&at, space, scope, (after, limit)) {
            return Ok(rows);
        }
        let (space, scope, after) = (space.clone(), scope.clone(), after.cloned());
        let deadline = self.options.lock_deadline;
        let rows = move || listing::recent(&at, &space, &scope, (after.as_ref(), limit), deadline);
        self.pool.run(rows).await
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.catalog.note(key, gist);
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        let (root, after) = (Arc::clone(&self.root), after.cloned());
        self.pool.run(move || listing::spaces(&root, after.as_ref(), limit)).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        let (root, key) = (Arc::clone(&self.root), key.clone());
        let deadline = self.options.lock_deadline;
        self.pool.run(move || document::get(&root, &key, deadline)).await
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let (root, key) = (Arc::clone(&self.root), key.clone());
        let deadline = self.options.lock_deadline;
        self.pool.run(move || document::put(&root, &key, &document, precondition, deadline)).await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        let (root, key) = (Arc::clone(&self.root), key.clone());
        let deadline = self.options.lock_deadline;
        self.pool.run(move || document::delete(&root, &key, revision, deadline)).await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        let (root, collection) = (Arc::clone(&self.root), collection.clone());
        let after = after.cloned();
        self.pool.run(move || document::documents(&root, &collection, after.as_ref(), limit)).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.looks.clear();
        let mut journals = Vec::new();
        for queue in self.journals.take_all() {
            journals.push(queue.lock_owned().await);
        }
        let at = self.shelves();
        let close = move || {
            let closed = journals::close_all(&at, journals.iter_mut().map(DerefMut::deref_mut));
            at.catalog.tell_rest(&at.root);
            closed
        };
        self.pool.run(close).await
    }
}
