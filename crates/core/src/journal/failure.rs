//! What is wrong with bytes that are no whole commit.

use std::fmt;

use crate::line::BadLine;
use crate::position::{Position, Seq};

/// A stretch of a journal that is no whole commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Where the whole commits before it end.
    pub position: Position,
    /// The first entry that can't be served for it.
    pub seq: Seq,
    /// Where the whole commits before it end, in bytes.
    pub from: u64,
    /// Where the first bad bytes begin.
    pub offset: u64,
    /// What is wrong with them.
    pub reason: Reason,
}

/// Why bytes do not continue a journal; never quotes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A line is not whole.
    Line(BadLine),
    /// A number does not rise.
    NumberFalls,
    /// A commit has fewer lines than it says.
    LinesMissing,
    /// The lines of a commit are of different attempts.
    LinesOfDifferentAttempts,
    /// A commit does not follow the one before it.
    CommitMissing,
    /// A commit's last line is missing.
    NotClosed,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line(line) => return line.fmt(f),
            Self::NumberFalls => "its number does not rise",
            Self::LinesMissing => "its commit has fewer lines than it says",
            Self::LinesOfDifferentAttempts => "its commit mixes lines of different attempts",
            Self::CommitMissing => "a commit before it is missing",
            Self::NotClosed => "its commit is not closed",
        })
    }
}
