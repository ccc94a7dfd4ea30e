//! What a line says, and why bytes are none.

use std::fmt;

use super::checksum::LineSum;
use crate::digest::{Digest, Token};
use crate::entry::Entry;
use crate::id::CommitId;
use crate::position::{Position, Seq};

/// A line that is whole: its entry, and what it says of its commit.
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::line::{Line, decode_line, encode_commit};
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Position, Tip, UnixMillis};
///
/// let (salt, token) = (Salt::from_random([7; 4]), Token::from_random([1; 16]));
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// let commit = Commit::new("c1".parse()?, token, vec![entry.clone(), entry], &Limits::default())?;
/// let mut journal = Vec::new();
/// let before = Tip { position: Position::new(7).expect("it is small"), token: Some(token) };
/// encode_commit(&mut journal, &commit.stored_at(before, before.position)?, salt);
///
/// let lines = journal.trim_ascii_end().split(|byte| *byte == b'\n');
/// let lines = lines.map(|line| decode_line(&Bytes::copy_from_slice(line), Some(salt)));
/// let lines: Vec<Line> = lines.collect::<Result<_, _>>().expect("they are whole");
/// assert_eq!((lines[0].entry.seq.number(), lines[1].entry.seq.number()), (7, 8));
/// // Only the last line of a commit closes it.
/// assert!(lines[0].closing.is_none() && lines[1].closing.is_some());
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::line::{Closing, decode_line, encode_commit};
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Position, Tip, UnixMillis};
///
/// let (salt, token) = (Salt::from_random([7; 4]), Token::from_random([1; 16]));
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// let commit = Commit::new("turn-1".parse()?, token, vec![entry], &Limits::default())?;
/// let before = Tip { position: Position::new(7).expect("it is small"), token: Some(token) };
/// let mut journal = Vec::new();
/// encode_commit(&mut journal, &commit.stored_at(before, before.position)?, salt);
///
/// let line = Bytes::copy_from_slice(journal.trim_ascii_end());
/// let line = decode_line(&line, Some(salt)).expect("it is whole");
/// let closing: Closing = line.closing.expect("it is the last of its commit");
/// assert_eq!((closing.id.as_str(), closing.lines), ("turn-1", 1));
/// // It follows another commit, and all before it was durable when it was written.
/// assert_eq!((closing.prev, closing.synced), (before.token, before.position));
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
///
/// # Examples
/// ```
/// use bytes::Bytes;
/// use sessile_core::line::{BadLine, decode_line};
///
/// let line = br#"{"seq":7,"at":0,"type":"message","data":"hi","crc":"00000000"}"#;
/// let line = Bytes::from_static(line);
/// assert_eq!(decode_line(&line, None), Err(BadLine::ChecksumDiffers));
/// // One that was cut off, as a crash leaves it.
/// assert_eq!(decode_line(&line.slice(..30), None), Err(BadLine::NoChecksum));
/// assert_eq!(BadLine::NoChecksum.to_string(), "the line does not end in a checksum");
/// ```
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
