//! Why a snapshot is refused.

use sessile_core::{Error, ErrorKind};

/// The two ways out of a snapshot that is not to be used.
pub(super) const WAYS_OUT: &str =
    "delete the snapshot to begin the run anew, or name another place for this run's";

/// A clause that names the wrong part.
#[derive(Debug)]
pub(super) struct Fault {
    kind: Option<ErrorKind>,
    clause: String,
}

impl Fault {
    /// Something about a part is wrong.
    pub(super) fn new(clause: impl Into<String>) -> Self {
        Self { kind: None, clause: clause.into() }
    }

    /// Something for which an error of a kind of its own is given.
    pub(super) fn of_kind(kind: ErrorKind, clause: impl Into<String>) -> Self {
        Self { kind: Some(kind), clause: clause.into() }
    }

    /// The error about a snapshot that was read.
    pub(super) fn when_read(self) -> Error {
        let kind = self.kind.unwrap_or(ErrorKind::Corrupt);
        Error::new(kind, self.clause).with_hint(WAYS_OUT)
    }

    /// The error about a snapshot that was to be written.
    pub(super) fn when_written(self) -> Error {
        let kind = self.kind.unwrap_or(ErrorKind::Refused);
        Error::new(kind, format!("it could not be read back: {}", self.clause))
            .with_hint("nothing is written; the snapshot before it is as it was")
    }
}
