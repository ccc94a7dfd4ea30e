//! The backend's handle: what is open of a store, and how journals are worked on in their turn.

use std::path::Path;
use std::sync::Arc;

use sessile_core::error::Error;
use sessile_core::id::SessionKey;
use sessile_core::probe::Probe;
use tokio::sync::OwnedMutexGuard;

use crate::catalog::Catalog;
use crate::counts::{Counters, Counts};
use crate::journals::{self, Journal, Journals, Shelves};
use crate::look::{self, Look};
use crate::looks::Looks;
use crate::options::Options;
use crate::pace::Pace;
use crate::pool::Pool;
use crate::probe;
use crate::root::Root;
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
    pub(crate) root: Arc<Root>,
    pub(crate) journals: Arc<Journals>,
    pub(crate) looks: Arc<Looks>,
    /// The last clone is gone only when nothing is being changed any more.
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) pool: Pool,
    pub(crate) pace: Arc<Pace>,
    pub(crate) options: Options,
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
    pub(crate) async fn turn(&self, key: &SessionKey) -> Result<OwnedMutexGuard<Journal>, Error> {
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
    pub(crate) async fn exclusively<T: Send + 'static>(
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
    pub(crate) async fn look(&self, key: &SessionKey) -> Result<Arc<Look>, Error> {
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
    pub(crate) async fn physically(
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

    pub(crate) fn shelves(&self) -> Shelves {
        Shelves { root: Arc::clone(&self.root), catalog: Arc::clone(&self.catalog) }
    }
}
