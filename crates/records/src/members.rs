//! The members of a document: those that this version knows, and the others, which it carries.

use std::fmt;

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use sessile_core::{Error, ErrorKind, Payload};

/// The version of every document that this crate writes.
const FORMAT: u32 = 1;

/// Why a document is not what it should be; never with a byte of it.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// Its bytes are none of this crate's documents.
    Damaged(String),
    /// It has a version that this program is too old for.
    Newer(u32),
}

impl Unreadable {
    /// Says what is wrong.
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self::Damaged(reason.into())
    }

    /// The error for whoever asked; the revision is that of the document as it is stored.
    pub(crate) fn into_error(self, revision: sessile_core::Revision) -> Error {
        match self {
            Self::Damaged(reason) => Error::corrupt_value(reason, revision),
            Self::Newer(format) => {
                let clause = format!("it has format {format}, this program reads up to {FORMAT}");
                Error::new(ErrorKind::UnknownVersion, clause)
                    .with_hint("use a newer version of the program")
            }
        }
    }
}

/// The members of a JSON object, in order; none stands twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members(Vec<(String, Payload)>);

impl Members {
    /// Reads a document of this version.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut members: Self = serde_json::from_slice(bytes)
            .map_err(|_| Unreadable::because("it is no JSON object"))?;
        match members.required("format")? {
            FORMAT => Ok(members),
            format if format > FORMAT => Err(Unreadable::Newer(format)),
            _ => Err(Unreadable::because("it names a format that never was")),
        }
    }

    /// Takes a member out that may be there.
    pub(crate) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, Unreadable> {
        let Some(at) = self.0.iter().position(|(member, _)| member == name) else {
            return Ok(None);
        };
        let (_, value) = self.0.remove(at);
        let read = value.decode();
        read.map(Some).map_err(|_| Unreadable::because(format!("its member {name} is none")))
    }

    /// Takes a member out that must be there.
    pub(crate) fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Unreadable> {
        let value = self.optional(name)?;
        value.ok_or_else(|| Unreadable::because(format!("it has no member {name}")))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;

        impl<'de> Visitor<'de> for Reading {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::<(String, Payload)>::new();
                while let Some((name, value)) = map.next_entry::<String, Payload>()? {
                    members.push((name, value));
                }
                let mut names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
                names.sort_unstable();
                if names.windows(2).any(|pair| pair.first() == pair.last()) {
                    return Err(A::Error::custom("a member stands twice"));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reading)
    }
}

/// A document that is being written.
#[derive(Debug)]
pub(crate) struct Writing(String);

impl Writing {
    /// Begins one of this version.
    pub(crate) fn new() -> Self {
        Self(format!("{{\"format\":{FORMAT}"))
    }

    /// Adds a member.
    pub(crate) fn member<T: Serialize + ?Sized>(
        mut self,
        name: &str,
        value: &T,
    ) -> Result<Self, Error> {
        let value = Payload::of(value)?;
        let name = Payload::of(name)?;
        self.0.reserve(name.len() + value.len() + 2);
        for part in [",", name.as_str(), ":", value.as_str()] {
            self.0.push_str(part);
        }
        Ok(self)
    }

    /// Adds a member unless it is none.
    pub(crate) fn optional<T: Serialize>(
        self,
        name: &str,
        value: Option<&T>,
    ) -> Result<Self, Error> {
        match value {
            Some(value) => self.member(name, value),
            None => Ok(self),
        }
    }

    /// Ends it with the members that this version does not know.
    pub(crate) fn end(mut self, unknown: &Members) -> Result<Vec<u8>, Error> {
        for (name, value) in &unknown.0 {
            self = self.member(name, value)?;
        }
        self.0.push('}');
        Ok(self.0.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_known_is_carried_byte_for_byte() {
        let text = r#"{"format":1,"known":"a","more":{"x":1.50,"y":18446744073709551616}}"#;
        let mut members = Members::read(text.as_bytes()).unwrap();
        let known: String = members.required("known").unwrap();
        let written = Writing::new().member("known", &known).unwrap().end(&members).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
    }

    #[test]
    fn a_later_version_is_told_apart_from_damage() {
        assert!(matches!(Members::read(br#"{"format":2}"#), Err(Unreadable::Newer(2))));
        for damaged in [
            r#"{"format":0}"#,
            r#"{"format":"1"}"#,
            r#"{"a":1}"#,
            "[]",
            "",
            r#"{"format":1,"format":1}"#,
        ] {
            let read = Members::read(damaged.as_bytes());
            assert!(matches!(read, Err(Unreadable::Damaged(_))), "{damaged}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_told_as_unreadable(bytes: Vec<u8>) {
            if let Ok(members) = Members::read(&bytes) {
                prop_assert!(Writing::new().end(&members).is_ok());
            }
        }
    }
}
