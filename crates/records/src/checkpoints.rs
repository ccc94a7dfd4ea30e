//! The checkpoints of a space.

mod listing;

pub use listing::{Listed, Listing, Summary};

use std::sync::Arc;

use sessile_core::backend::Precondition;
use sessile_core::{Backend, Error, ErrorKind, Name, Revision, Space, UnixMillis};
use sessile_engine::{Options, Store};

use crate::basis;
use crate::checkpoint::Checkpoint;
use crate::checkpoint_document;
use crate::kind::Kind;
use crate::limit;
use crate::members::Members;
use crate::patience::Patience;
use crate::shelf::{Shelf, Value};

/// The collection that they lie in.
const COLLECTION: &str = "checkpoints";

/// The checkpoints of a space, each under a name of its own.
///
/// Every change says which number it goes on from, and is refused where another was faster. An
/// answer that is lost is found out until the deadline of the [options](Options); an error after
/// that has an [unknown outcome](sessile_core::Outcome::Unknown), and whoever gets it loads the
/// checkpoint and swaps again: the number tells whether it was put.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_core::{ErrorKind, Payload, Space};
/// use sessile_memory::MemoryBackend;
/// use sessile_records::{Checkpoint, Checkpoints};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let checkpoints = Checkpoints::on(Arc::new(MemoryBackend::new()), Space::default());
/// let (name, plan) = ("job-7".parse()?, Payload::parse(r#"{"step":"plan"}"#)?);
/// let first = Checkpoint::new(name, "run-1".parse()?, "agent.step".parse()?, 1, plan);
/// let first = checkpoints.compare_and_swap(first, None).await?;
///
/// let act = first.next(Payload::parse(r#"{"step":"act"}"#)?)?;
/// checkpoints.compare_and_swap(act.clone(), Some(first.number)).await?;
/// // Whoever still is at the first one comes too late.
/// let late = checkpoints.compare_and_swap(act.clone(), Some(first.number)).await;
/// assert_eq!(late.unwrap_err().kind(), ErrorKind::Conflict);
/// assert_eq!(checkpoints.load(&act.name).await?.payload, act.payload);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Checkpoints {
    shelf: Shelf,
}

/// A checkpoint as it is stored.
#[derive(Debug)]
struct Held {
    checkpoint: Checkpoint,
    unknown: Members,
    revision: Revision,
}

impl Checkpoints {
    /// The checkpoints of a space of a backend, with the usual options.
    pub fn on(backend: Arc<dyn Backend>, space: Space) -> Self {
        Self::with(backend, space, Options::default())
    }

    /// The same with options: clock, randomness, deadline, and the limits of documents, nesting
    /// and pages.
    pub fn with(backend: Arc<dyn Backend>, space: Space, options: Options) -> Self {
        Self { shelf: Shelf::of(backend, space, COLLECTION, options) }
    }

    /// Those of a namespace, apart from all others.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`] for a name that is none, or has more than 1,000 bytes.
    pub fn namespace(self, name: impl TryInto<Name, Error: Into<Error>>) -> Result<Self, Error> {
        Ok(Self { shelf: self.shelf.within(name.try_into().map_err(Into::into)?)? })
    }

    /// The current checkpoint of a name.
    ///
    /// # Errors
    /// *missing*; *corrupt* with the [revision](Error::actual_revision) that
    /// [`force`](Self::force) takes, where the stored bytes are no checkpoint or where the journal
    /// ends before what it was built on; *deleted* where the session is that it was built on;
    /// *unknown version*, *unavailable*, *deadline*, *permission*.
    pub async fn load(&self, name: &Name) -> Result<Checkpoint, Error> {
        let patience = self.shelf.patience();
        let held = self.held(name, &patience).await?;
        Ok(held.ok_or_else(|| missing(name))?.checkpoint)
    }

    /// Puts a checkpoint in place of the one that has a number, or where there is none; answers it
    /// with its time.
    ///
    /// The number must be 0 where there is to be none, else one more than expected.
    ///
    /// # Errors
    /// *conflict* where another number stands there or the new one does not follow, *missing*
    /// where nothing does, *refused* for another run, kind, schema or session and for a payload
    /// above a limit; of the session that is named *missing*, *deleted*, and *conflict* where its
    /// journal ends before what the checkpoint was built on; those of [`load`](Self::load).
    pub async fn compare_and_swap(
        &self,
        new: Checkpoint,
        expected: Option<u64>,
    ) -> Result<Checkpoint, Error> {
        limit::check_payload(&new.payload, self.shelf.limits())?;
        let mut patience = self.shelf.patience();
        let Some(expected) = expected else {
            if new.number != 0 {
                return Err(conflict(&new.name, "the first checkpoint has number 0"));
            }
            let new = Checkpoint { updated_at: UnixMillis(0), ..new };
            return self.put(new, &Members::default(), Precondition::Absent, &mut patience).await;
        };
        let held = self.held(&new.name, &patience).await?;
        let held = held.ok_or_else(|| missing(&new.name))?;
        let is = held.checkpoint.number;
        if is != expected {
            let clause = format!("the checkpoint has number {is}, not {expected}");
            return Err(conflict(&new.name, clause));
        }
        if new.number != held.checkpoint.successor().map_err(|error| about(error, &new.name))? {
            let clause = format!("the checkpoint after number {is} has the next number");
            return Err(conflict(&new.name, clause));
        }
        held.checkpoint.check_successor(&new).map_err(|error| about(error, &new.name))?;
        let new = Checkpoint { updated_at: held.checkpoint.updated_at, ..new };
        let precondition = Precondition::Revision(held.revision);
        self.put(new, &held.unknown, precondition, &mut patience).await
    }

