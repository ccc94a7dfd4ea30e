//! The handle of a store.

use std::fmt;
use std::sync::Arc;

use sessile_core::{Backend, CommitId, Error, ErrorKind, SessionId, SessionKey, Space};

use crate::creation;
use crate::listing::{self, Filter, Listing, Page};
use crate::new_session::NewSession;
use crate::opened::Opened;
use crate::options::Options;
use crate::purge;
use crate::resident::Resident;
use crate::session::Session;
use crate::status::Status;
use crate::vacuum::{self, Vacuumed};
use crate::verify::{self, Verification};

/// A backend opened at a place, seen from one space.
///
/// A handle is cheap to clone and may be used from any number of tasks. Sessions of one space
/// can't be seen or reached from another, which answers as if they had never been. Every call
/// needs a tokio runtime whose time is enabled.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_engine::{Filter, NewSession, Page, Store};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let store = Store::on(Arc::new(MemoryBackend::new())).space("tenant-7")?;
/// let session = store.open_or_create("ses_42", NewSession::new().project("shop")).await?;
/// session.append(["hi"]).await?;
///
/// let page = store.list(Filter::all().project("shop"), Page::of(50)).await?;
/// assert_eq!(page.sessions[0].messages, 1);
/// assert!(page.next.is_none());
/// store.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Store {
    opened: Arc<Opened>,
    space: Space,
}

impl Store {
    /// Opens a backend in the default space, with default options.
    pub fn on(backend: Arc<dyn Backend>) -> Self {
        Self::with(backend, Options::default())
    }

    /// Opens a backend in the default space.
    pub fn with(backend: Arc<dyn Backend>, options: Options) -> Self {
        Self { opened: Arc::new(Opened::new(backend, options)), space: Space::default() }
    }

    /// The same store, seen from another space.
    ///
    /// # Errors
    /// *invalid id* for a name that is none.
    pub fn space(&self, name: impl TryInto<Space, Error: Into<Error>>) -> Result<Self, Error> {
        Ok(Self { opened: Arc::clone(&self.opened), space: name.try_into().map_err(Into::into)? })
    }

    /// Creates a session under a minted id.
    ///
    /// A mutation without a key of the caller's: if its answer is lost, the session may be there
    /// without anybody knowing its id. Where that matters, choose the id and use
    /// [`open_or_create`](Self::open_or_create).
    ///
    /// # Errors
    /// *refused* or *invalid id* for what the session can't be created with; *unavailable*,
    /// *deadline*, *permission*. Nothing is there then, unless the outcome is unknown.
    pub async fn create(&self, new: NewSession) -> Result<Session, Error> {
        let id = self.opened.session_id()?;
        self.create_as(id, new).await
    }

    /// Creates a session under an id of the caller's.
    ///
    /// # Errors
    /// Those of [`create`](Self::create); *exists* when there is one already, *deleted* when
    /// there was one: an id is never used twice.
    pub async fn create_as(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        mut new: NewSession,
    ) -> Result<Session, Error> {
        let key = self.key(id)?;
        new.check()?;
        self.create_at(key, &new).await
    }

