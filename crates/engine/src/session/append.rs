//! Appending messages and events.

use serde::Serialize;
use sessile_core::backend::Appended;
use sessile_core::fold::{Lifecycle, Lookup, Recorded, SessionState};
use sessile_core::{Commit, CommitId, EntryType, Error, ErrorKind, NewEntry, Payload};

use super::handle::Session;
use crate::append::{Append, Committed, Place};
use crate::mutation::{self, Decision, Mutation, hidden};
use crate::opened::Opened;

impl Session {
    /// Appends messages at the end, whoever else appends meanwhile; all of them or none.
    ///
    /// Each is serialised once and kept as it is from then on. To keep the bytes of JSON that you
    /// have as text, give a [`Payload`].
    ///
    /// It needs no expected position, because it asks for none, and its commit id is minted: to
    /// be able to repeat it after a lost answer, use [`append_with`](Self::append_with) and name
    /// a commit id.
    ///
    /// # Errors
    /// *refused* for an empty batch, a value without JSON form, or above a limit; *closed*,
    /// *deleted*, *unavailable*, *deadline*, *permission*. When [`outcome`](Error::outcome) is
    /// unknown, [`resolve`](Self::resolve) finds it out.
    pub async fn append<T: Serialize>(
        &self,
        messages: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_with(Append::at_end(), messages).await
    }

    /// Appends messages where, and under which commit id, the caller says; all of them or none.
    ///
    /// # Errors
    /// Those of [`append`](Self::append); *conflict* with the actual position when something was
    /// added since the expected one, or when the commit id stands for other content; *corrupt*
    /// when damage may hide a commit of that id.
    pub async fn append_with<T: Serialize>(
        &self,
        append: Append,
        messages: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_all(append, &EntryType::Message, messages).await
    }

    /// Appends events at the end: what happened, outside the transcript. Closed sessions take
    /// them too.
    ///
    /// # Errors
    /// Those of [`append`](Self::append) but for *closed*.
    pub async fn append_events<T: Serialize>(
        &self,
        events: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_events_with(Append::at_end(), events).await
    }

    /// Appends events where, and under which commit id, the caller says.
    ///
    /// # Errors
    /// Those of [`append_with`](Self::append_with) but for *closed*.
    pub async fn append_events_with<T: Serialize>(
        &self,
        append: Append,
        events: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_all(append, &EntryType::Event, events).await
    }

    /// Finds out what became of a commit whose outcome was unknown: what it did, or none, and
    /// then it never will do anything.
    ///
    /// It may append a barrier, because only a write can tell. The next mutation of a handle that
    /// was left with an unknown outcome does the same by itself.
    ///
    /// # Errors
    /// *corrupt* when damage may hide the commit; *unavailable*, *deadline*, *permission*.
    pub async fn resolve(&self, id: &CommitId) -> Result<Option<Committed>, Error> {
        let recorded = mutation::resolve(self.resident(), id.clone()).await?;
        Ok(recorded.map(|recorded| replayed(id.clone(), &recorded)))
    }

    async fn append_all<T: Serialize>(
        &self,
        append: Append,
        entry_type: &EntryType,
        values: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        let at = self.resident().opened().now();
        let entry = |value| {
            let data = Payload::of(&value)?;
            Ok(NewEntry::new(at, entry_type.clone(), data))
        };
        let entries = values.into_iter().map(entry).collect::<Result<_, Error>>()?;
        self.commit(append, entries).await
    }

    /// Appends entries as one commit.
    pub(crate) async fn commit(
        &self,
        append: Append,
        entries: Vec<NewEntry>,
    ) -> Result<Committed, Error> {
        // Checked before anything else: what can't be appended needs no state to be refused.
        let addition = Addition::new(self.resident().opened(), append, entries)
            .map_err(|error| error.about(self.resident().key()))?;
        mutation::carry_out(self.resident(), addition).await
    }
}

/// Entries of a caller's.
#[derive(Debug)]
pub(super) struct Addition {
    commit: Commit,
    place: Place,
    /// Whether the caller chose the commit id, so that it may be a repeat.
    is_given: bool,
}

impl Addition {
    /// Entries to append where, and under which commit id, the caller says.
    ///
    /// # Errors
    /// *refused* without entries or above a limit.
    pub(super) fn new(
        opened: &Opened,
        append: Append,
        entries: Vec<NewEntry>,
    ) -> Result<Self, Error> {
        let (place, given) = append.into_parts();
        let is_given = given.is_some();
        let id = given.map_or_else(|| opened.commit_id(), Ok)?;
        let commit = Commit::new(id, opened.token(), entries, opened.limits())?;
        Ok(Self { commit, place, is_given })
    }
}

impl Mutation for Addition {
    type Answer = Committed;

    fn decide(&self, state: &SessionState) -> Result<Decision<Committed>, Error> {
        let types = || self.commit.entries().iter().map(|entry| &entry.entry_type);
        if state.lifecycle() == Lifecycle::Deleted {
            types().try_for_each(|entry_type| state.accepts(entry_type))?;
        }
        if self.is_given {
            let id = self.commit.id();
            match state.commits().look(id) {
                Lookup::Found(recorded) if recorded.digest == self.commit.digest() => {
                    let done = replayed(id.clone(), &recorded);
                    return Ok(Decision::Stands(done, recorded.position));
                }
                Lookup::Unread(_) => return Ok(Decision::Recall(id.clone())),
                Lookup::Found(_) => return Err(other_content(id)),
                Lookup::Absent => hidden(state, id).map_or(Ok(()), Err)?,
            }
        }
        types().try_for_each(|entry_type| state.accepts(entry_type))?;
        match self.place {
            Place::At(position) if !state.holds(position) => {
                Err(Error::conflict(position, state.position()))
            }
            Place::At(_) | Place::End => Ok(Decision::Append(self.commit.clone())),
        }
    }

    fn appended(&self, appended: Appended) -> Committed {
        Committed {
            first: appended.first,
            position: appended.tip.position,
            commit_id: self.commit.id().clone(),
            replayed: false,
        }
    }
}

/// The answer for a commit id that stands for something else.
pub(super) fn other_content(id: &CommitId) -> Error {
    let clause = format!("commit id {id} stands for other content");
    Error::new(ErrorKind::Conflict, clause).with_hint("give other content a commit id of its own")
}

/// What an earlier call did.
fn replayed(commit_id: CommitId, recorded: &Recorded) -> Committed {
    Committed { first: recorded.first, position: recorded.position, commit_id, replayed: true }
}
