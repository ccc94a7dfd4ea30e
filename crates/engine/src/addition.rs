//! Entries of a caller's, to be appended as one commit.

use sessile_core::backend::Appended;
use sessile_core::fold::{Lifecycle, Lookup, Recorded, SessionState};
use sessile_core::{Commit, CommitId, EntryType, Error, ErrorKind, NewEntry};

use crate::append::{Append, Committed, Place};
use crate::decision::{Decision, Sought, hidden};
use crate::opened::Opened;

/// Entries of a caller's.
#[derive(Debug)]
pub(crate) struct Addition {
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
    pub(crate) fn new(
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

    /// Says what it takes on this state.
    ///
    /// # Errors
    /// Why the state does not allow it.
    pub(crate) fn decide(&self, state: &SessionState) -> Result<Decision<Committed>, Error> {
        let entries = || self.commit.entries().iter();
        let types: Vec<EntryType> = entries().map(|entry| entry.entry_type.clone()).collect();
        let claim = entries().find_map(|entry| entry.claim);
        if state.lifecycle() == Lifecycle::Deleted {
            state.takes(&types, claim)?;
        }
        if self.is_given {
            let id = self.commit.id();
            match state.commits().look(id) {
                Lookup::Found(recorded) if recorded.digest == self.commit.digest() => {
                    let done = replayed(id.clone(), &recorded);
                    return Ok(Decision::Stands(done, recorded.position));
                }
                Lookup::Unread(_) => return Ok(Decision::Recall(Sought::Commit(id.clone()))),
                Lookup::Found(_) => return Err(other_content(id)),
                Lookup::Absent => hidden(state, id).map_or(Ok(()), Err)?,
            }
        }
        state.takes(&types, claim)?;
        match self.place {
            Place::At(position) if !state.holds(position) => {
                Err(Error::conflict(position, state.position()))
            }
            Place::At(_) | Place::End => Ok(Decision::Append(self.commit.clone())),
        }
    }

    /// How many bytes of payload it has.
    pub(crate) fn bytes(&self) -> usize {
        self.commit.entries().iter().map(|entry| entry.data.len()).sum()
    }

    /// The answer when its commit was appended.
    pub(crate) fn appended(&self, appended: Appended) -> Committed {
        Committed {
            first: appended.first,
            position: appended.tip.position,
            commit_id: self.commit.id().clone(),
            replayed: false,
        }
    }
}

/// The answer for a commit id that stands for something else.
pub(crate) fn other_content(id: &CommitId) -> Error {
    let clause = format!("commit id {id} stands for other content");
    Error::new(ErrorKind::Conflict, clause).with_hint("give other content a commit id of its own")
}

/// What an earlier call did.
pub(crate) fn replayed(commit_id: CommitId, recorded: &Recorded) -> Committed {
    Committed { first: recorded.first, position: recorded.position, commit_id, replayed: true }
}
