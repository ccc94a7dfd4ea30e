//! The backend's door of randomness: what its own bodies are told apart by, and its waits.

use sessile_core::digest::Token;
use uuid::Uuid;

/// A token that nobody draws twice.
#[expect(clippy::disallowed_methods, reason = "this is the door")]
pub(crate) fn token() -> Token {
    // Six bits of such an id are fixed; none is fixed in both of these at the same place.
    let (one, other) = (Uuid::new_v4().as_u128(), Uuid::new_v4().as_u128());
    Token::from_random((one ^ other.rotate_left(64)).to_be_bytes())
}

/// A number from 0 to below a bound, for waits that are not to fall together.
#[expect(clippy::disallowed_methods, reason = "this is the door")]
pub(crate) fn below(bound: u64) -> u64 {
    u64::try_from(Uuid::new_v4().as_u128() % u128::from(bound.max(1))).unwrap_or(0)
}
