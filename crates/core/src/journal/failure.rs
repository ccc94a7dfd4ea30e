//! What is wrong with bytes that are no whole commit.

use std::fmt;

use crate::line::BadLine;
use crate::position::{Position, Seq};

/// A stretch of a journal that is no whole commit.
///
/// # Examples
/// ```
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::journal::{Failure, Found, Scanner};
/// use sessile_core::{Position, Tip};
///
/// let token = Token::from_random([1; 16]);
/// let tip = Tip { position: Position::new(7).expect("it is small"), token: Some(token) };
/// let salt = Salt::from_random([7; 4]);
/// let (mut scanner, mut found) = (Scanner::after(salt, tip, 512), Vec::new());
/// scanner.feed("{\"seq\":7,\"at".into(), &mut found);
/// scanner.finish(&mut found);
/// let Some(Found::Failure(failure)) = found.pop() else { panic!("it is no commit") };
/// // It says which entry can't be served and where its bytes begin, and quotes none of them.
/// let Failure { seq, offset, reason, .. } = failure;
/// assert_eq!((seq.number(), offset), (7, 512));
/// assert_eq!(reason.to_string(), "the line does not end in a checksum");
/// ```
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
///
/// # Examples
/// ```
/// use sessile_core::digest::{Salt, Token};
/// use sessile_core::journal::{Found, Reason, Scanner};
/// use sessile_core::line::encode_commit;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, Position, Tip, UnixMillis};
///
/// # let salt = Salt::from_random([7; 4]);
/// # let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// # let token = Token::from_random([1; 16]);
/// # let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// # let before = Tip { position: Position::new(7).expect("it is small"), token: Some(token) };
/// let mut bytes = Vec::new();
/// encode_commit(&mut bytes, &commit.stored_at(before, before.position)?, salt);
/// // Whole as it is, it is not what follows the commit that was read last.
/// let other = Tip { token: Some(Token::from_random([2; 16])), ..before };
/// let (mut scanner, mut found) = (Scanner::after(salt, other, 0), Vec::new());
/// scanner.feed(bytes.into(), &mut found);
/// let Some(Found::Failure(failure)) = found.first() else { panic!("a commit is missing") };
/// assert_eq!(failure.reason, Reason::CommitMissing);
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
