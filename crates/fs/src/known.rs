//! What a writer knows of a journal's end, and how it takes in what others added.

use std::fs::File;
use std::io;

use sessile_core::commit::Tip;
use sessile_core::digest::Salt;
use sessile_core::journal::{self, Extent, Failure, Scanner};
use sessile_core::position::{Position, Seq};

use crate::blocks;
use crate::tail::{self, End};
use sessile_core::journal::LastWord;

/// How many bytes before its end a writer remembers as its own.
const MARK_BYTES: usize = 64;

/// How far beyond its end a writer looks for what others added: that begins there, but for a line
/// end that was missing.
const PEEK_BYTES: usize = 64;

/// The last bytes before an end, by which it is known again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    bytes: [u8; MARK_BYTES],
    length: usize,
}

impl Mark {
    /// That of an end with these bytes before it.
    pub(crate) fn of(before: &[u8]) -> Self {
        let last = before.get(before.len().saturating_sub(MARK_BYTES)..).unwrap_or_default();
        let mut bytes = [0; MARK_BYTES];
        bytes.iter_mut().zip(last).for_each(|(to, from)| *to = *from);
        Self { bytes, length: last.len() }
    }

    fn before(file: &File, end: u64) -> io::Result<Self> {
        let from = end.saturating_sub(u64::try_from(MARK_BYTES).unwrap_or(0));
        Ok(Self::of(&blocks::read(file, from, end)?))
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// What a writer knows of a journal's end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) tip: Tip,
    /// Where the last commit ends, in bytes.
    pub(crate) end: u64,
    /// Whether its last line has its line end.
    pub(crate) terminated: bool,
    /// The position up to which everything is known to be durable, and where that ends in bytes.
    pub(crate) durable: Position,
    pub(crate) durable_offset: u64,
    /// What a caller said last.
    pub(crate) last_word: LastWord,
    /// The bytes right before the end.
    pub(crate) mark: Mark,
}

/// A torn tail: what begins it, and where it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Torn {
    /// What is wrong with it.
    pub(crate) failure: Failure,
    /// Where its last byte ends.
    pub(crate) content_offset: u64,
    /// The greatest number of any valid line in it.
    pub(crate) highest: Option<Seq>,
}

impl Known {
    /// Finds the end without knowing anything of it.
    pub(crate) fn find(file: &File, salt: Salt) -> io::Result<(Self, Option<Torn>)> {
        let (end, _) = tail::find(file, salt)?;
        let End { extent, durable, durable_offset, content_offset, highest, last_word } = end;
        let known = Self {
            tip: extent.tip,
            end: extent.end,
            terminated: extent.terminated,
            durable,
            durable_offset,
            last_word,
            mark: Mark::before(file, extent.end)?,
        };
        let torn = extent.tail.map(|failure| Torn { failure, content_offset, highest });
        Ok((known, torn))
    }

    /// Takes in what others added to a file of a size; none if what was known does not stand in
    /// the file any more.
    pub(crate) fn catch_up(
        mut self,
        file: &File,
        salt: Salt,
        size: u64,
    ) -> io::Result<Option<(Self, Option<Torn>)>> {
        let mark_from = self.end.saturating_sub(u64::try_from(self.mark.length).unwrap_or(0));
        let mut around = [0; MARK_BYTES + PEEK_BYTES];
        let room = around.get_mut(..self.mark.length + PEEK_BYTES).unwrap_or_default();
        let around = blocks::fill(room, file, mark_from)?;
        let Some(after) = around.strip_prefix(self.mark.as_bytes()) else {
            return Ok(None);
        };
        if journal::content_end(after) == 0 {
            return Ok(Some((self, None)));
        }
        let bytes = blocks::read(file, self.end, size)?;
        let bytes = bytes.slice(..(journal::content_end(&bytes) + 1).min(bytes.len()));
        let content_offset = self.end + u64::try_from(bytes.len()).unwrap_or(0);
        let mut found = Vec::new();
        let mut scanner = Scanner::after(salt, self.tip, self.end);
        scanner.feed(bytes, &mut found);
        scanner.finish(&mut found);
        let extent = Extent::of(&scanner, &found, self.tip, self.end);
        if !extent.damage.is_empty() {
            return Ok(None);
        }
        let synced = scanner.synced().max(self.durable);
        self.durable_to(synced, self.tip, self.end);
        for placed in found.iter().filter_map(tail::commit) {
            if placed.end <= extent.end {
                self.durable_to(synced, placed.commit.tip(), placed.end);
                if let Some(last_word) = LastWord::of(&placed.commit) {
                    self.last_word = last_word;
                }
            }
        }
        (self.tip, self.end) = (extent.tip, extent.end);
        self.terminated = extent.terminated;
        self.mark = Mark::before(file, self.end)?;
        let highest = scanner.highest();
        let torn = extent.tail.map(|failure| Torn { failure, content_offset, highest });
        Ok(Some((self, torn)))
    }

    /// Counts a commit as durable that ends at or below what is known to be synced.
    fn durable_to(&mut self, synced: Position, tip: Tip, end: u64) {
        if tip.position <= synced {
            (self.durable, self.durable_offset) = (tip.position, end);
        }
    }
}
