//! What was lost or mended.

use std::fmt;

/// A row, and what was lost or mended of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The row, counted from 0.
    pub row: usize,
    /// What, in words that never quote it.
    pub reason: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sessions[{}]: {}", self.row, self.reason)
    }
}
