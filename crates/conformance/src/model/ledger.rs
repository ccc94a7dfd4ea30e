//! What sessions are, kept in lists and maps.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use sessile_core::{CommitId, ErrorKind, Position, Seq};

/// What is left of what was redacted or forgotten.
pub(super) const REDACTED: &str = r#"{"redacted":true}"#;

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

/// What was taken of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// Whether the id of the session was chosen by the caller.
    pub(super) chosen: bool,
    /// The lines that the first import took.
    pub(super) first: Vec<String>,
    /// The lines that were taken by now.
    pub(super) lines: Vec<String>,
}

/// One session.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) life: Life,
    /// What it was before it was deleted.
    pub(super) former: Life,
    pub(super) lines: Vec<Line>,
    pub(super) abstracts: Vec<Abstract>,
    /// Its events, of which none is ever hidden.
    pub(super) notes: Vec<Line>,
    pub(super) meta: BTreeMap<String, String>,
    pub(super) receipts: BTreeMap<CommitId, Receipt>,
    /// Every position at which it ended, the present one last.
    pub(super) positions: Vec<Position>,
    pub(super) updated: u64,
    /// The first entry that was kept when those before it were forgotten.
    pub(super) forgotten: Option<Seq>,
    /// The session that it was cut from, and behind which entry.
    pub(super) origin: Option<(String, Seq)>,
    /// What was taken of a file.
    pub(super) file: Option<Taken>,
    /// Entries that a vacuum has dropped or emptied.
    pub(super) dropped: BTreeSet<Seq>,
    /// Before which end a vacuum may have left none of the metadata that was set again since.
    pub(super) trimmed: Option<Position>,
    /// What it was after each of its commits, oldest first; these have no moments of their own.
    pub(super) moments: Vec<Self>,
}

impl Account {
    /// A new session.
    pub(super) fn new(position: Position, now: u64) -> Self {
        let mut account = Self {
            life: Life::Active,
            former: Life::Active,
            lines: Vec::new(),
            abstracts: Vec::new(),
            notes: Vec::new(),
            meta: BTreeMap::new(),
            receipts: BTreeMap::new(),
            positions: vec![position],
            updated: now,
            forgotten: None,
            origin: None,
            file: None,
            dropped: BTreeSet::new(),
            trimmed: None,
            moments: Vec::new(),
        };
        account.remember();
        account
    }

