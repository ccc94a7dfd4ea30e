//! Deleting, verifying and vacuuming sessions by their ids.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind, SessionId};

use super::handle::Store;
use crate::purge;
use crate::resident::Resident;
use crate::retention::{self, Erased, Erasure, Pruned, Retention};
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
            Ok(resident) => Session::among(self.residency(), resident).delete().await,
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
        let resident = Resident::load(Arc::clone(self.opened()), key).await?;
        let session = Session::among(self.residency(), resident);
        session.undelete().await?;
        session.at_hand().await?.refuse_incomplete()?;
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

    /// Deletes the sessions of the space that a retention does not keep, by the last activity that
    /// their journals record, never by the times of files; a dry run only says which it would be.
    ///
    /// All sessions are looked at before the first is deleted, so that both say the same. Each is
    /// deleted only where nobody has added to it since; the least missed go first, closed ones
    /// before active ones and the oldest first, so that a pruning that was cut short is completed by
    /// the next. What is deleted has a tombstone that names *retention* as the reason, and can be
    /// undeleted until it is purged. It needs no expected position: what changes meanwhile is kept.
    ///
    /// # Errors
    /// *refused* for a retention that can only be a mistake, *invalid id* for a filter by what is no
    /// name; *unavailable*, *deadline*, *permission* where it can't be told which sessions there
    /// are: nothing is deleted then. What fails for one session stands in the answer.
    pub async fn prune(&self, retention: &Retention, dry_run: bool) -> Result<Pruned, Error> {
        retention::prune(self.opened(), self.space_name(), retention, dry_run).await
    }

    /// Deletes and purges every session of an owner or of the space, whatever holds it, those
    /// deleted before included; a dry run, which needs no confirmation, only says which.
    ///
    /// Of each only header and tombstone are left. What can't be read is told and stays: nobody can
    /// say whose it is. So is what the backend does not purge yet, deleted: object storage waits 24
    /// hours. Asking again goes on where it was cut short. It needs no expected position: whatever
    /// was added before goes too.
    ///
    /// # Errors
    /// *refused* without the right confirmation, *unsupported* where the backend can't purge;
    /// *unavailable*, *deadline*, *permission* where it can't be told which sessions or documents
    /// there are. What fails for one session stands in the answer.
    pub async fn erase(&self, erasure: &Erasure, dry_run: bool) -> Result<Erased, Error> {
        retention::erase(self.opened(), self.space_name(), erasure, dry_run).await
    }
}
