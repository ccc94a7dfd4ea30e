//! Damage that a read has come to, and what of it the read covers.

use sessile_core::fold::Hidden;
use sessile_core::{Error, Seq};

/// Damage of which only what follows says where it ends.
#[derive(Debug)]
pub(super) struct Gap {
    pub(super) error: Error,
    /// The first entry that is missing.
    pub(super) from: Seq,
}

impl Gap {
    /// Takes an error that says where damage begins.
    ///
    /// # Errors
    /// Any other.
    pub(super) fn of(error: Error) -> Result<Self, Error> {
        match error.damage() {
            Some(place) => Ok(Self { error, from: place.seq }),
            None => Err(error),
        }
    }

    /// Whether something may be missing from an entry on, where the next one that can be read has a
    /// number; what rewinds have hidden is not missed.
    pub(super) fn covers(&self, hidden: Option<&Hidden>, first: Seq, next: u64) -> bool {
        let from = self.from.max(first);
        let Some(to) = next.checked_sub(1).and_then(Seq::new).filter(|to| *to >= from) else {
            return false;
        };
        hidden.is_none_or(|hidden| !hidden.hides_all(from, to))
    }
}
