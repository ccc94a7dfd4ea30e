//! What is noted of a journal so that listing need not look into it, and when that still holds.

use std::fs::File;
use std::io;
use std::sync::Arc;

use sessile_core::backend::Gist;
use sessile_core::commit::Tip;
use sessile_core::digest::Digest;
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
    /// When a caller had last added something.
    pub(crate) updated_at: UnixMillis,
    /// Where it ended.
    pub(crate) tip: Tip,
    /// Where its last commit ended, in bytes.
    pub(crate) end: u64,
    /// The file that it stood in.
    pub(crate) inode: u64,
    /// What stood right before its end.
    pub(crate) mark: u64,
}

/// A note, and what a listing may show of the journal at that end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Noted {
    pub(crate) note: Note,
    pub(crate) gist: Option<Arc<Gist>>,
}

impl Noted {
    /// A note with a gist, if that is of the same end.
    pub(crate) fn of(note: Note, gist: Option<Arc<Gist>>) -> Self {
        let gist = gist.filter(|gist| gist.tip == note.tip);
        Self { note, gist }
    }

    /// The same, with what was known before of the same end in the same file.
    pub(crate) fn after(mut self, before: Self) -> Self {
        if self.gist.is_none()
            && (self.note.tip, self.note.inode) == (before.note.tip, before.note.inode)
        {
            self.gist = before.gist;
        }
        self
    }
}

impl Note {
    /// Notes on a journal whose commits end at an offset and have nothing but padding after them.
    pub(crate) fn of(
        (file, seen): (&File, &Identity),
        (tip, end): (Tip, u64),
        updated_at: UnixMillis,
    ) -> io::Result<Self> {
        let mark = mark_of(&blocks::read(file, end.saturating_sub(MARK_BYTES), end)?);
        Ok(Self { updated_at, tip, end, inode: seen.inode(), mark })
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
}

/// What some bytes are known again by.
fn mark_of(bytes: &[u8]) -> u64 {
    let digest = Digest::of(bytes);
    digest.as_bytes().first_chunk().copied().map_or(0, u64::from_be_bytes)
}