    /// Remembers what it is by now, if a commit was added since it last did.
    pub(super) fn remember(&mut self) {
        if self.moments.last().map(Self::position) != Some(self.position()) {
            let mut moments = std::mem::take(&mut self.moments);
            moments.push(self.clone());
            self.moments = moments;
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
        self.lines.extend(numbered(first, texts));
    }

    /// Appends events with the numbers that they got.
    pub(super) fn note(&mut self, first: Seq, texts: &[String]) {
        self.notes.extend(numbered(first, texts));
    }

    /// Whether an entry stands before what was forgotten.
    pub(super) fn forgot(&self, seq: Seq) -> bool {
        self.forgotten.is_some_and(|kept| seq < kept)
    }

    /// Forgets what stands before an entry.
    pub(super) fn forget(&mut self, before: Seq) {
        self.forgotten = self.forgotten.max(Some(before));
        let lines = self.lines.iter_mut().chain(&mut self.notes);
        for line in lines.filter(|line| line.seq < before) {
            REDACTED.clone_into(&mut line.data);
        }
    }

    /// What a file of the session holds.
    pub(super) fn exported(&self) -> Vec<String> {
        let kept = self.in_sight().into_iter().filter(|line| !self.forgot(line.seq));
        kept.map(|line| line.data.clone()).collect()
    }

    /// What the data of an entry is now, if it is a message or an event.
    fn data(&self, seq: Seq) -> Option<&String> {
        let mut lines = self.lines.iter().chain(&self.notes);
        lines.find(|line| line.seq == seq).map(|line| &line.data)
    }

    /// Whether what it had when it was copied is not what it has there now.
    pub(super) fn altered_since(&self, copied: &Self) -> bool {
        let end = copied.position();
        let mut lines = copied.lines.iter().chain(&copied.notes);
        let mut dropped = self.dropped.difference(&copied.dropped);
        lines.any(|line| self.data(line.seq) != Some(&line.data))
            || dropped.any(|seq| seq.number() < end.number())
    }

    /// Whether a copy that was cut from it may lack metadata, and how it then may be: of each key
    /// it holds a value that the key once had, or none.
    pub(super) fn may_lack(&self, cut: &Self, meta: &BTreeMap<String, String>) -> bool {
        let end = cut.moments.last().map_or(Position::START, Self::position);
        let had = |(key, value): (&String, &String)| {
            cut.moments.iter().any(|moment| moment.meta.get(key) == Some(value))
        };
        self.trimmed.is_some_and(|trimmed| end < trimmed) && meta.iter().all(had)
    }

    /// The copy of it up to the commit that holds an entry, and the last entry that was taken
    /// over; how that is refused, if it is.
    pub(super) fn cut(&self, name: &str, at: Option<Seq>) -> Result<(Self, Seq), ErrorKind> {
        if self.life >= Life::Deleted {
            return Err(ErrorKind::Deleted);
        }
        let at = at.map_or_else(|| self.position().number() - 1, Seq::number);
        if at >= self.position().number() {
            return Err(ErrorKind::Refused);
        }
        if self.forgotten.is_some_and(|kept| at < kept.number()) {
            return Err(ErrorKind::Forgotten);
        }
        let holder = self.moments.iter().position(|moment| moment.position().number() > at);
        let taken = holder.and_then(|holder| self.moments.get(..=holder)).unwrap_or_default();
        let Some(moment) = taken.last() else { return Err(ErrorKind::Refused) };
        let last = Seq::new(moment.position().number() - 1).unwrap_or(Seq::FIRST);
        let mut cut = moment.clone();
        for line in cut.lines.iter_mut().chain(&mut cut.notes) {
            if let Some(data) = self.data(line.seq) {
                line.data.clone_from(data);
            }
        }
        cut.life = Life::Active;
        cut.former = Life::Active;
        cut.forgotten = self.forgotten;
        cut.origin = Some((name.to_owned(), last));
        cut.dropped.clear();
        let behind = Position::new(last.number() + 2);
        cut.trimmed = self.trimmed.map(|trimmed| behind.map_or(trimmed, |it| trimmed.min(it)));
        // What only ended or resumed a life is left behind.
        let lives = [Life::Active].into_iter().chain(taken.iter().map(|moment| moment.life));
        let kept = taken.iter().zip(lives).filter(|(moment, before)| moment.life == *before);
        let resumed = kept.map(|(moment, _)| Self { life: Life::Active, ..moment.clone() });
        cut.moments = resumed.collect();
        Ok((cut, last))
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

    /// The last so many messages in sight.
    pub(super) fn popped(&self, count: usize) -> Vec<&Line> {
        let mut sight = self.in_sight();
        sight.split_off(sight.len().saturating_sub(count))
    }

    /// Hides the last so many messages in sight, and answers them.
    pub(super) fn pop(&mut self, count: usize) -> Vec<String> {
        let popped = self.popped(count);
        let texts = popped.iter().map(|line| line.data.clone()).collect();
        // A rewind goes back to an entry: to the one before the first that is popped.
        let before = popped.first().and_then(|first| first.seq.number().checked_sub(1));
        if let Some(to) = before.and_then(Seq::new) {
            self.rewind(to);
        }
        texts
    }
}

/// Entries in sight, numbered from one on.
fn numbered(first: Seq, texts: &[String]) -> Vec<Line> {
    let numbers = std::iter::successors(Some(first), |seq| seq.next());
    let line = |(seq, text): (Seq, &String)| Line { seq, data: text.clone(), hidden: false };
    numbers.zip(texts).map(line).collect()
}
