//! Which commits are in a journal: the ids by which a repeat is recognised.

use std::collections::HashMap;

use crate::commit::StoredCommit;
use crate::digest::{Digest, Token};
use crate::entry::EntryType;
use crate::id::CommitId;
use crate::position::{Position, Seq};

/// What is remembered of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The digest of what its caller asked for.
    pub digest: Digest,
    /// The token of the attempt that wrote it.
    pub token: Token,
    /// The number of its first entry.
    pub first: Seq,
    /// Where the journal ended right after it.
    pub position: Position,
}

/// Every commit id of a journal.
#[derive(Clone, Debug, Default)]
pub struct CommitIndex(HashMap<CommitId, Recorded>);

impl CommitIndex {
    /// What is remembered of a commit id.
    pub fn recorded(&self, id: &CommitId) -> Option<&Recorded> {
        self.0.get(id)
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Remembers a commit, unless nobody could ask for it again: repairs and barriers are no
    /// caller's.
    pub(super) fn record(&mut self, commit: &StoredCommit) {
        let bookkeeping = |entry_type: &EntryType| entry_type.is_bookkeeping();
        if commit.entries.iter().all(|entry| bookkeeping(&entry.entry_type)) {
            return;
        }
        let recorded = Recorded {
            digest: commit.digest,
            token: commit.token,
            first: commit.first_seq(),
            position: commit.tip().position,
        };
        self.0.entry(commit.id.clone()).or_insert(recorded);
    }
}
