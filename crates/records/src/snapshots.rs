//! The snapshots of a space.

mod listing;

pub use listing::{SnapshotListing, SnapshotRow};

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use sessile_core::backend::{Document, Precondition};
use sessile_core::{Backend, Error, ErrorKind, Name, Payload, Revision, SessionId, Space};
use sessile_engine::{Options, Store};
use sessile_interchange::json::{self, Object};

use crate::acceptance::{Acceptance, Accepted};
use crate::basis;
use crate::envelope::{Envelope, check_either, with_revision};
use crate::patience::Patience;
use crate::shelf::{Shelf, Value};

/// The collection that they lie in.
const COLLECTION: &str = "snapshots";

/// The collection of what was accepted of them.
const ACCEPTED: &str = "accepted-identities";

/// The snapshots of a space, each under a name of its own.
///
/// A document holds exactly the bytes that a [file](sessile_interchange::snapshot) of the snapshot
/// would. What is saved is as strictly checked as what is loaded, so that whatever is there can be
/// read back; each save names the revision that it goes on from.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_core::{ErrorKind, Space};
/// use sessile_interchange::json::Object;
/// use sessile_interchange::snapshot::OwnSnapshot;
/// use sessile_memory::MemoryBackend;
/// use sessile_records::Snapshots;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let snapshots = Snapshots::on(Arc::new(MemoryBackend::new()), Space::default());
/// let (name, terms) = ("run-7".parse()?, Object::default().with("model", "large"));
/// // Missing is a first run.
/// assert!(snapshots.resume::<OwnSnapshot>(&name, &terms).await?.is_none());
/// snapshots.save(&name, &OwnSnapshot::of(terms, 1_u64)?, None).await?;
///
/// let other = Object::default().with("model", "small");
/// let refused = snapshots.resume::<OwnSnapshot>(&name, &other).await.unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::Mismatch);
/// // Somebody looks at the difference, and says that the run may go on.
/// let kept = snapshots.load::<OwnSnapshot>(&name).await?.expect("it was saved");
/// snapshots.accept::<OwnSnapshot>(&name, &other, kept.revision).await?;
/// assert!(snapshots.resume::<OwnSnapshot>(&name, &other).await?.is_some());
/// assert_eq!(snapshots.accepted(&name).await?.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshots {
    shelf: Shelf,
    accepted: Shelf,
    session: Option<SessionId>,
}

/// A snapshot as it is kept.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::Space;
/// # use sessile_interchange::{json::Object, snapshot::OwnSnapshot};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_core::ErrorKind;
/// use sessile_records::{KeptSnapshot, Snapshots};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let snapshots = Snapshots::on(Arc::new(memory.clone()), Space::default());
/// # let (name, terms) = ("run-7".parse()?, Object::default().with("model", "large"));
/// # let of = |state: u64| OwnSnapshot::of(terms.clone(), state);
/// snapshots.save(&name, &of(1)?, None).await?;
/// let kept: Option<KeptSnapshot<OwnSnapshot>> = snapshots.load(&name).await?;
/// let kept = kept.expect("it was saved");
/// snapshots.save(&name, &of(2)?, Some(kept.revision)).await?;
///
/// // Another run that went on from the same snapshot does not overwrite what came of it.
/// let late = snapshots.save(&name, &of(3)?, Some(kept.revision)).await;
/// assert_eq!(late.unwrap_err().kind(), ErrorKind::Conflict);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct KeptSnapshot<S> {
    /// The snapshot.
    pub snapshot: S,
    /// Its revision, which the next save goes on from.
    pub revision: Revision,
}

impl<S> fmt::Debug for KeptSnapshot<S> {
    /// Tells the revision only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptSnapshot").field("revision", &self.revision).finish_non_exhaustive()
    }
}

impl Snapshots {
    /// The snapshots of a space of a backend, with the usual options.
    pub fn on(backend: Arc<dyn Backend>, space: Space) -> Self {
        Self::with(backend, space, Options::default())
    }

    /// The same with options: clock, randomness, deadline, and the limits of documents and pages.
    pub fn with(backend: Arc<dyn Backend>, space: Space, options: Options) -> Self {
        let shelf = Shelf::of(backend, space, COLLECTION, options);
        Self { accepted: shelf.beside(ACCEPTED), shelf, session: None }
    }

    /// Those of a namespace, apart from all others.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidId`] for a name that is none, or has more than 1,000 bytes.
    pub fn namespace(self, name: impl TryInto<Name, Error: Into<Error>>) -> Result<Self, Error> {
        let name = name.try_into().map_err(Into::into)?;
        let accepted = self.accepted.within(name.clone())?;
        Ok(Self { shelf: self.shelf.within(name)?, accepted, session: self.session })
    }

    /// The same, and what is saved from here on goes with a session: purging it removes them.
    #[must_use]
    pub fn of_session(self, session: SessionId) -> Self {
        Self { session: Some(session), ..self }
    }

