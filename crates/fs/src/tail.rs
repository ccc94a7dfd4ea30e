//! The end of a journal, found by reading back from the end of its file.

use std::fs::File;
use std::io;

use bytes::Bytes;
use sessile_core::commit::Tip;
use sessile_core::digest::Salt;
use sessile_core::journal::{self, Extent, Found, LastWord, Placed, Scanner};
use sessile_core::position::{Position, Seq};

use crate::blocks::{self, BLOCK};

/// How much is read at once before the end: as much as mostly holds the last derived state and what
/// somebody who goes on with a session is shown first.
const FIRST_STRETCH: u64 = 2 * BLOCK;

/// The most padding that a file has after its last commit, but for a crash.
const GREATEST_PADDING: u64 = 256 << 10;

/// Where a journal ends and what its last commits tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Where the whole commits end, what is damaged below, what is torn above.
    pub(crate) extent: Extent,
    /// The position up to which everything is known to be durable.
    pub(crate) durable: Position,
    /// Where the commits up to there end, in bytes.
    pub(crate) durable_offset: u64,
    /// Where the last byte that is no padding ends.
    pub(crate) content_offset: u64,
    /// The greatest number of any valid line, torn ones included.
    pub(crate) highest: Option<Seq>,
    /// What a caller said last.
    pub(crate) last_word: LastWord,
}

/// Finds the end of a journal whose header was read.
///
/// It reads back, a doubling stretch at a time, until it has seen a whole commit that ends at or
/// below the greatest `synced` of any valid line: what begins the tail is decided by then, and
/// the chain was checked from there on. What it came across is answered too: it is most often what
/// is read next.
pub(crate) fn find(file: &File, salt: Salt) -> io::Result<(End, Vec<Found>)> {
    let Content { end: content_offset, mut start, mut bytes } = content(file)?;
    loop {
        let (scanner, found) = scan_bytes(salt, start, bytes);
        let commits: Vec<&Placed> = found.iter().filter_map(commit).collect();
        let durable = scanner.synced();
        let below = commits.iter().rev().find(|placed| placed.commit.tip().position <= durable);
        let extent = Extent::of(&scanner, &found, Tip::ABSENT, 0);
        let counted = commits.iter().filter(|placed| placed.end <= extent.end);
        let last_word = counted.rev().find_map(|placed| LastWord::of(&placed.commit));
        if start > 0 && (below.is_none() || last_word.is_none()) {
            let stretch = content_offset.saturating_sub(start).max(BLOCK).saturating_mul(2);
            start = content_offset.saturating_sub(stretch);
            bytes = blocks::read(file, start, content_offset)?;
            continue;
        }
        let last = commits.iter().rfind(|placed| placed.end <= extent.end);
        let (durable, durable_offset) = match below {
            // Damage that reaches the end was acknowledged once: writing it again mends nothing.
            _ if last.is_some_and(|placed| placed.end < extent.end) => {
                (extent.tip.position, extent.end)
            }
            Some(placed) => (placed.commit.tip().position, placed.end),
            None => (Position::START, 0),
        };
        let end = End {
            durable,
            durable_offset,
            content_offset,
            highest: scanner.highest(),
            last_word: last_word.unwrap_or_default(),
            extent,
        };
        return Ok((end, found));
    }
}

/// Scans a stretch that begins at the first line that begins in it; what stands before its first
/// whole commit is left out unless the stretch begins the journal.
pub(crate) fn scan(
    file: &File,
    salt: Salt,
    from: u64,
    to: u64,
) -> io::Result<(Scanner, Vec<Found>)> {
    Ok(scan_bytes(salt, from, blocks::read(file, from, to)?))
}

/// Scans the bytes of a stretch that begins at an offset.
fn scan_bytes(salt: Salt, from: u64, bytes: Bytes) -> (Scanner, Vec<Found>) {
    let mut found = Vec::new();
    if from == 0 {
        let mut scanner = Scanner::from_start(salt);
        scanner.feed(bytes, &mut found);
        scanner.finish(&mut found);
        return (scanner, found);
    }
    let cut = memchr::memchr2(b'\n', 0, &bytes).map_or(bytes.len(), |at| at + 1);
    let mut scanner = Scanner::in_the_middle(salt, from + u64::try_from(cut).unwrap_or(0));
    scanner.feed(bytes.slice(cut..), &mut found);
    scanner.finish(&mut found);
    let first = found.iter().position(|found| commit(found).is_some()).unwrap_or(found.len());
    found.drain(..first);
    (scanner, found)
}

/// Scans a stretch that begins where a commit does.
pub(crate) fn scan_from_commit(
    file: &File,
    salt: Salt,
    from: u64,
    to: u64,
) -> io::Result<(Scanner, Vec<Found>)> {
    let mut found = Vec::new();
    let mut scanner = match from {
        0 => Scanner::from_start(salt),
        _ => Scanner::in_the_middle(salt, from),
    };
    scanner.feed(blocks::read(file, from, to)?, &mut found);
    scanner.finish(&mut found);
    Ok((scanner, found))
}

/// The commit that was found, if it is one.
pub(crate) fn commit(found: &Found) -> Option<&Placed> {
    match found {
        Found::Commit(placed) => Some(placed),
        Found::Failure(_) => None,
    }
}

/// The end of what a file holds.
struct Content {
    /// Where the last byte that is no padding ends, its line end included.
    end: u64,
    /// Bytes up to there, and where they begin.
    start: u64,
    bytes: Bytes,
}

/// Reads back to the last byte of a file that is no padding, and so much before it.
fn content(file: &File) -> io::Result<Content> {
    let length = blocks::length(file)?;
    blocks::will_read(file, length.saturating_sub(GREATEST_PADDING), length);
    let mut to = length;
    while to > 0 {
        let start = to.saturating_sub(FIRST_STRETCH);
        let bytes = blocks::read(file, start, to)?;
        let content = u64::try_from(journal::content_end(&bytes)).unwrap_or(0);
        if content == 0 {
            to = start;
            continue;
        }
        // The line end belongs to the line.
        let end = (start + content + 1).min(length);
        if end <= to && (content >= BLOCK || start == 0) {
            let whole = usize::try_from(end - start).unwrap_or(usize::MAX).min(bytes.len());
            return Ok(Content { end, start, bytes: bytes.slice(..whole) });
        }
        // Much of what was read is padding.
        let start = end.saturating_sub(FIRST_STRETCH);
        return Ok(Content { end, start, bytes: blocks::read(file, start, end)? });
    }
    Ok(Content { end: 0, start: 0, bytes: Bytes::new() })
}
