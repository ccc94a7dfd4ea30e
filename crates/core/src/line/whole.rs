//! What a line says, and why bytes are none.

use std::fmt;

use super::checksum::LineSum;
use crate::digest::{Digest, Token};
use crate::entry::Entry;
use crate::id::CommitId;
use crate::position::{Position, Seq};

/// A line that is whole: its entry, and what it says of its commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The entry.
    pub entry: Entry,
    /// What closes the commit; none where more lines follow.
    pub closing: Option<Closing>,
    /// The line's checksum.
    pub crc: u32,
}

/// What the last line of a commit says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The commit's id.
    pub id: CommitId,
    /// The token of the attempt that wrote it.
    pub token: Token,
    /// How many lines it has.
    pub lines: u64,
    /// The token of the commit before.
    pub prev: Option<Token>,
    /// The position known to be durable when it was written.
    pub synced: Position,
    /// The digest of what its caller asked for.
    pub digest: Digest,
    /// The seq of its `state` entry.
    pub state: Option<Seq>,
    /// How many of its caller's entries were dropped or emptied since.
    pub vacuumed: u64,
    /// The sum over its other lines' checksums.
    pub sum: Option<LineSum>,
}

/// Why bytes are not a whole line; never quotes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BadLine {
    /// It does not end in a checksum.
    NoChecksum,
    /// Its checksum is another.
    ChecksumDiffers,
    /// Its checksum holds, but it is not an entry: written by a faulty program.
    NotAnEntry,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoChecksum => "the line does not end in a checksum",
            Self::ChecksumDiffers => "the line's checksum differs",
            Self::NotAnEntry => "the line is no entry although its checksum holds",
        })
    }
}

impl std::error::Error for BadLine {}
