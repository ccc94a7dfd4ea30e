//! From whole lines to whole commits: numbers, counts, sums and the chain.

use super::failure::Reason;
use crate::commit::StoredCommit;
use crate::digest::Token;
use crate::entry::Entry;
use crate::line::{Closing, Line, LineSum};
use crate::position::{Position, Seq};

/// What the next commit must name as the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// This one; none at the start of a journal.
    Known(Option<Token>),
    /// Not known: reading began in the middle, or after a failure.
    Unknown,
}

/// A line that waits for its commit to be closed.
#[derive(Debug)]
struct Waiting {
    entry: Entry,
    crc: u32,
    offset: u64,
}

/// Puts lines together to commits.
#[derive(Debug)]
pub(super) struct Assembler {
    before: Before,
    /// What stood before bad lines that may have been the first of the next commit.
    before_bad: Option<Before>,
    position: Position,
    waiting: Vec<Waiting>,
}

/// What a line led to.
#[derive(Debug)]
pub(super) struct Step {
    /// Something before the commit, or instead of it, is no whole commit.
    pub(super) failed: Option<(u64, Seq, Reason)>,
    /// A commit is whole, and begins at an offset.
    pub(super) commit: Option<(StoredCommit, u64)>,
    /// The bad lines since the commit before were its derived state: without them nothing is lost.
    pub(super) excused: bool,
}

impl Step {
    const NOTHING: Self = Self { failed: None, commit: None, excused: false };

    const fn failed(offset: u64, seq: Seq, reason: Reason) -> Self {
        Self { failed: Some((offset, seq, reason)), ..Self::NOTHING }
    }
}

impl Assembler {
    pub(super) const fn new(position: Position, before: Before) -> Self {
        Self { before, before_bad: None, position, waiting: Vec::new() }
    }

    /// Where the whole commits end so far.
    pub(super) const fn position(&self) -> Position {
        self.position
    }

    /// The number that the next line is expected to have at least.
    pub(super) fn next_seq(&self) -> Seq {
        let last = self.waiting.last().map(|waiting| waiting.entry.seq.after());
        last.unwrap_or(self.position).seq().unwrap_or(Seq::FIRST)
    }

    /// Takes a line that is not whole.
    pub(super) fn take_bad(&mut self) {
        let first_of_next =
            self.waiting.is_empty().then_some(self.before_bad.unwrap_or(self.before));
        self.interrupt();
        self.before_bad = first_of_next;
    }

    /// Drops lines that wait, because bytes after them are bad; answers where they began.
    pub(super) fn interrupt(&mut self) -> Option<u64> {
        self.before = Before::Unknown;
        self.before_bad = None;
        let from = self.waiting.first().map(|waiting| waiting.offset);
        self.waiting.clear();
        from
    }

    /// Takes the next whole line.
    pub(super) fn take(&mut self, line: Line, offset: u64) -> Step {
        let Line { entry, closing, crc } = line;
        let mut failed = None;
        if entry.seq < self.next_seq() {
            if entry.seq.number() < self.position.number() {
                let seq = self.next_seq();
                self.interrupt();
                return Step::failed(offset, seq, Reason::NumberFalls);
            }
            // Lines of an attempt that was given up stand before those of the next one.
            failed = self.give_up_waiting(self.waiting.len(), Reason::NotClosed);
        }
        match closing {
            None => {
                self.waiting.push(Waiting { entry, crc, offset });
                Step { failed, ..Step::NOTHING }
            }
            Some(closing) => {
                let mut step = self.close(entry, closing, offset);
                step.failed = failed.or(step.failed);
                step
            }
        }
    }

    /// Drops the first lines that wait, because they belong to no commit.
    fn give_up_waiting(&mut self, lines: usize, reason: Reason) -> Option<(u64, Seq, Reason)> {
        let first = self.waiting.first().filter(|_| lines > 0)?;
        let failed = (first.offset, first.entry.seq, reason);
        self.waiting.drain(..lines);
        self.before = Before::Unknown;
        self.before_bad = None;
        Some(failed)
    }

    fn close(&mut self, last: Entry, closing: Closing, offset: u64) -> Step {
        let at = self.position;
        let wanted = usize::try_from(closing.lines.saturating_sub(1)).unwrap_or(usize::MAX);
        let Some(surplus) = self.waiting.len().checked_sub(wanted).filter(|_| closing.lines > 0)
        else {
            if self.lacks_only_state(wanted, &closing) {
                let from = self.waiting.first().map_or(offset, |waiting| waiting.offset);
                let commit = self.finish(last, closing);
                if commit.content_holds() {
                    return Step { commit: Some((commit, from)), excused: true, ..Step::NOTHING };
                }
                self.position = at;
            }
            let seq = self.position.seq().unwrap_or(Seq::FIRST);
            self.interrupt();
            return Step::failed(offset, seq, Reason::LinesMissing);
        };
        let mut failed = self.give_up_waiting(surplus, Reason::NotClosed);
        let sum = self.waiting.iter().fold(LineSum::default(), |sum, line| sum.and(line.crc));
        if closing.sum != (wanted > 0).then_some(sum) {
            let seq = self.position.seq().unwrap_or(Seq::FIRST);
            let from = self.interrupt().unwrap_or(offset);
            return Step::failed(from, seq, Reason::LinesOfDifferentAttempts);
        }
        let from = self.waiting.first().map_or(offset, |waiting| waiting.offset);
        if let Before::Known(prev) = self.before
            && prev != closing.prev
        {
            let seq = self.position.seq().unwrap_or(Seq::FIRST);
            failed = failed.or(Some((from, seq, Reason::CommitMissing)));
        }
        let commit = self.finish(last, closing);
        Step { failed, commit: Some((commit, from)), excused: false }
    }

    /// Whether a bad line in the place of its first one, its derived state, is all that a commit
    /// lacks. The sum can't be checked then; what its caller asked for is, by the digest.
    fn lacks_only_state(&self, wanted: usize, closing: &Closing) -> bool {
        let continues = match self.before_bad {
            Some(Before::Known(prev)) => prev == closing.prev,
            // Reading began in the middle.
            Some(Before::Unknown) => true,
            None => false,
        };
        let first = self.waiting.first().map(|waiting| waiting.entry.seq);
        let is_first = |state: Seq| {
            state.number() >= self.position.number() && first.is_none_or(|first| state < first)
        };
        continues && self.waiting.len() + 1 == wanted && closing.state.is_some_and(is_first)
    }

    /// Puts the lines that wait and the last one together.
    fn finish(&mut self, last: Entry, closing: Closing) -> StoredCommit {
        let mut entries: Vec<Entry> = self.waiting.drain(..).map(|line| line.entry).collect();
        entries.push(last);
        let commit = StoredCommit {
            id: closing.id,
            token: closing.token,
            prev: closing.prev,
            synced: closing.synced,
            digest: closing.digest,
            state: closing.state,
            vacuumed: closing.vacuumed,
            entries,
        };
        self.before = Before::Known(Some(commit.token));
        self.before_bad = None;
        self.position = commit.tip().position;
        commit
    }
}
