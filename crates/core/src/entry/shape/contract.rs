//! The terms of a turn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::error::{Error, ErrorKind};
use crate::payload::Payload;

/// The terms of a turn: a digest for each named part, so that a mismatch names the part.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Contract;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let before = Contract::new().part("agent", "shop-1")?.part("tools", &["search"])?;
/// let after = Contract::new().part("agent", "shop-1")?.part("tools", &["search", "buy"])?;
/// assert_eq!(before.first_difference(&after), Some("tools"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Contract {
    /// The parts.
    pub parts: BTreeMap<String, Digest>,
}

impl Contract {
    /// No terms at all.
    pub const fn new() -> Self {
        Self { parts: BTreeMap::new() }
    }

    /// The same terms with one more part: the digest of the exact bytes of its JSON.
    ///
    /// Members of a struct stand in its own order; a map whose order changes is another part.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when the value has no JSON form, or there is a part of that name.
    pub fn part<T: Serialize + ?Sized>(self, name: &str, value: &T) -> Result<Self, Error> {
        let value = Payload::of(value)?;
        self.digest(name, Digest::of(value.as_str().as_bytes()))
    }

    /// The same terms with one more part of which only the digest is at hand.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when there is a part of that name.
    pub fn digest(mut self, name: &str, digest: Digest) -> Result<Self, Error> {
        if self.parts.insert(name.to_owned(), digest).is_some() {
            let clause = format!("the contract has two parts of the name {name}");
            return Err(Error::new(ErrorKind::Refused, clause));
        }
        Ok(self)
    }

    /// The first part, by name, that is not the same in both, or is in one of them only.
    pub fn first_difference<'a>(&'a self, other: &'a Self) -> Option<&'a str> {
        let names = self.parts.keys().chain(other.parts.keys()).map(String::as_str);
        names.filter(|name| self.parts.get(*name) != other.parts.get(*name)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[(&str, &str)]) -> Contract {
        let part = |all: Contract, (name, value): &(&str, &str)| all.part(name, value).unwrap();
        parts.iter().fold(Contract::new(), part)
    }

    #[test]
    fn the_first_part_that_differs_is_named_also_where_one_lacks_it() {
        let ours = of(&[("agent", "a"), ("tools", "t")]);
        assert_eq!(ours.first_difference(&of(&[("tools", "t"), ("agent", "a")])), None);
        for (parts, name) in [
            (vec![("agent", "b"), ("tools", "u")], "agent"),
            (vec![("agent", "a"), ("tools", "u")], "tools"),
            (vec![("agent", "a")], "tools"),
            (vec![("agent", "a"), ("limits", "1"), ("tools", "t")], "limits"),
            (vec![], "agent"),
        ] {
            assert_eq!(ours.first_difference(&of(&parts)), Some(name));
            assert_eq!(of(&parts).first_difference(&ours), Some(name));
        }
    }

    #[test]
    fn a_part_is_the_digest_of_its_exact_bytes_and_stands_once() {
        let json = Payload::parse("{\"b\":1.0, \"a\":2}").unwrap();
        let made = Contract::new().part("p", &json).unwrap();
        assert_eq!(made.parts["p"], Digest::of(b"{\"b\":1.0, \"a\":2}"));
        assert_eq!(made.part("p", &1).unwrap_err().kind(), ErrorKind::Refused);
    }
}
