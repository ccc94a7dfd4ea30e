//! Closing, deleting, and taking a deletion back.

use std::sync::Arc;

use serde::Serialize;
use sessile_core::backend::Appended;
use sessile_core::entry::shape::{Close, Delete, Undelete};
use sessile_core::fold::{Lifecycle, SessionState};
use sessile_core::{Commit, EntryType, Error, ErrorKind, NewEntry, Payload, Position};

use super::handle::Session;
use crate::decision::Decision;
use crate::masking;
use crate::mutation::{self, Mutation};
use crate::purge;

impl Session {
    /// Has a torn tail set aside now, and not by the next append, and completes what was recorded to
    /// be removed and was cut short; answers whether there was any of it.
    ///
    /// Nothing else changes, the time of the last update included. It needs no expected position:
    /// what it sets aside is nobody's, and repairing twice is repairing once. It reads the whole
    /// journal.
    ///
    /// A copy from another store that was cut short is not repaired: the note of it would take the
    /// number of an entry that is still to come. Copying again sets the tail aside and completes it.
    ///
    /// # Errors
    /// *incomplete* for such a copy; *deleted*, *unavailable*, *deadline*, *permission*;
    /// *unsupported* where something is to be removed and the backend can't.
    pub async fn repair(&self) -> Result<bool, Error> {
        let in_use = self.admit_change().await?;
        let resident = Arc::clone(&in_use);
        resident.catch_up().await?;
        let unreached = resident.folded().state().unreached();
        if let Some(end) = unreached
            && resident.folded().is_torn()
        {
            return Err(cut_short(end).about(resident.key()));
        }
        let was_torn = mutation::repair(&resident).await?;
        if resident.folded().state().lifecycle() == Lifecycle::Deleted {
            return Ok(was_torn);
        }
        let opened = Arc::clone(resident.opened());
        let completing = async move {
            masking::complete(&resident).await.map_err(|error| error.about(resident.key()))
        };
        let was_unfinished = opened.carry(completing).await?;
        Ok(was_torn || was_unfinished)
    }

    /// Closes the session to messages; it takes events and metadata further on.
    ///
    /// It needs no expected position: whatever was added before stays, and closing twice is
    /// closing once.
    ///
    /// # Errors
    /// *deleted*, *unavailable*, *deadline*, *permission*.
    pub async fn close(&self) -> Result<(), Error> {
        self.end(Lifecycle::Closed, EntryType::Close, &Close::default()).await
    }

    /// Deletes the session: a tombstone is its last word, and its id is never used again.
    ///
    /// It needs no expected position: whatever was added before is deleted with it, and deleting
    /// twice is deleting once.
    ///
    /// # Errors
    /// *unavailable*, *deadline*, *permission*.
    pub async fn delete(&self) -> Result<(), Error> {
        self.end(Lifecycle::Deleted, EntryType::Delete, &Delete::default()).await
    }

    /// Takes the deletion back: the session is what it was before.
    ///
    /// It needs no expected position: nothing was added since it was deleted, and undeleting
    /// twice is undeleting once.
    ///
    /// # Errors
    /// *deleted* once it was purged; *unavailable*, *deadline*, *permission*.
    pub async fn undelete(&self) -> Result<(), Error> {
        let opened = self.opened();
        let data = Payload::of(&Undelete::default())?;
        let entry = NewEntry::new(opened.now(), EntryType::Undelete, data);
        let (id, token) = (opened.commit_id()?, opened.token());
        let commit = Commit::new(id, token, vec![entry], opened.limits())?;
        mutation::carry_out(&*self.admit_change().await?, Return(commit)).await
    }

    /// Removes what a deleted session held, but for its tombstone: its id is never used again,
    /// and the deletion can't be taken back any more.
    ///
    /// It needs no expected position: only a deleted session can be purged, and purging twice is
    /// purging once.
    ///
    /// # Errors
    /// *conflict* when it is not deleted; *unsupported* where the backend can't; *unavailable*,
    /// *deadline*, *permission*.
    pub async fn purge(&self) -> Result<(), Error> {
        purge::purge(self.opened(), self.key()).await
    }

    async fn end<T: Serialize>(
        &self,
        lifecycle: Lifecycle,
        entry_type: EntryType,
        data: &T,
    ) -> Result<(), Error> {
        let opened = self.opened();
        let entry = NewEntry::new(opened.now(), entry_type, Payload::of(data)?);
        let (id, token) = (opened.commit_id()?, opened.token());
        let commit = Commit::new(id, token, vec![entry], opened.limits())?;
        mutation::carry_out(&*self.admit_change().await?, Ending { lifecycle, commit }).await
    }
}

/// A step to the end of a session's life.
#[derive(Debug)]
struct Ending {
    lifecycle: Lifecycle,
    commit: Commit,
}

impl Mutation for Ending {
    type Answer = ();

    fn decide(&self, state: &SessionState) -> Result<Decision<()>, Error> {
        if state.lifecycle() == self.lifecycle {
            return Ok(Decision::Stands((), state.position()));
        }
        let mut types = self.commit.entries().iter().map(|entry| &entry.entry_type);
        types.try_for_each(|entry_type| state.accepts(entry_type))?;
        Ok(Decision::Append(self.commit.clone()))
    }

    fn appended(&self, _: Appended) {}
}

/// The way back from deletion.
#[derive(Debug)]
struct Return(Commit);

impl Mutation for Return {
    type Answer = ();

    fn decide(&self, state: &SessionState) -> Result<Decision<()>, Error> {
        if state.lifecycle() != Lifecycle::Deleted {
            return Ok(Decision::Stands((), state.position()));
        }
        state.accepts(&EntryType::Undelete)?;
        Ok(Decision::Append(self.0.clone()))
    }

    fn appended(&self, _: Appended) {}
}

/// Why a copy whose source ended at a position is not repaired.
pub(crate) fn cut_short(end: Position) -> Error {
    let clause = format!("it is a copy that was cut short: its source ended at position {end}");
    Error::new(ErrorKind::Incomplete, clause).with_hint(
        "copy it again, which completes it; `sessile fork` makes what is there a session of its own",
    )
}
