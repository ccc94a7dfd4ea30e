//! How an import of several parts ends.

use std::fmt;

use sessile::{Error, ErrorKind};

use crate::exit::Exit;
use crate::failure::Failure;

/// What became of the parts so far: what is wrong with one spoils no other, and is told with it.
#[derive(Debug, Default)]
pub(super) struct Ending {
    conflict: Option<Error>,
    readable: u64,
    unreadable: u64,
}

impl Ending {
    /// A part could be read, whatever came of it.
    pub(super) const fn readable(&mut self) {
        self.readable += 1;
    }

    /// A part is damaged.
    pub(super) const fn unreadable(&mut self) {
        self.unreadable += 1;
    }

    /// A part could be read, and something else is where it belongs.
    pub(super) fn conflict(&mut self, error: Error) {
        self.readable();
        self.conflict.get_or_insert(error);
    }

    /// How many parts there were.
    pub(super) const fn parts(&self) -> u64 {
        self.readable + self.unreadable
    }

    /// The end, once all that could be taken was: the first conflict is an error, and so is a place
    /// where nothing can be read; damaged parts among others are not.
    pub(super) fn exit(self, place: impl fmt::Display) -> Result<Exit, Failure> {
        if let Some(error) = self.conflict {
            return Err(error.into());
        }
        if self.readable == 0 && self.unreadable > 0 {
            let clause = format!("none of its {} parts can be read", self.unreadable);
            return Err(Error::new(ErrorKind::Corrupt, clause)
                .with_hint("each is told above with what is wrong with it")
                .about(place)
                .into());
        }
        Ok(Exit::Done)
    }
}