    /// The snapshot of a name; none before the first run has saved one.
    ///
    /// # Errors
    /// *corrupt* that names the part that is wrong, with the revision that a
    /// [save](Self::save) may name; *unknown version* with both versions; *deleted* where the
    /// session is that it goes with; *unavailable*, *deadline*, *permission*.
    pub async fn load<S: Envelope>(&self, name: &Name) -> Result<Option<KeptSnapshot<S>>, Error> {
        let patience = self.shelf.patience();
        self.held(name, &patience).await
    }

    /// The snapshot of a name for a run of an identity; none before the first run has saved one.
    ///
    /// # Errors
    /// *mismatch* that names the first place at which the identities differ and both values: begin
    /// anew, take another name, or [accept](Self::accept) it. Else those of [`load`](Self::load).
    pub async fn resume<S: Envelope>(
        &self,
        name: &Name,
        current: &S::Identity,
    ) -> Result<Option<KeptSnapshot<S>>, Error> {
        let kept = self.load::<S>(name).await?;
        if let Some(kept) = &kept {
            kept.snapshot.check(current).map_err(|error| about(error, name))?;
        }
        Ok(kept)
    }

    /// Lets a run of another identity go on from a snapshot of a revision: records both identities,
    /// then puts the new one in place of the saved one.
    ///
    /// Where they do not differ nothing is done. A crash in between leaves a record of what was
    /// accepted and not done; accepting it again does it.
    ///
    /// # Errors
    /// *missing*, *conflict* where it has another revision, *refused* for an identity that could
    /// not be read back, and those of [`load`](Self::load).
    pub async fn accept<S: Envelope>(
        &self,
        name: &Name,
        current: &S::Identity,
        revision: Revision,
    ) -> Result<KeptSnapshot<S>, Error> {
        let mut patience = self.shelf.patience();
        let kept = self.held::<S>(name, &patience).await?.ok_or_else(|| missing(name))?;
        if kept.revision != revision {
            return Err(about(Error::document_conflict(Some(kept.revision)), name));
        }
        if kept.snapshot.check(current).is_ok() {
            return Ok(kept);
        }
        let (saved, current_told) = (kept.snapshot.own_told(), S::told(current));
        let snapshot = kept.snapshot.under(current).map_err(|error| about(error, name))?;
        self.record(name, saved, current_told, &mut patience).await?;
        let revision = self.put(name, &snapshot, Some(revision), &mut patience).await?;
        Ok(KeptSnapshot { snapshot, revision })
    }

    /// The identities that were accepted for a snapshot, the last 32, in their order.
    ///
    /// # Errors
    /// *corrupt*, *unknown version*, *unavailable*, *deadline*, *permission*.
    pub async fn accepted(&self, name: &Name) -> Result<Vec<Acceptance>, Error> {
        let patience = self.accepted.patience();
        let (accepted, _) = self.recorded(name, &patience).await?;
        Ok(accepted.all)
    }

    /// Saves a snapshot in place of the one that has a revision, or where there is none; answers
    /// its revision.
    ///
    /// # Errors
    /// *conflict* with the revision that is there where it is another one, *refused* for one above
    /// the limit of a document, *missing* and *deleted* of the session that it is to go with,
    /// *unavailable*, *deadline*, *permission*. After one with an unknown outcome load it, and
    /// look.
    pub async fn save<S: Envelope>(
        &self,
        name: &Name,
        snapshot: &S,
        expected: Option<Revision>,
    ) -> Result<Revision, Error> {
        let mut patience = self.shelf.patience();
        if let Some(session) = &self.session {
            let checked = basis::check_session(&self.shelf, session, &patience).await;
            checked.map_err(|error| about(error, name))?;
        }
        self.put(name, snapshot, expected, &mut patience).await
    }

    /// Takes over the bytes of a snapshot's file, of either envelope, as they are; answers whether
    /// they were not there yet.
    ///
    /// # Errors
    /// *corrupt* and *unknown version* of the bytes, *conflict* where others are there, and those
    /// of [`save`](Self::save).
    pub async fn take_over(&self, name: &Name, bytes: &[u8]) -> Result<bool, Error> {
        let mut patience = self.shelf.patience();
        check_either(bytes)?;
        if let Some(held) = self.shelf.find(name, &patience).await? {
            if held.bytes == bytes {
                return Ok(false);
            }
            return Err(about(Error::document_conflict(Some(held.revision)), name));
        }
        if let Some(session) = &self.session {
            let checked = basis::check_session(&self.shelf, session, &patience).await;
            checked.map_err(|error| about(error, name))?;
        }
        let value = Value { bytes: bytes.to_vec(), session: self.session.clone() };
        let put = self.shelf.swap(name, value, Precondition::Absent, &mut patience).await;
        put.map(|_| true).map_err(|error| about(error, name))
    }

