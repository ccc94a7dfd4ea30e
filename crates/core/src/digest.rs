//! Digests and tokens: fixed-size values that stand in the journal as lower-case hex.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
///
/// # Examples
/// ```
/// use sessile_core::digest::Digest;
///
/// let digest = Digest::of(b"ann");
/// assert_eq!(Ok(digest), digest.to_string().parse());
/// assert_ne!(digest, Digest::of_parts([b"an".as_slice(), b"n"]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several parts, each preceded by its length, so that no two lists of parts
    /// give the same bytes.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut all = Parts::default();
        parts.into_iter().for_each(|part| all.push(part));
        all.digest()
    }

    /// The plain bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A list of parts that grows, with its [digest](Digest::of_parts) at any time.
///
/// # Examples
/// ```
/// use sessile_core::digest::{Digest, Parts};
///
/// // Records that come one by one, and may go on to come.
/// let mut parts = Parts::default();
/// parts.push(b"first");
/// let so_far = parts.digest();
/// parts.push(b"second");
/// assert_eq!(so_far, Digest::of_parts([b"first".as_slice()]));
/// assert_eq!(parts.digest(), Digest::of_parts([b"first".as_slice(), b"second"]));
/// ```
#[derive(Clone, Default)]
pub struct Parts(Sha256);

impl Parts {
    /// Adds a part.
    pub fn push(&mut self, part: &[u8]) {
        self.0.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(part);
    }

    /// The digest of the parts so far.
    pub fn digest(&self) -> Digest {
        Digest(self.0.clone().finalize().into())
    }
}

impl fmt::Debug for Parts {
    /// Tells the digest only: what is half hashed may give parts away.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parts({})", self.digest())
    }
}

/// A random value of 128 bits that is minted for each attempt and never used twice.
///
/// A token belongs to one built set of bytes; sending the same bytes again keeps it.
///
/// # Examples
/// ```
/// use sessile_core::digest::{Digest, Token};
///
/// // In a program the bytes are random; a store has a source of them.
/// let token = Token::from_random([0xab; 16]);
/// assert_eq!(token.to_string(), "ab".repeat(16));
/// assert_eq!(token.to_string().parse(), Ok(token));
/// // What is made by rule is the same wherever it is made.
/// assert_eq!(Token::from_digest(Digest::of(b"a")), Token::from_digest(Digest::of(b"a")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token([u8; 16]);

impl Token {
    /// Takes 16 random bytes.
    pub const fn from_random(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The plain bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The first half of a digest, for bytes that are made by rule and not by chance.
    pub fn from_digest(digest: Digest) -> Self {
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest.0).for_each(|(to, from)| *to = from);
        Self(bytes)
    }
}

/// The initial value of a journal's checksums, random for each file, so that bytes of another
/// journal, or of an older life of this one, cannot pass for this one's.
///
/// # Examples
/// ```
/// use sessile_core::digest::Salt;
///
/// let salt = Salt::from_random([0x1a, 0x2b, 0x3c, 0x4d]);
/// // It stands in the header of a journal, and every checksum after it starts from there.
/// assert_eq!(salt.to_string(), "1a2b3c4d");
/// assert_eq!(salt.initial(), 0x1a2b_3c4d);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Salt([u8; 4]);

impl Salt {
    /// Takes 4 random bytes.
    pub const fn from_random(bytes: [u8; 4]) -> Self {
        Self(bytes)
    }

    /// The number that a checksum starts from.
    pub const fn initial(self) -> u32 {
        u32::from_be_bytes(self.0)
    }
}

/// Reads two hex digits a byte, lower case only: one value has one spelling.
fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

/// A text was not the hex form of a value.
///
/// # Examples
/// ```
/// use sessile_core::digest::{NotHex, Salt};
///
/// // A value has one spelling only, so that equal values are equal text.
/// let error: NotHex = "1A2B3C4D".parse::<Salt>().unwrap_err();
/// assert_eq!(error.to_string(), "expected 8 lower-case hex digits");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotHex {
    digits: usize,
}

impl fmt::Display for NotHex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} lower-case hex digits", self.digits)
    }
}

impl std::error::Error for NotHex {}

macro_rules! hex_text {
    ($name:ident, $bytes:literal) => {
        impl FromStr for $name {
            type Err = NotHex;

            fn from_str(text: &str) -> Result<Self, NotHex> {
                from_hex::<$bytes>(text).map(Self).ok_or(NotHex { digits: $bytes * 2 })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let digit = |nibble: u8| nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
                let mut text = [0; $bytes * 2];
                for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
                    *pair = [digit(byte >> 4), digit(byte & 15)];
                }
                // Digits and letters are text, so that this never falls back.
                f.write_str(std::str::from_utf8(&text).unwrap_or_default())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    };
}

hex_text!(Digest, 32);
hex_text!(Token, 16);
hex_text!(Salt, 4);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_one_spelling_of_one_length() {
        let salt: Salt = "00c0ffee".parse().unwrap();
        assert_eq!(salt.to_string(), "00c0ffee");
        assert_eq!(salt.initial(), 0x00c0_ffee);
        for text in ["00C0FFEE", "0c0ffee", "00c0ffee0", "00c0ffeg", "", "00c0ffeü"] {
            assert!(text.parse::<Salt>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_digest_is_what_sha256_says() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), expected);
    }

    #[test]
    fn a_list_that_grows_has_the_digest_of_its_parts_at_any_time() {
        let mut parts = Parts::default();
        assert_eq!(parts.digest(), Digest::of_parts([]));
        parts.push(b"ab");
        assert_eq!(parts.digest(), Digest::of_parts([b"ab".as_slice()]));
        parts.push(b"c");
        assert_eq!(parts.digest(), Digest::of_parts([b"ab".as_slice(), b"c"]));
    }

    #[test]
    fn parts_do_not_run_together() {
        let split = |a: &'static [u8], b: &'static [u8]| Digest::of_parts([a, b]);
        assert_ne!(split(b"ab", b"c"), split(b"a", b"bc"));
    }
}
