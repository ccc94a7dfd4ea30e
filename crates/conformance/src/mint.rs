//! Values that are used once.
//!
//! They come from a counter and not from chance, so that a case that fails fails again.

use std::sync::atomic::{AtomicU64, Ordering};

use sessile_core::digest::{Digest, Salt, Token};
use sessile_core::{CommitId, Revision};

use crate::failed::Failed;

static MINTED: AtomicU64 = AtomicU64::new(0);

fn number() -> u64 {
    MINTED.fetch_add(1, Ordering::Relaxed)
}

/// A token that no other call gives.
pub(crate) fn token() -> Token {
    Token::from_digest(Digest::of(&number().to_le_bytes()))
}

/// A revision that no other call gives.
pub(crate) fn revision() -> Revision {
    Revision::new(token())
}

/// A commit id that no other call gives.
pub(crate) fn commit_id() -> Result<CommitId, Failed> {
    Ok(format!("commit-{}", number()).parse()?)
}

/// Some salt.
pub(crate) fn salt() -> Salt {
    let digest = Digest::of(&number().to_le_bytes());
    Salt::from_random(digest.as_bytes().first_chunk().copied().unwrap_or_default())
}
