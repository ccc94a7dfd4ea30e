//! What an export has left out.

use sessile_core::Seq;

/// Entries that could not be read and are no part of an exported file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The first of them.
    pub from: Seq,
    /// The last.
    pub to: Seq,
    /// Why, for people.
    pub reason: String,
}
