//! The last messages in sight, for whoever names them from the end: their numbers, and how far back
//! they stand.

use std::collections::VecDeque;

use sessile_core::{Entry, EntryType, Seq, StoredCommit};

/// How many are kept.
const KEPT: usize = 1_024;

/// A message in sight.
#[derive(Clone, Copy, Debug)]
struct Recent {
    seq: Seq,
    /// How many bytes stand before its commit, of those that were counted.
    before: u64,
}

/// The last messages in sight, up to where the journal was folded, with none left out between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recents {
    last: VecDeque<Recent>,
    /// How many bytes the commits count that were taken.
    bytes: u64,
    /// Whether some that were taken are not known any more.
    cleared: bool,
}

impl Recents {
    /// Takes the next commit. What changes which messages are in sight, or makes some known that
    /// stand before others, is left for reading to tell.
    pub(crate) fn take(&mut self, commit: &StoredCommit) {
        for entry in &commit.entries {
            match entry.entry_type {
                // One under a claim pends, and comes into sight with the outcome.
                EntryType::Message if entry.claim.is_none() => self.push(entry.seq),
                EntryType::Rewind | EntryType::Outcome | EntryType::Forked => self.clear(),
                _ => {}
            }
        }
        self.bytes = self.bytes.saturating_add(commit.span_bytes());
    }

    /// Forgets them: damage may hide some that stand between.
    pub(crate) fn clear(&mut self) {
        self.last.clear();
        self.cleared = true;
    }

    /// Takes what was read of the end, if that is more than is known.
    pub(crate) fn fill(&mut self, end: &[StoredCommit], shows: impl Fn(&Entry) -> bool) {
        let read = Self::of(end, shows);
        if read.last.len() > self.last.len() {
            *self = read;
        }
    }

    /// Takes commits that stand right before the first one that was taken.
    pub(crate) fn precede(&mut self, commits: &[StoredCommit], shows: impl Fn(&Entry) -> bool) {
        if self.cleared {
            return;
        }
        let mut all = Self::of(commits, shows);
        for Recent { seq, before } in self.last.drain(..) {
            all.last.push_back(Recent { seq, before: before.saturating_add(all.bytes) });
        }
        all.bytes = all.bytes.saturating_add(self.bytes);
        *self = all;
    }

    fn of(commits: &[StoredCommit], shows: impl Fn(&Entry) -> bool) -> Self {
        let mut recents = Self::default();
        for commit in commits {
            for entry in commit.entries.iter().filter(|entry| shows(entry)) {
                recents.push(entry.seq);
            }
            recents.bytes = recents.bytes.saturating_add(commit.span_bytes());
        }
        recents
    }

    fn push(&mut self, seq: Seq) {
        if self.last.len() >= KEPT {
            self.last.pop_front();
        }
        self.last.push_back(Recent { seq, before: self.bytes });
    }

    fn at(&self, count: usize) -> Option<&Recent> {
        self.last.get(self.last.len().checked_sub(count)?)
    }

    /// The first of the last so many; none where not so many are known.
    pub(crate) fn first_of_last(&self, count: usize) -> Option<Seq> {
        self.at(count).map(|recent| recent.seq)
    }

    /// How many bytes count from the commit of the first of the last so many on.
    pub(crate) fn bytes_of_last(&self, count: usize) -> Option<u64> {
        self.at(count).map(|recent| self.bytes.saturating_sub(recent.before))
    }

    /// Whether one of them stands at or behind a number and before another.
    pub(crate) fn has_between(&self, from: Seq, before: Seq) -> bool {
        let first = self.last.partition_point(|recent| recent.seq < from);
        self.last.get(first).is_some_and(|recent| recent.seq < before)
    }

    /// About how many bytes of memory they take.
    pub(crate) fn weight(&self) -> usize {
        self.last.capacity() * size_of::<Recent>()
    }
}
