//! Where an append goes, what it answers, and which part of a journal is read.

use std::pin::Pin;

use futures_core::Stream;

use crate::commit::{StoredCommit, Tip};
use crate::error::Error;
use crate::position::{Position, Seq};

/// Where the writer thinks that the journal ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exactly here; [`Tip::ABSENT`] creates the journal.
    At(Tip),
    /// Wherever: only for minted commit ids and entries without numbers.
    End,
}

/// What became of one commit of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The number of its first entry.
    pub first: Seq,
    /// The tip of the journal right after it.
    pub tip: Tip,
    /// Whether its own token was there already.
    pub replayed: bool,
}

/// Which commits of a journal are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// From the commit that holds this seq or the first one after it, to the end.
    From(Seq),
    /// The last commits that end at or before a position, in order: as many as fit into a number
    /// of bytes, but at least one. Of an entry its payload counts, and
    /// [`FRAME_BYTES`](crate::commit::FRAME_BYTES) beside.
    Back {
        /// The position.
        before: Position,
        /// The number of bytes.
        max_bytes: u64,
    },
}

impl Span {
    /// The whole journal.
    pub const ALL: Self = Self::From(Seq::FIRST);
}

/// Whole commits, in order, read as they are asked for.
///
/// Where acknowledged bytes are damaged, the stream has an [error](crate::ErrorKind::Corrupt)
/// that names the first entry it can't serve, and goes on with the next whole commit: what to
/// make of a gap is the caller's policy. A torn tail ends the stream; the head tells of it.
pub type Commits = Pin<Box<dyn Stream<Item = Result<StoredCommit, Error>> + Send>>;
