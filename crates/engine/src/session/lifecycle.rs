//! Closing and deleting.

use serde::Serialize;
use sessile_core::backend::Appended;
use sessile_core::entry::shape::{Close, Delete};
use sessile_core::fold::{Lifecycle, SessionState};
use sessile_core::{Commit, EntryType, Error, NewEntry, Payload};

use super::handle::Session;
use crate::mutation::{self, Decision, Mutation};

impl Session {
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

    async fn end<T: Serialize>(
        &self,
        lifecycle: Lifecycle,
        entry_type: EntryType,
        data: &T,
    ) -> Result<(), Error> {
        let opened = self.resident().opened();
        let entry = NewEntry::new(opened.now(), entry_type, Payload::of(data)?);
        let (id, token) = (opened.commit_id()?, opened.token());
        let commit = Commit::new(id, token, vec![entry], opened.limits())?;
        mutation::carry_out(self.resident(), Ending { lifecycle, commit }).await
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
