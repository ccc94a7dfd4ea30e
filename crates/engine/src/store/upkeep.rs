//! Deleting, verifying and vacuuming sessions by their ids.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind, SessionId};

use super::handle::Store;
use crate::purge;
use crate::resident::Resident;
use crate::session::Session;
use crate::vacuum::{self, Vacuumed};
use crate::verify::{self, Verification};

impl Store {
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
        let resident = Resident::load(Arc::clone(self.opened()), key).await;
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
        let session = Session::new(Resident::load(Arc::clone(self.opened()), key).await?);
        session.undelete().await?;
        session.resident().refuse_incomplete()?;
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
        purge::purge(self.opened(), &key).await
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
        verify::verify(self.opened(), &key).await
    }

    /// Drops what the journal of a session holds and nobody needs any more, physically.
    ///
    /// That is the derived states that a later one has made superfluous, and metadata each of whose
    /// keys was set again. What the session is stays the same, and so does every number, ordinal,
    /// position and commit id; only [`entries`](crate::Session::entries) shows what is gone, and a
    /// fork at an earlier entry has the metadata that is left up to there. The journal is read and
    /// written a commit at a time, so that memory does not grow with it, and the deadline counts
    /// from the last commit that was written. It needs no expected position, because nothing that
    /// the journal says changes, and vacuuming twice is vacuuming once.
    ///
    /// # Errors
    /// *missing*, *deleted*; *corrupt* where damage is to be kept as it is; *unsupported* where
    /// the backend can't rewrite; *unavailable*, *deadline*, *permission*.
    pub async fn vacuum(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<Vacuumed, Error> {
        let key = self.key(id)?;
        vacuum::vacuum(self.opened(), &key).await
    }
}
