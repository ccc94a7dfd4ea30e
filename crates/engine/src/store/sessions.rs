//! Creating, opening and listing sessions.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind, SessionId, SessionKey};

use super::handle::Store;
use crate::creation;
use crate::identity::Expected;
use crate::listing::{self, Filter, Listing, Page};
use crate::new_session::NewSession;
use crate::resident::Resident;
use crate::session::Session;

impl Store {
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
        let id = self.opened().session_id()?;
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
    /// *missing*, *deleted*; *incomplete* for a fork that was cut short, which nobody may take for
    /// a session: forking again under its id completes it, deleting it drops it; *corrupt* when
    /// the header can't be read or names another session; *unknown version*, *unavailable*,
    /// *deadline*, *permission*.
    pub async fn open_session(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<Session, Error> {
        let key = self.key(id)?;
        self.load(key).await
    }

    /// Opens a session if it is what a run expects; reads only, and writes nothing, anywhere.
    ///
    /// Nobody gets a handle before the identities were compared. It is compared once: who is told
    /// later that another difference was [accepted](Session::accept) is whoever opens it then.
    ///
    /// # Errors
    /// Those of [`open_session`](Self::open_session); *mismatch* that names the first field that
    /// differs and both values, with the two ways out: opening it as what it is, and accepting
    /// the difference, which the hint names; *refused* for values without JSON form; *corrupt*
    /// where the record of what was accepted can't be read.
    pub async fn open_with(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
        expected: &Expected,
    ) -> Result<Session, Error> {
        let key = self.key(id)?;
        let session = self.load(key).await?;
        let info = session.info();
        let compared = info.identity().and_then(|saved| expected.differences(&saved)?.check());
        compared.map_err(|error| error.about(session.key()))?;
        Ok(session)
    }

    /// Opens a session, or creates it where there is none.
    ///
    /// What is asked for of an existing session's header must be what it is, of its identity what
    /// it was [accepted](Session::accept) to be since; what is left out is not compared, and
    /// neither is metadata, which is not changed either. Safe to repeat.
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
        let agreed = new.agrees_with(&session.info());
        agreed.map_err(|error| error.about(session.key()))?;
        Ok(session)
    }

    /// Lists sessions of the space, newest first, a page at a time; reads only.
    ///
    /// The order is that of the last time when a caller added something, then of ids. Walking all
    /// pages shows every session once while nothing is written; one that changes meanwhile moves
    /// to the front. How stale the order may be is the backend's
    /// [`recency_lag`](sessile_core::backend::Capabilities::recency_lag).
    ///
    /// A damaged session is a row like any other, and says so. What was noted of a session by
    /// whoever had it open is shown as it is; of others that may belong on the page the end is read,
    /// as for opening them. Project, owner and parent are conditions that the backend knows how to
    /// look for.
    ///
    /// # Errors
    /// *refused* for a page of no rows or of too many; *invalid id* for a filter by what is no
    /// name; *unavailable*, *deadline*, *permission*, never an empty page in their place.
    pub async fn list(&self, filter: Filter, page: Page) -> Result<Listing, Error> {
        listing::list(self.opened(), self.space_name(), filter, page).await
    }

    /// Opens a session that was not deleted.
    pub(crate) async fn load(&self, key: SessionKey) -> Result<Session, Error> {
        Ok(Session::among(self.residency(), self.read(key).await?))
    }

    /// Reads a session that was not deleted.
    pub(crate) async fn read(&self, key: SessionKey) -> Result<Resident, Error> {
        let resident = Resident::load(Arc::clone(self.opened()), key).await?;
        // Of a deleted session only the tombstone speaks.
        resident.refuse_deleted()?;
        resident.refuse_incomplete()?;
        Ok(resident)
    }

    async fn create_at(&self, key: SessionKey, new: &NewSession) -> Result<Session, Error> {
        let entries = new.entries(&key, self.opened())?;
        let created = creation::create(self.opened(), key, entries).await?;
        Ok(Session::among(self.residency(), created))
    }
}
