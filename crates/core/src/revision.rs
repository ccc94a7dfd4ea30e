//! The version of a document.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Token};

/// A document's version: a random token that is stored with the value and never repeats, also
/// after deletion; compared for equality only.
///
/// # Examples
/// ```
/// use sessile_core::Revision;
///
/// let damaged = Revision::of_damaged(b"half a doc");
/// // The same bytes are the same damage, and may be replaced by whoever names it.
/// assert_eq!(damaged, Revision::of_damaged(b"half a doc"));
/// assert_ne!(damaged, Revision::of_damaged(b"half a d"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(Token);

impl Revision {
    /// Takes a token that was minted for this one put.
    pub const fn new(token: Token) -> Self {
        Self(token)
    }

    /// Names stored bytes that are no document any more, so that they can be replaced on purpose:
    /// the beginning of their digest. Other bytes have another.
    pub fn of_damaged(stored: &[u8]) -> Self {
        Self(Token::from_digest(Digest::of(stored)))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
