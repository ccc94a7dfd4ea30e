//! What sessions are, kept in lists and maps.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use sessile_core::{CommitId, ErrorKind, Position, Seq};

/// All sessions that were ever created, by id.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) accounts: BTreeMap<String, Account>,
}

impl Ledger {
    /// The ids that a listing shows, newest first.
    pub(super) fn listed(&self) -> Vec<String> {
        let shown = self.accounts.iter().filter(|(_, it)| it.life < Life::Deleted);
        let mut shown: Vec<_> = shown.map(|(id, it)| (Reverse(it.updated), id.clone())).collect();
        shown.sort_unstable();
        shown.into_iter().map(|(_, id)| id).collect()
    }
}

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Life {
    Active,
    Closed,
    Deleted,
    Purged,
}

/// A message, and whether it is still in sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) seq: Seq,
    pub(super) data: String,
    pub(super) hidden: bool,
}

/// A summary that stands for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Abstract {
    pub(super) seq: Seq,
    pub(super) data: String,
    /// The first message that it does not stand for.
    pub(super) keep_from: u64,
    pub(super) hidden: bool,
}

/// What an append under a chosen commit id did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Receipt {
    pub(super) texts: Vec<String>,
    pub(super) first: Seq,
    pub(super) position: Position,
}

/// One session.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) life: Life,
    /// What it was before it was deleted.
    pub(super) former: Life,
    pub(super) lines: Vec<Line>,
    pub(super) abstracts: Vec<Abstract>,
    pub(super) events: u64,
    pub(super) meta: BTreeMap<String, String>,
    pub(super) receipts: BTreeMap<CommitId, Receipt>,
    /// Every position at which it ended, the present one last.
    pub(super) positions: Vec<Position>,
    pub(super) updated: u64,
}

impl Account {
    /// A new session.
    pub(super) fn new(position: Position, now: u64) -> Self {
        Self {
            life: Life::Active,
            former: Life::Active,
            lines: Vec::new(),
            abstracts: Vec::new(),
            events: 0,
            meta: BTreeMap::new(),
            receipts: BTreeMap::new(),
            positions: vec![position],
            updated: now,
        }
    }

    /// Where it ends.
    pub(super) fn position(&self) -> Position {
        self.positions.last().copied().unwrap_or(Position::START)
    }

    /// Notes where it ends now; something was added if that moved.
    pub(super) fn ends_at(&mut self, position: Position, now: u64) {
        if position != self.position() {
            self.positions.push(position);
            self.updated = self.updated.max(now);
        }
    }

    /// How a message is refused; none if it is not.
    pub(super) fn refusal_of_messages(&self) -> Option<ErrorKind> {
        match self.life {
            Life::Active => None,
            Life::Closed => Some(ErrorKind::Closed),
            Life::Deleted | Life::Purged => Some(ErrorKind::Deleted),
        }
    }

    /// How an event or metadata is refused; none if it is not.
    pub(super) fn refusal_of_notes(&self) -> Option<ErrorKind> {
        self.refusal_of_messages().filter(|kind| *kind == ErrorKind::Deleted)
    }

    /// The messages in sight.
    pub(super) fn in_sight(&self) -> Vec<&Line> {
        self.lines.iter().filter(|line| !line.hidden).collect()
    }

    /// The messages in sight as they are read.
    pub(super) fn texts(&self) -> Vec<String> {
        self.in_sight().into_iter().map(|line| line.data.clone()).collect()
    }

    /// The summary in force.
    pub(super) fn summary(&self) -> Option<&Abstract> {
        self.abstracts.iter().rfind(|it| !it.hidden)
    }

    /// Appends messages with the numbers that they got.
    pub(super) fn append(&mut self, first: Seq, texts: &[String]) {
        let mut seq = Some(first);
        for text in texts {
            let Some(this) = seq else { return };
            self.lines.push(Line { seq: this, data: text.clone(), hidden: false });
            seq = this.next();
        }
    }

    /// Hides every message and summary behind an entry.
    pub(super) fn rewind(&mut self, to: Seq) {
        for line in self.lines.iter_mut().filter(|line| line.seq > to) {
            line.hidden = true;
        }
        for it in self.abstracts.iter_mut().filter(|it| it.seq > to) {
            it.hidden = true;
        }
    }

    /// Hides the last so many messages in sight, and answers them.
    pub(super) fn pop(&mut self, count: usize) -> Vec<String> {
        let sight = self.in_sight();
        let popped = sight.get(sight.len().saturating_sub(count)..).unwrap_or_default();
        let texts = popped.iter().map(|line| line.data.clone()).collect();
        // A rewind goes back to an entry: to the one before the first that is popped.
        let before = popped.first().and_then(|first| first.seq.number().checked_sub(1));
        if let Some(to) = before.and_then(Seq::new) {
            self.rewind(to);
        }
        texts
    }
}
