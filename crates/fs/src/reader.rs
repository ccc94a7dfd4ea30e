//! Reading the commits of a journal, a block at a time.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use sessile_core::commit::StoredCommit;
use sessile_core::digest::Salt;
use sessile_core::error::{DamagePlace, Error};
use sessile_core::journal::{Failure, Found, Placed, Scanner};
use sessile_core::position::{Position, Seq};

use crate::blocks::{self, BLOCK};
use crate::seek;
use crate::tail;

/// How much a forward read takes at once.
const FORWARD_BLOCK: u64 = 2 * BLOCK;

/// Reads commits from a seq to where the journal ended when the reader was made.
#[derive(Debug)]
pub(crate) struct Reader {
    file: Arc<File>,
    scanner: Scanner,
    /// The memory of the last two blocks, the older one first: lines at the end of one wait for
    /// the rest of their commit in the next.
    blocks: [Bytes; 2],
    next: u64,
    end: u64,
    from: Seq,
    /// Damage that begins before what is asked for: the next commit says whether it reaches it.
    before: Option<Failure>,
    ready: VecDeque<Result<StoredCommit, Error>>,
}

impl Reader {
    /// Serves what was read of the end already, if that is all from a seq on.
    pub(crate) fn of_last(file: &Arc<File>, salt: Salt, last: &[Found], from: Seq) -> Option<Self> {
        let placed = last.iter().map(tail::commit).collect::<Option<Vec<_>>>()?;
        placed.first().filter(|first| first.commit.first_seq() <= from)?;
        let begins = |placed: &&&Placed| placed.commit.tip().position.number() > from.number();
        let ready = placed.iter().filter(begins).map(|placed| Ok(placed.commit.clone())).collect();
        let (scanner, file) = (Scanner::in_the_middle(salt, 0), Arc::clone(file));
        let blocks = Default::default();
        Some(Self { file, scanner, blocks, next: 0, end: 0, from, before: None, ready })
    }

    /// Begins at the commit that holds a seq, or the first one after it.
    pub(crate) fn new(file: Arc<File>, salt: Salt, end: u64, from: Seq) -> io::Result<Self> {
        let start =
            if from == Seq::FIRST { 0 } else { seek::commit_at_or_before(&file, salt, end, from)? };
        let scanner = match start {
            0 => Scanner::from_start(salt),
            _ => Scanner::in_the_middle(salt, start),
        };
        let (blocks, ready) = Default::default();
        Ok(Self { file, scanner, blocks, next: start, end, from, before: None, ready })
    }

    /// The next commit, or the damage that stands in its place.
    pub(crate) fn next(&mut self) -> io::Result<Option<Result<StoredCommit, Error>>> {
        if self.ready.is_empty() {
            self.ready = self.next_some()?;
        }
        Ok(self.ready.pop_front())
    }

    /// What was read before it was asked for.
    pub(crate) fn take_ready(&mut self) -> VecDeque<Result<StoredCommit, Error>> {
        std::mem::take(&mut self.ready)
    }

