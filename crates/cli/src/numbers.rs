//! Numbers of a journal, as they are given on the command line.

use sessile::{Position, Seq};

use crate::failure::Failure;

/// The number of an entry.
pub(crate) fn seq(number: u64, flag: &str) -> Result<Seq, Failure> {
    Seq::new(number).ok_or_else(|| Failure::Usage(format!("{flag} takes a number below 2^53 - 1")))
}

/// Where a journal ends.
pub(crate) fn position(number: u64, flag: &str) -> Result<Position, Failure> {
    Position::new(number)
        .ok_or_else(|| Failure::Usage(format!("{flag} takes a position below 2^53")))
}
