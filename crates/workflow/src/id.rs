//! Ids of sessions that are drawn.

use sessile_core::{Error, SessionId};

/// How many of the random bytes make an id: 96 bits.
const BYTES: usize = 12;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The id that a draw makes: the prefix and 16 characters.
///
/// # Errors
/// *invalid id* where the prefix can't begin one.
pub(crate) fn of(prefix: &str, random: [u8; 16]) -> Result<SessionId, Error> {
    let bits = random.iter().take(BYTES).fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let digit = |place: usize| {
        let sextet = usize::try_from((bits >> (6 * place)) & 0x3f).unwrap_or(0);
        char::from(DIGITS.get(sextet).copied().unwrap_or(b'A'))
    };
    let suffix = (0..BYTES * 8 / 6).rev().map(digit);
    prefix.chars().chain(suffix).collect::<String>().parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_prefix_and_sixteen_characters_of_the_draw() {
        let id =
            |first: u8| of("ses_", [[first; 12].as_slice(), &[9; 4]].concat().try_into().unwrap());
        assert_eq!(id(0).unwrap().as_str(), "ses_AAAAAAAAAAAAAAAA");
        assert_eq!(id(0xff).unwrap().as_str(), "ses_________________");
        assert_eq!(id(0b0000_0100).unwrap().as_str(), "ses_BAQEBAQEBAQEBAQE");
        assert!(of("no prefix", [0; 16]).is_err());
    }
}