    /// The next commits, as many as a block holds, and the damage between them; none at the end.
    pub(crate) fn next_some(&mut self) -> io::Result<VecDeque<Result<StoredCommit, Error>>> {
        while self.ready.is_empty() && self.next < self.end {
            let to = self.end.min(self.next + FORWARD_BLOCK);
            let mut found = Vec::new();
            self.read_to(to, &mut found)?;
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
        Ok(std::mem::take(&mut self.ready))
    }

    /// Reads the next block, up to an offset, or to where the file ends before.
    ///
    /// What commits hold is copied out of the block: whoever keeps a message keeps no more than
    /// that, and the block after the next is read into the same memory, which is quicker than into
    /// new.
    fn read_to(&mut self, to: u64, found: &mut Vec<Found>) -> io::Result<()> {
        let [older, newer] = std::mem::take(&mut self.blocks);
        let block = older.try_into_mut().unwrap_or_default();
        let bytes = blocks::read_into(block, &self.file, self.next, to)?;
        self.next = if bytes.is_empty() { self.end } else { to };
        self.scanner.feed(bytes.clone(), found);
        for found in found {
            if let Found::Commit(placed) = found {
                let mut own = BytesMut::with_capacity(placed.commit.held_bytes());
                placed.commit.move_into(&mut own);
            }
        }
        self.blocks = [newer, bytes];
        Ok(())
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

/// How much a read back takes at once where so much is asked for.
const BACKWARD_BLOCK: u64 = 16 * BLOCK;

/// What a read back begins with: a journal up to an offset, and the last of its commits, with the
/// damage between them, as far as they were read before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) file: &'a File,
    pub(crate) salt: Salt,
    pub(crate) end: u64,
    pub(crate) last: &'a [Found],
}

impl Known<'_> {
    /// What [`back`] serves, if what was read before is enough for it.
    pub(crate) fn back(
        &self,
        before: Position,
        max_bytes: u64,
    ) -> Option<VecDeque<Result<StoredCommit, Error>>> {
        let first = self.last.iter().find_map(tail::commit)?;
        let is_enough = first.offset == 0 || span_bytes(self.last, before) > max_bytes;
        is_enough.then(|| last(self.last, before, max_bytes))
    }

    /// Whether it holds a commit that ends at or before a position.
    fn reaches(&self, before: Position) -> bool {
        let first = self.last.iter().find_map(tail::commit);
        first.is_some_and(|first| first.commit.tip().position <= before)
    }
}

/// The last commits that end at or before a position and an offset, in order: as many as fit into
/// a number of bytes, but at least one.
///
/// Each stretch further back ends where the first commit of those already read begins, so that no
/// commit is decoded twice.
pub(crate) fn back(
    known: Known<'_>,
    before: Position,
    max_bytes: u64,
) -> io::Result<VecDeque<Result<StoredCommit, Error>>> {
    if let Some(served) = known.back(before, max_bytes) {
        return Ok(served);
    }
    let Known { file, salt, end, last: read } = known;
    let (end, mut later) = if known.reaches(before) {
        (end, read.to_vec())
    } else {
        (end_before(file, salt, end, before)?, Vec::new())
    };
    let first = later.iter().find_map(tail::commit).map_or(end, |placed| placed.offset);
    let mut stretch = (end - first).saturating_add(max_bytes.clamp(BLOCK, BACKWARD_BLOCK));
    loop {
        let start = end.saturating_sub(stretch);
        let to = later.iter().find_map(tail::commit).map_or(end, |placed| placed.offset);
        let (_, mut found) = tail::scan(file, salt, start, to)?;
        let is_longer = found.iter().any(|found| tail::commit(found).is_some());
        if continues(&later, &found) {
            found.append(&mut later);
        } else {
            // Only one look at both sides tells what is between them.
            found = tail::scan(file, salt, start, end)?.1;
        }
        later = found;
        let bytes = span_bytes(&later, before);
        if start == 0 || bytes > max_bytes {
            return Ok(last(&later, before, max_bytes));
        }
        // As much as it takes if what stands before is like what was read, and a little more; but
        // a commit that is longer than the stretch is read from its beginning each time.
        let likely = stretch.saturating_mul(max_bytes).checked_div(bytes).unwrap_or(0);
        let at_least =
            if is_longer { stretch.saturating_add(BLOCK) } else { stretch.saturating_mul(2) };
        stretch = likely.saturating_add(BLOCK).clamp(at_least, stretch.saturating_mul(8));
    }
}

/// Whether what was found goes straight on to what was found after it.
fn continues(later: &[Found], found: &[Found]) -> bool {
    let (Some(first), Some(last)) = (later.iter().find_map(tail::commit), found.last()) else {
        return true;
    };
    tail::commit(last).is_some_and(|last| {
        let (last, first) = (&last.commit, &first.commit);
        first.prev == Some(last.token) && first.first_seq().number() >= last.tip().position.number()
    })
}

/// The last of what was found that end at or before a position and fit into a number of bytes, but
/// at least one commit.
fn last(
    found: &[Found],
    before: Position,
    max_bytes: u64,
) -> VecDeque<Result<StoredCommit, Error>> {
    let mut taken = VecDeque::new();
    let mut bytes = 0;
    for found in found.iter().rev() {
        match found {
            Found::Commit(placed) if placed.commit.tip().position <= before => {
                bytes += placed.commit.span_bytes();
                if bytes > max_bytes && taken.iter().any(Result::is_ok) {
                    break;
                }
                taken.push_front(Ok(placed.commit.clone()));
            }
            Found::Commit(_) => {}
            Found::Failure(failure) => taken.push_front(Err(damage(failure))),
        }
    }
    taken
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

/// How many bytes the commits count that end at or before a position.
fn span_bytes(found: &[Found], before: Position) -> u64 {
    let commits = found.iter().filter_map(tail::commit).map(|placed| &placed.commit);
    commits.filter(|commit| commit.tip().position <= before).map(StoredCommit::span_bytes).sum()
}

/// The error for acknowledged bytes that can't be read.
fn damage(failure: &Failure) -> Error {
    Error::corrupt(DamagePlace { seq: failure.seq, offset: failure.offset }, failure.reason)
}