    /// Puts a checkpoint, of any number, in place of stored bytes that are *corrupt* and have a
    /// revision: what stood there is given up.
    ///
    /// # Errors
    /// *corrupt* with the revision of what is stored where that is another, *conflict* where it is
    /// not damaged, *missing*, and those of [`compare_and_swap`](Self::compare_and_swap).
    pub async fn force(&self, new: Checkpoint, revision: Revision) -> Result<Checkpoint, Error> {
        limit::check_payload(&new.payload, self.shelf.limits())?;
        let mut patience = self.shelf.patience();
        self.expect_damage(&new.name, revision, &patience).await?;
        let new = Checkpoint { updated_at: UnixMillis(0), ..new };
        let precondition = Precondition::Revision(revision);
        self.put(new, &Members::default(), precondition, &mut patience).await
    }

    /// Deletes a checkpoint that has a number. Its name is free then: whoever still holds a number
    /// of it is told apart by the run only.
    ///
    /// # Errors
    /// *missing*, *conflict* where it has another number, and those of [`load`](Self::load).
    pub async fn delete(&self, name: &Name, expected: u64) -> Result<(), Error> {
        let mut patience = self.shelf.patience();
        let held = self.read(name, &patience).await?.ok_or_else(|| missing(name))?;
        let is = held.checkpoint.number;
        if is != expected {
            return Err(conflict(name, format!("the checkpoint has number {is}, not {expected}")));
        }
        self.shelf.remove(name, held.revision, &mut patience).await
    }

    /// Deletes stored bytes that are *corrupt* and have a revision.
    ///
    /// # Errors
    /// Those of [`force`](Self::force).
    pub async fn discard(&self, name: &Name, revision: Revision) -> Result<(), Error> {
        let mut patience = self.shelf.patience();
        self.expect_damage(name, revision, &patience).await?;
        self.shelf.remove(name, revision, &mut patience).await
    }

    /// Lists checkpoints in the order of names, after one, of some kinds or of all if none is
    /// named.
    ///
    /// At most so many are looked at for a page, so that one may show fewer, or none; the last one
    /// has no [`next`](Listing::next). What a checkpoint was built on is not checked here.
    ///
    /// # Errors
    /// *refused* for a page of none or above the limit, *unavailable*, *deadline*, *permission*;
    /// what can't be read is a row, whatever kind it was of.
    pub async fn list(
        &self,
        kinds: &[Kind],
        after: Option<&Name>,
        rows: usize,
    ) -> Result<Listing, Error> {
        listing::page(&self.shelf, kinds, after, rows).await
    }

    async fn read(&self, name: &Name, patience: &Patience) -> Result<Option<Held>, Error> {
        let Some(document) = self.shelf.find(name, patience).await? else {
            return Ok(None);
        };
        let revision = document.revision;
        let read = checkpoint_document::read(name, &document.bytes);
        let (checkpoint, unknown) = read.map_err(|why| about(why.into_error(revision), name))?;
        Ok(Some(Held { checkpoint, unknown, revision }))
    }

    /// What is stored, where the session holds what it was built on.
    async fn held(&self, name: &Name, patience: &Patience) -> Result<Option<Held>, Error> {
        let held = self.read(name, patience).await?;
        if let Some(Held { checkpoint, revision, .. }) = &held {
            let checked = basis::check_stored(&self.shelf, checkpoint, *revision, patience).await;
            checked.map_err(|error| about(error, name))?;
        }
        Ok(held)
    }

    /// Fails unless what is stored is damaged and has a revision.
    async fn expect_damage(
        &self,
        name: &Name,
        revision: Revision,
        patience: &Patience,
    ) -> Result<(), Error> {
        match self.held(name, patience).await {
            Ok(Some(_)) => Err(conflict(name, "the checkpoint is not damaged")),
            Ok(None) => Err(missing(name)),
            Err(error)
                if error.kind() == ErrorKind::Corrupt
                    && error.actual_revision() == Some(revision) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Puts a checkpoint with the time, which does not fall below the one that it has.
    async fn put(
        &self,
        new: Checkpoint,
        unknown: &Members,
        precondition: Precondition,
        patience: &mut Patience,
    ) -> Result<Checkpoint, Error> {
        let checked = basis::check_before_put(&self.shelf, &new, patience).await;
        checked.map_err(|error| about(error, &new.name))?;
        let now = self.shelf.options().clock.now();
        let new = Checkpoint { updated_at: now.max(new.updated_at), ..new };
        let bytes = checkpoint_document::write(&new, unknown)?;
        let value = Value { bytes, session: new.session.clone() };
        self.shelf.swap(&new.name, value, precondition, patience).await?;
        Ok(new)
    }
}

fn about(error: Error, name: &Name) -> Error {
    error.about(format_args!("checkpoint {name}"))
}

fn missing(name: &Name) -> Error {
    about(Error::new(ErrorKind::Missing, "there is no such checkpoint"), name)
}

fn conflict(name: &Name, clause: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    let error = Error::new(ErrorKind::Conflict, clause);
    about(error.with_hint("load it, then decide again"), name)
}

impl From<&Store> for Checkpoints {
    /// The checkpoints of a store's space, with its options. Closing the store does not wait for
    /// them.
    fn from(store: &Store) -> Self {
        let backend = Arc::clone(store.backend());
        Self::with(backend, store.space_name().clone(), store.options().clone())
    }
}
