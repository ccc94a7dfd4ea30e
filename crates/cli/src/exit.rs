//! From what happened to the exit status.

use std::process::ExitCode;

use sessile::{Error, ErrorKind};

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Failed in a way that has no status of its own.
    Failed,
    /// A command line, an id or a place that can't be.
    Usage,
    /// Missing, deleted or forgotten.
    Missing,
    /// Not where or as the caller thinks.
    Conflict,
    /// Damaged, or of a version that this program does not know.
    Corrupt,
    /// The place does not answer or refuses access.
    Unavailable,
}

impl Exit {
    /// The status for an error.
    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidId | ErrorKind::InvalidPlace => Self::Usage,
            ErrorKind::Missing | ErrorKind::Deleted | ErrorKind::Forgotten => Self::Missing,
            ErrorKind::Conflict
            | ErrorKind::Exists
            | ErrorKind::Busy
            | ErrorKind::Fenced
            | ErrorKind::Closed
            | ErrorKind::Mismatch => Self::Conflict,
            ErrorKind::Corrupt | ErrorKind::UnknownVersion => Self::Corrupt,
            ErrorKind::Unavailable | ErrorKind::Deadline | ErrorKind::Permission => {
                Self::Unavailable
            }
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0_u8,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Missing => 3,
            Exit::Conflict => 4,
            Exit::Corrupt => 5,
            Exit::Unavailable => 6,
        })
    }
}
