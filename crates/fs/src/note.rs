//! What is noted of a journal so that listing need not look into it, and when that still holds.
//!
//! A note is believed only as far as the journal's own file bears it out, so it does not matter
//! where it comes from or how old it is. What its file can't bear out is the time itself; a wrong
//! one puts the session at a wrong place in the order, and at the same one on every page.

use std::fs::File;
use std::io;

use sessile_core::digest::{Digest, Token};
use sessile_core::id::SessionId;
use sessile_core::journal;
use sessile_core::time::UnixMillis;

use crate::blocks;
use crate::door::Folder;
use crate::identity::Identity;

/// How many bytes before its end a journal is known again by: they hold the checksum of its last
/// line, and with it, by the checksum's initial value, which journal it is.
const MARK_BYTES: u64 = 64;

/// How many bytes after its end show whether something was added: it begins there, but for a line
/// end that was missing.
const PEEK_BYTES: u64 = 64;

/// Where a journal ended once, and when a caller had last added something to it by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// Whose journal it is.
    pub(crate) id: SessionId,
    /// When a caller had last added something.
    pub(crate) updated_at: UnixMillis,
    /// Where its last commit ended, in bytes.
    end: u64,
    /// The file that it stood in.
    inode: u64,
    /// What stood right before its end.
    mark: Token,
}

impl Note {
    /// Notes on a journal whose commits end at an offset and have nothing but padding after them.
    pub(crate) fn of(
        id: &SessionId,
        (file, seen): (&File, &Identity),
        end: u64,
        updated_at: UnixMillis,
    ) -> io::Result<Self> {
        let mark = mark_of(&blocks::read(file, end.saturating_sub(MARK_BYTES), end)?);
        Ok(Self { id: id.clone(), updated_at, end, inode: seen.inode(), mark })
    }

    /// Whether the journal, whose name was looked at, still ends where it did.
    pub(crate) fn holds(&self, folder: &Folder, name: &str, seen: &Identity) -> bool {
        // Commits are only ever added: a file that ends where its text did has none added.
        let is_as_it_was = seen.inode() == self.inode && seen.size == self.end;
        is_as_it_was
            || seen.size >= self.end && self.holds_within(folder, name).is_ok_and(|holds| holds)
    }

    /// Whether it holds for a file that has padding, or that a copy was made of.
    fn holds_within(&self, folder: &Folder, name: &str) -> io::Result<bool> {
        let from = self.end.saturating_sub(MARK_BYTES);
        let to = self.end.saturating_add(PEEK_BYTES);
        let around = blocks::read(&folder.file_to_read(name)?, from, to)?;
        let before = usize::try_from(self.end - from).map_err(io::Error::other)?;
        let parts = around.split_at_checked(before);
        Ok(parts.is_some_and(|(mark, after)| {
            journal::content_end(after) == 0 && mark_of(mark) == self.mark
        }))
    }

    /// Whether this tells more than another note on the same session, which was made before or
    /// at the same time: the text of one file only gets longer.
    pub(crate) const fn is_beyond(&self, other: &Self) -> bool {
        self.inode != other.inode || self.end >= other.end
    }

    /// The note as a line.
    pub(crate) fn to_line(&self) -> String {
        let Self { id, updated_at, end, inode, mark } = self;
        let said = format!("{} {end} {inode} {mark} {id}", updated_at.millis());
        format!("{} {said}\n", mark_of(said.as_bytes()))
    }

    /// The note of a line without its end, if it is one and whole.
    pub(crate) fn from_line(line: &[u8]) -> Option<Self> {
        let (sum, said) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        if sum.parse::<Token>().ok()? != mark_of(said.as_bytes()) {
            return None;
        }
        let mut parts = said.splitn(5, ' ');
        let mut next = || parts.next();
        Some(Self {
            updated_at: UnixMillis(next()?.parse().ok()?),
            end: next()?.parse().ok()?,
            inode: next()?.parse().ok()?,
            mark: next()?.parse().ok()?,
            id: next()?.parse().ok()?,
        })
    }
}

/// What some bytes are known again by.
fn mark_of(bytes: &[u8]) -> Token {
    Token::from_digest(Digest::of(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note() -> Note {
        let (id, mark) = ("Ses_1".parse().unwrap(), mark_of(b"mark"));
        Note { id, updated_at: UnixMillis(u64::MAX), end: 7, inode: 0, mark }
    }

    #[test]
    fn a_line_comes_back_and_no_other_line_is_a_note() {
        let line = note().to_line();
        let line = line.strip_suffix('\n').unwrap().as_bytes();
        assert_eq!(Note::from_line(line), Some(note()));
        for at in 0..line.len() {
            let mut altered = line.to_vec();
            altered[at] ^= 1;
            assert_eq!(Note::from_line(&altered), None, "byte {at}");
            assert_eq!(Note::from_line(&line[..at]), None, "cut at {at}");
            assert_eq!(Note::from_line(&line[at + 1..]), None, "begun at {at}");
        }
    }

    #[test]
    fn of_two_notes_on_one_file_the_longer_text_counts_and_else_the_later() {
        let longer = Note { end: 8, ..note() };
        assert!(longer.is_beyond(&note()) && !note().is_beyond(&longer));
        let elsewhere = Note { inode: 1, ..note() };
        assert!(elsewhere.is_beyond(&longer) && longer.is_beyond(&elsewhere));
    }
}
