//! The end of a journal, found by reading back from the end of its file.

use std::fs::File;
use std::io;

use sessile_core::commit::Tip;
use sessile_core::digest::Salt;
use sessile_core::journal::{self, Extent, Found, LastWord, Placed, Scanner};
use sessile_core::position::{Position, Seq};

use crate::blocks::{self, BLOCK};

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
/// the chain was checked from there on.
pub(crate) fn find(file: &File, salt: Salt) -> io::Result<End> {
    let content_offset = content_end(file)?;
    let mut stretch = BLOCK;
    loop {
        let start = content_offset.saturating_sub(stretch);
        let (scanner, found) = scan(file, salt, start, content_offset)?;
        let commits: Vec<&Placed> = found.iter().filter_map(commit).collect();
        let durable = scanner.synced();
        let below = commits.iter().rev().find(|placed| placed.commit.tip().position <= durable);
        let extent = Extent::of(&scanner, &found, Tip::ABSENT, 0);
        let counted = commits.iter().filter(|placed| placed.end <= extent.end);
        let last_word = counted.rev().find_map(|placed| LastWord::of(&placed.commit));
        if start > 0 && (below.is_none() || last_word.is_none()) {
            stretch = stretch.saturating_mul(2);
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
        return Ok(End {
            durable,
            durable_offset,
            content_offset,
            highest: scanner.highest(),
            last_word: last_word.unwrap_or_default(),
            extent,
        });
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
    if from == 0 {
        return scan_from_commit(file, salt, from, to);
    }
    let mut found = Vec::new();
    let bytes = blocks::read(file, from, to)?;
    let cut = memchr::memchr2(b'\n', 0, &bytes).map_or(bytes.len(), |at| at + 1);
    let mut scanner = Scanner::in_the_middle(salt, from + u64::try_from(cut).unwrap_or(0));
    scanner.feed(bytes.slice(cut..), &mut found);
    scanner.finish(&mut found);
    let first = found.iter().position(|found| commit(found).is_some()).unwrap_or(found.len());
    found.drain(..first);
    Ok((scanner, found))
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

/// Where the last byte of a file that is no padding ends.
fn content_end(file: &File) -> io::Result<u64> {
    let mut end = blocks::length(file)?;
    blocks::will_read(file, end.saturating_sub(GREATEST_PADDING), end);
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let content = journal::content_end(&blocks::read(file, start, end)?);
        if content > 0 {
            // The line end belongs to the line.
            let after = start + u64::try_from(content).unwrap_or(0);
            return Ok((after + 1).min(blocks::length(file)?));
        }
        end = start;
    }
    Ok(0)
}