    /// Opens a session; reads only, and writes nothing, anywhere.
    ///
    /// What was damaged or set aside does not stand in the way: the handle's
    /// [`receipt`](Session::receipt) tells of it. It reads the journal's end, back to the last
    /// derived state, however long the session is; damage before that is found by the reads that
    /// meet it, and by [`verify`](Self::verify).
    ///
    /// # Errors
    /// *missing*, *deleted*; *corrupt* when the header can't be read or names another session;
    /// *unknown version*, *unavailable*, *deadline*, *permission*.
    pub async fn open_session(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<Session, Error> {
        let key = self.key(id)?;
        self.load(key).await
    }

    /// Opens a session, or creates it where there is none.
    ///
    /// What is asked for of an existing session's header must be what it is; what is left out is
    /// not compared, and neither is metadata, which is not changed either. Safe to repeat.
    ///
    /// # Errors
    /// Those of [`open_session`](Self::open_session) but for *missing*, and of
    /// [`create`](Self::create); *mismatch* naming the first difference.
    pub async fn open_or_create(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        mut new: NewSession,
    ) -> Result<Session, Error> {
        let key = self.key(id)?;
        new.check()?;
        let opened = match self.load(key.clone()).await {
            Err(error) if error.kind() == ErrorKind::Missing => {
                match self.create_at(key.clone(), &new).await {
                    // Somebody else was faster.
                    Err(error) if error.kind() == ErrorKind::Exists => self.load(key).await,
                    created => return created,
                }
            }
            opened => opened,
        };
        let session = opened?;
        let agreed = new.agrees_with(session.resident().folded().state().header());
        agreed.map_err(|error| error.about(session.resident().key()))?;
        Ok(session)
    }

    /// Lists sessions of the space, newest first, a page at a time; reads only.
    ///
    /// The order is that of the last time when a caller added something, then of ids. Walking all
    /// pages shows every session once while nothing is written; one that changes meanwhile moves
    /// to the front. How stale the order may be is the backend's
    /// [`recency_lag`](sessile_core::backend::Capabilities::recency_lag).
    ///
    /// A damaged session is a row like any other, and says so. Of each session that may belong
    /// on the page the end is read, as for opening it.
    ///
    /// # Errors
    /// *refused* for a page of no rows or of too many; *invalid id* for a filter by what is no
    /// name; *unavailable*, *deadline*, *permission*, never an empty page in their place.
    pub async fn list(&self, filter: Filter, page: Page) -> Result<Listing, Error> {
        listing::list(&self.opened, &self.space, filter, page).await
    }

    /// Reads everything of a session and says whether it is what was written; changes nothing.
    ///
    /// # Errors
    /// *missing*, *unknown version*, *unavailable*, *deadline*, *permission*. Damage is what the
    /// answer is about, not an error.
    pub async fn verify(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<Verification, Error> {
        let key = self.key(id)?;
        verify::verify(&self.opened, &key).await
    }

    /// Deletes a session; deleting it twice is deleting it once.
    ///
    /// # Errors
    /// *missing*, and those of [`Session::delete`].
    pub async fn delete(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<(), Error> {
        let key = self.key(id)?;
        // A tombstone that is known from reading only is made sure of by deleting again.
        let resident = Resident::load(Arc::clone(&self.opened), key).await;
        match resident {
            Ok(resident) => Session::new(resident).delete().await,
            Err(error) if error.kind() == ErrorKind::Deleted => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Takes a deletion back, and opens the session as it was before.
    ///
    /// # Errors
    /// *missing*, and those of [`Session::undelete`] and [`open_session`](Self::open_session).
    pub async fn undelete(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<Session, Error> {
        let key = self.key(id)?;
        let session = Session::new(Resident::load(Arc::clone(&self.opened), key).await?);
        session.undelete().await?;
        Ok(session)
    }

    /// Removes what a deleted session held, but for its tombstone.
    ///
    /// # Errors
    /// *missing*, and those of [`Session::purge`].
    pub async fn purge(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<(), Error> {
        let key = self.key(id)?;
        purge::purge(&self.opened, &key).await
    }

    /// Drops what the journal of a session holds and nobody needs any more, physically.
    ///
    /// Now that is the derived states that a later one has made superfluous. Nothing that any
    /// read tells is changed, no number, ordinal, position or commit id; the whole journal is held
    /// in memory meanwhile. It needs no expected position, because nothing that it says changes,
    /// and vacuuming twice is vacuuming once.
    ///
    /// # Errors
    /// *missing*, *deleted*; *corrupt* where damage is to be kept as it is; *unsupported* where
    /// the backend can't rewrite; *unavailable*, *deadline*, *permission*.
    pub async fn vacuum(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<Vacuumed, Error> {
        let key = self.key(id)?;
        vacuum::vacuum(&self.opened, &key).await
    }

    /// Tells what the store is doing now; asks the backend for nothing.
    pub fn status(&self) -> Status {
        Status::of(&self.opened, &self.space)
    }

    /// Lists the spaces that hold anything, in the order of names, after one, at most so many.
    ///
    /// # Errors
    /// *refused* for none at all; *unavailable*, *deadline*, *permission*.
    pub async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        if limit == 0 {
            return Err(Error::new(ErrorKind::Refused, "a list of 0 spaces shows nothing")
                .with_hint("ask for at least 1"));
        }
        let spaces = self.opened.backend().spaces(after, limit);
        self.opened.deadline().bound(spaces).await.flatten()
    }

    /// Mints a commit id, for an append that is to be safe to repeat.
    ///
    /// # Errors
    /// None with the source of randomness of this crate.
    pub fn mint_commit_id(&self) -> Result<CommitId, Error> {
        self.opened.commit_id()
    }

    /// Waits for mutations under way in all spaces, and gives back what the backend holds; every
    /// later mutation through this handle or another of the store is refused.
    ///
    /// # Errors
    /// *unavailable* when something could not be given back; nothing that was acknowledged is
    /// lost by it.
    pub async fn close(&self) -> Result<(), Error> {
        self.opened.close().await
    }

    /// The store's backend and options.
    pub(crate) const fn opened(&self) -> &Arc<Opened> {
        &self.opened
    }

    /// The space that it is seen from.
    pub(crate) const fn space_name(&self) -> &Space {
        &self.space
    }

    /// The name of a session in the space.
    pub(crate) fn key(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<SessionKey, Error> {
        Ok(SessionKey { space: self.space.clone(), id: id.try_into().map_err(Into::into)? })
    }

    /// Opens a session that was not deleted.
    pub(crate) async fn load(&self, key: SessionKey) -> Result<Session, Error> {
        let resident = Resident::load(Arc::clone(&self.opened), key).await?;
        // Of a deleted session only the tombstone speaks.
        resident.refuse_deleted()?;
        Ok(Session::new(resident))
    }

    async fn create_at(&self, key: SessionKey, new: &NewSession) -> Result<Session, Error> {
        let entries = new.entries(&key, &self.opened)?;
        Ok(Session::new(creation::create(&self.opened, key, entries).await?))
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("backend", self.opened.backend())
            .field("space", &self.space)
            .finish_non_exhaustive()
    }
}
