//! Reading the commits of a journal, a block at a time.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;

use sessile_core::commit::StoredCommit;
use sessile_core::digest::Salt;
use sessile_core::error::{DamagePlace, Error};
use sessile_core::journal::{Failure, Found, Placed, Scanner};
use sessile_core::position::{Position, Seq};

use crate::blocks::{self, BLOCK};
use crate::seek;
use crate::tail;

/// How much a forward read takes at once.
const FORWARD_BLOCK: u64 = 4 * BLOCK;

/// Reads commits from a seq to where the journal ended when the reader was made.
#[derive(Debug)]
pub(crate) struct Reader {
    file: Arc<File>,
    scanner: Scanner,
    next: u64,
    end: u64,
    from: Seq,
    /// Damage that begins before what is asked for: the next commit says whether it reaches it.
    before: Option<Failure>,
    ready: VecDeque<Result<StoredCommit, Error>>,
}

impl Reader {
    /// Begins at the commit that holds a seq, or the first one after it.
    pub(crate) fn new(file: Arc<File>, salt: Salt, end: u64, from: Seq) -> io::Result<Self> {
        let start =
            if from == Seq::FIRST { 0 } else { seek::commit_at_or_before(&file, salt, end, from)? };
        let scanner = match start {
            0 => Scanner::from_start(salt),
            _ => Scanner::in_the_middle(salt, start),
        };
        let ready = VecDeque::new();
        Ok(Self { file, scanner, next: start, end, from, before: None, ready })
    }

    /// What was read already; none if the next block must be read for it.
    pub(crate) fn ready(&mut self) -> Option<Result<StoredCommit, Error>> {
        self.ready.pop_front()
    }

    /// The next commit, or the damage that stands in its place.
    pub(crate) fn next(&mut self) -> io::Result<Option<Result<StoredCommit, Error>>> {
        while self.ready.is_empty() && self.next < self.end {
            let to = self.end.min(self.next + FORWARD_BLOCK);
            let bytes = blocks::read(&self.file, self.next, to)?;
            let mut found = Vec::new();
            self.next = if bytes.is_empty() { self.end } else { to };
            self.scanner.feed(bytes, &mut found);
            if self.next == self.end {
                self.scanner.finish(&mut found);
            }
            for found in found {
                self.take(found);
            }
            if self.next == self.end {
                self.ready.extend(self.before.take().map(|failure| Err(damage(&failure))));
            }
        }
        Ok(self.ready.pop_front())
    }

    /// Takes what is asked for of what was found.
    fn take(&mut self, found: Found) {
        match found {
            Found::Commit(placed) => {
                let commit = placed.commit;
                let reached = self.before.take().filter(|_| commit.first_seq() > self.from);
                self.ready.extend(reached.map(|failure| Err(damage(&failure))));
                if commit.tip().position.number() > self.from.number() {
                    self.ready.push_back(Ok(commit));
                }
            }
            Found::Failure(failure) if failure.seq < self.from => {
                self.before.get_or_insert(failure);
            }
            Found::Failure(failure) => self.ready.push_back(Err(damage(&failure))),
        }
    }
}

/// The last commits that end at or before a position and an offset, in order: as many as fit into
/// a number of payload bytes, but at least one.
pub(crate) fn back(
    file: &File,
    salt: Salt,
    end: u64,
    before: Position,
    max_bytes: u64,
) -> io::Result<VecDeque<Result<StoredCommit, Error>>> {
    let end = end_before(file, salt, end, before)?;
    let mut stretch = BLOCK;
    loop {
        let start = end.saturating_sub(stretch);
        let (_, found) = tail::scan(file, salt, start, end)?;
        let mut taken = VecDeque::new();
        let mut bytes = 0;
        let mut is_full = false;
        for found in found.into_iter().rev() {
            match found {
                Found::Commit(placed) if placed.commit.tip().position <= before => {
                    bytes += payload_bytes(&placed.commit);
                    let some = taken.iter().any(Result::is_ok);
                    if some && bytes > max_bytes {
                        is_full = true;
                        break;
                    }
                    taken.push_front(Ok(placed.commit));
                }
                Found::Commit(_) => {}
                Found::Failure(failure) => taken.push_front(Err(damage(&failure))),
            }
        }
        if is_full || start == 0 {
            return Ok(taken);
        }
        stretch = stretch.saturating_mul(2);
    }
}

/// An offset at which no commit that ends at or before a position is cut, near to it.
fn end_before(file: &File, salt: Salt, end: u64, before: Position) -> io::Result<u64> {
    let Some(seq) = before.seq() else {
        return Ok(end);
    };
    let start = seek::commit_at_or_before(file, salt, end, seq)?;
    // The commit that begins there may end at the position; commits after it can't matter.
    let mut stretch = BLOCK;
    loop {
        let to = start.saturating_add(stretch).min(end);
        let (_, found) = tail::scan_from_commit(file, salt, start, to)?;
        let beyond = found
            .iter()
            .filter_map(tail::commit)
            .find(|placed| placed.commit.tip().position > before);
        match beyond {
            Some(Placed { offset, .. }) => return Ok(*offset),
            None if to == end => return Ok(end),
            None => stretch = stretch.saturating_mul(2),
        }
    }
}

fn payload_bytes(commit: &StoredCommit) -> u64 {
    commit.entries.iter().map(|entry| u64::try_from(entry.data.len()).unwrap_or(u64::MAX)).sum()
}

/// The error for acknowledged bytes that can't be read.
fn damage(failure: &Failure) -> Error {
    Error::corrupt(DamagePlace { seq: failure.seq, offset: failure.offset }, failure.reason)
}
