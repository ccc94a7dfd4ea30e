//! The backend: the contract's methods, each carried out on a thread that may block.

use std::ops::DerefMut;
use std::path::Path;
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
use sessile_core::probe::Probe;
use sessile_core::revision::Revision;
use tokio::sync::OwnedMutexGuard;

use crate::catalog::Catalog;
use crate::counts::{Counters, Counts};
use crate::create;
use crate::document;
use crate::journals::{self, Journal, Journals, Shelves};
use crate::listing;
use crate::look::{self, Look};
use crate::looks::Looks;
use crate::options::Options;
use crate::pace::Pace;
use crate::pool::Pool;
use crate::probe;
use crate::replacement::{Filling, Replacement};
use crate::root::{self, Root};
use crate::serving;
use crate::set_aside;
use crate::watching;
use crate::writer::Writer;

/// Sessions on a local filesystem.
///
/// Clones share what is open. Work on files is done on threads of its own; it must be used within
/// a tokio runtime with time enabled, which bounds the wait for a journal's turn.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use sessile_engine::{NewSession, Store};
/// use sessile_fs::{FsBackend, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let folder = tempfile::tempdir().expect("a folder");
/// let root = folder.path().join("agents");
/// let store = Store::on(Arc::new(FsBackend::open(&root, Options::default()).await?));
/// // Nothing is made before something is written.
/// assert!(!root.exists());
/// let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
///
/// let journal = root.join("spaces/default/sessions/ses_42.jsonl");
/// let lines = std::fs::read_to_string(journal).expect("a journal");
/// assert!(lines.contains(r#""type":"message""#) && lines.contains(r#""hi""#));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FsBackend {
    root: Arc<Root>,
    journals: Arc<Journals>,
    looks: Arc<Looks>,
    /// The last clone is gone only when nothing is being changed any more.
    catalog: Arc<Catalog>,
    pool: Pool,
    pace: Arc<Pace>,
    options: Options,
}

impl FsBackend {
    /// Opens the store at a folder; makes nothing until something is written.
    ///
    /// # Errors
    /// *invalid place* when the folder holds other things, or lies within another store;
    /// *unknown version*, *corrupt*, *permission*, *unavailable*.
    pub async fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let path = path.as_ref().to_owned();
        let pool = Pool::default();
        let root = pool.run(move || Root::at(&path, Arc::new(Counters::default()))).await?;
        let (root, journals, catalog) = (Arc::new(root), Arc::default(), Arc::default());
        let (looks, pace) = (Arc::default(), Arc::default());
        Ok(Self { root, journals, looks, catalog, pool, pace, options })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Finds out whether the place does what a store needs: files can be written and synced, names
    /// are exclusive and durable, locks hold. It works in the store's folder, or where there is
    /// none yet in the closest one above it, on files of its own that it removes.
    ///
    /// # Errors
    /// *permission*, *unavailable* when the folder can't be opened.
    pub async fn probe(&self) -> Result<Probe, Error> {
        let root = Arc::clone(&self.root);
        self.pool.run(move || probe::probe(&root)).await
    }

    /// What it and its clones did to their files so far.
    pub fn counts(&self) -> Counts {
        self.root.counters().read()
    }

    /// What its appends took lately.
    #[cfg(test)]
    pub(crate) fn pace(&self) -> &Pace {
        &self.pace
    }

    /// Its folders.
    #[cfg(test)]
    pub(crate) fn root(&self) -> &Root {
        &self.root
    }

    /// The failures that a test asks for.
    #[cfg(test)]
    pub(crate) fn faults(&self) -> &crate::faults::Faults {
        &self.root.counters().faults
    }

    /// Waits for a journal's turn, and lets go of others that are too many.
    async fn turn(&self, key: &SessionKey) -> Result<OwnedMutexGuard<Journal>, Error> {
        let mut idle = self.journals.make_room_for(key);
        if !idle.is_empty() {
            let at = self.shelves();
            let close = move || journals::close_all(&at, &mut idle);
            // Padding that can't be given back stays, for whoever closes the journal next.
            let _padded = self.pool.run(close).await;
        }
        self.journals.turn(key, self.options.lock_deadline).await
    }

    /// Works on a journal in its turn, while no other process does.
    async fn exclusively<T: Send + 'static>(
        &self,
        key: &SessionKey,
        work: impl FnOnce(&mut Writer, &SessionKey) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let deadline = self.options.lock_deadline;
        let mut journal = self.turn(key).await?;
        let (at, key) = (self.shelves(), key.clone());
        self.pool
            .run(move || journal.exclusively(&at, deadline, work).map_err(|e| e.about(&key)))
            .await
    }

    /// Looks at a journal; where nothing was added since it was looked at last, it is not read.
    async fn look(&self, key: &SessionKey) -> Result<Arc<Look>, Error> {
        if let Some(look) = self.looks.of(&self.root, key) {
            return Ok(look);
        }
        let (root, looks, deadline) =
            (Arc::clone(&self.root), Arc::clone(&self.looks), self.options.lock_deadline);
        let key = key.clone();
        let look = move || {
            let look = look::look(&root, &key, deadline).map_err(|error| error.about(&key))?;
            let look = Arc::new(look);
            looks.keep(&key, &look);
            Ok(look)
        };
        self.pool.run(look).await
    }

    /// Changes a journal physically in its turn, and drops what may be shown of it.
    async fn physically(
        &self,
        key: &SessionKey,
        work: impl FnOnce(&mut Writer, &SessionKey) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        let at = self.shelves();
        self.exclusively(key, move |writer, key| {
            work(writer, key)?;
            writer.settle_in(key);
            at.catalog.scrub(&at.root, key).map_err(Error::outcome_unknown)
        })
        .await
    }

    fn shelves(&self) -> Shelves {
        Shelves { root: Arc::clone(&self.root), catalog: Arc::clone(&self.catalog) }
    }
}

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
