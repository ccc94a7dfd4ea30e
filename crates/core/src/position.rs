//! Places in a journal: the number of an entry, the end of a journal, the place of a message.
//!
//! All three stay below 2^53, so that every JSON reader in every language can hold them.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The first number that no longer fits: 2^53.
const BOUND: u64 = 1 << 53;

/// The sequence number of one entry of a journal.
///
/// Numbers rise strictly within a journal; gaps are legal everywhere.
///
/// # Examples
/// ```
/// use sessile_core::Seq;
///
/// let seq = Seq::new(7).expect("it is below 2^53 - 1");
/// assert_eq!((seq.number(), seq.after().number()), (7, 8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// The number of a journal's first entry, its header.
    pub const FIRST: Self = Self(0);

    /// Takes a number below 2^53 - 1, so that the position after it exists.
    pub const fn new(number: u64) -> Option<Self> {
        if number < BOUND - 1 { Some(Self(number)) } else { None }
    }

    /// The plain number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The position of a journal whose last entry has this number.
    pub const fn after(self) -> Position {
        Position(self.0 + 1)
    }

    /// The number that follows, unless this is the last there can be.
    pub const fn next(self) -> Option<Self> {
        Self::new(self.0 + 1)
    }
}

/// Where a journal ends: the number that its next entry will get at least.
///
/// A conditional append compares it. It never falls.
///
/// # Examples
/// ```
/// use sessile_core::{Position, Seq};
///
/// let position = Seq::FIRST.after();
/// assert_eq!((position.number(), position.seq().map(Seq::number)), (1, Some(1)));
/// assert!(Position::START < position);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Position(u64);

impl Position {
    /// The position of a journal that does not exist yet.
    pub const START: Self = Self(0);

    /// Takes a number below 2^53.
    pub const fn new(number: u64) -> Option<Self> {
        if number < BOUND { Some(Self(number)) } else { None }
    }

    /// The plain number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The number that the next entry gets, unless the journal is full.
    pub const fn seq(self) -> Option<Seq> {
        Seq::new(self.0)
    }
}

/// The place of a stable message among the messages of a session, contiguous from 1.
///
/// # Examples
/// ```
/// use sessile_core::Ordinal;
///
/// let first = Ordinal::new(1).expect("it is below 2^53");
/// assert_eq!(first.number(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Ordinal(u64);

impl Ordinal {
    /// Takes a number from 1 to 2^53 - 1.
    pub const fn new(number: u64) -> Option<Self> {
        if number >= 1 && number < BOUND { Some(Self(number)) } else { None }
    }

    /// The plain number.
    pub const fn number(self) -> u64 {
        self.0
    }
}

macro_rules! number_from_text_and_json {
    ($name:ident, $rule:literal) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = u64::deserialize(deserializer)?;
                Self::new(number).ok_or_else(|| D::Error::custom($rule))
            }
        }
    };
}

number_from_text_and_json!(Seq, "a sequence number must be below 2^53 - 1");
number_from_text_and_json!(Position, "a position must be below 2^53");
number_from_text_and_json!(Ordinal, "an ordinal must be from 1 to 2^53 - 1");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_bound_are_refused_and_below_it_kept() {
        assert_eq!(Seq::new(BOUND - 2).unwrap().after(), Position::new(BOUND - 1).unwrap());
        assert_eq!(Seq::new(BOUND - 1), None);
        assert_eq!(Seq::new(BOUND - 2).unwrap().next(), None);
        assert_eq!(Position::new(BOUND), None);
        assert_eq!(Position::new(BOUND - 1).unwrap().seq(), None);
        assert_eq!(Ordinal::new(0), None);
    }

    #[test]
    fn json_numbers_outside_the_range_are_refused() {
        assert_eq!(serde_json::from_str::<Seq>("7").unwrap().number(), 7);
        for text in ["9007199254740991", "-1", "1.0", "\"7\"", "18446744073709551616"] {
            assert!(serde_json::from_str::<Seq>(text).is_err(), "{text}");
        }
    }
}