    /// The bytes of a snapshot's file, of either envelope, if there is one.
    ///
    /// # Errors
    /// Those of [`load`](Self::load), whichever envelope it is.
    pub async fn bytes(&self, name: &Name) -> Result<Option<Bytes>, Error> {
        let Some(held) = self.shelf.find(name, &self.shelf.patience()).await? else {
            return Ok(None);
        };
        let checked = check_either(&held.bytes);
        checked.map_err(|error| about(with_revision(error, held.revision), name))?;
        Ok(Some(held.bytes))
    }

    /// Deletes what has a revision, also what is damaged, and what was accepted of it.
    ///
    /// # Errors
    /// *missing*, *conflict* with the revision that is there, *unavailable*, *deadline*,
    /// *permission*.
    pub async fn delete(&self, name: &Name, revision: Revision) -> Result<(), Error> {
        let mut patience = self.shelf.patience();
        self.shelf.remove(name, revision, &mut patience).await?;
        match self.accepted.find(name, &patience).await? {
            Some(held) => self.accepted.remove(name, held.revision, &mut patience).await,
            None => Ok(()),
        }
    }

    /// Lists snapshots of both envelopes in the order of names, after one.
    ///
    /// # Errors
    /// *refused* for a page of none or above the limit, *unavailable*, *deadline*, *permission*;
    /// what can't be read is a row.
    pub async fn list(&self, after: Option<&Name>, rows: usize) -> Result<SnapshotListing, Error> {
        listing::page(&self.shelf, after, rows).await
    }

    async fn held<S: Envelope>(
        &self,
        name: &Name,
        patience: &Patience,
    ) -> Result<Option<KeptSnapshot<S>>, Error> {
        let Some(Document { bytes, revision, session, .. }) =
            self.shelf.find(name, patience).await?
        else {
            return Ok(None);
        };
        if let Some(session) = session {
            match basis::check_session(&self.shelf, &session, patience).await {
                Err(error) if error.kind() != ErrorKind::Missing => return Err(about(error, name)),
                _ => {}
            }
        }
        let snapshot = S::decode(&bytes);
        let snapshot = snapshot.map_err(|error| about(with_revision(error, revision), name))?;
        Ok(Some(KeptSnapshot { snapshot, revision }))
    }

    async fn put<S: Envelope>(
        &self,
        name: &Name,
        snapshot: &S,
        expected: Option<Revision>,
        patience: &mut Patience,
    ) -> Result<Revision, Error> {
        let session = match (&self.session, expected) {
            (Some(session), _) => Some(session.clone()),
            // What went with a session goes on doing so.
            (None, Some(_)) => self.shelf.session_of(name, patience).await?,
            (None, None) => None,
        };
        let value = Value { bytes: snapshot.encode().into_bytes(), session };
        let precondition = expected.map_or(Precondition::Absent, Precondition::Revision);
        let put = self.shelf.swap(name, value, precondition, patience).await;
        put.map_err(|error| about(error, name))
    }

    async fn recorded(
        &self,
        name: &Name,
        patience: &Patience,
    ) -> Result<(Accepted, Option<Document>), Error> {
        let Some(held) = self.accepted.find(name, patience).await? else {
            return Ok((Accepted::default(), None));
        };
        let read = Accepted::read(&held.bytes);
        let accepted = read.map_err(|why| about(why.into_error(held.revision), name))?;
        Ok((accepted, Some(held)))
    }

    async fn record(
        &self,
        name: &Name,
        saved: Object,
        current: Object,
        patience: &mut Patience,
    ) -> Result<(), Error> {
        let told = |identity: Object| Payload::parse(json::compact(&identity.into()));
        let (saved, current) = (told(saved)?, told(current)?);
        loop {
            let (mut accepted, held) = self.recorded(name, patience).await?;
            accepted.add(saved.clone(), current.clone(), self.shelf.options().clock.now());
            let session = held.as_ref().and_then(|held| held.session.clone());
            let session = self.session.clone().or(session);
            let value = Value { bytes: accepted.write()?, session };
            let precondition = match held {
                Some(held) => Precondition::Revision(held.revision),
                None => Precondition::Absent,
            };
            match self.accepted.swap(name, value, precondition, patience).await {
                // Somebody else accepted something: both stand in the record.
                Err(error) if error.kind() == ErrorKind::Conflict && patience.pause().await => {}
                put => return put.map(drop),
            }
        }
    }
}

fn about(error: Error, name: &Name) -> Error {
    error.about(format_args!("snapshot {name}"))
}

fn missing(name: &Name) -> Error {
    about(Error::new(ErrorKind::Missing, "there is no such snapshot"), name)
}

impl From<&Store> for Snapshots {
    /// The snapshots of a store's space, with its options. Closing the store does not wait for
    /// them.
    fn from(store: &Store) -> Self {
        let backend = Arc::clone(store.backend());
        Self::with(backend, store.space_name().clone(), store.options().clone())
    }
}
