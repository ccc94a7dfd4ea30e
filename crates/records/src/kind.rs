//! Whose format a payload has.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sessile_core::{Error, ErrorKind};

/// The most bytes a kind may have.
const MAX_BYTES: usize = 128;

/// Names what something is, and who says so: `agent.step`, `acme.tool.mail`.
///
/// It is two or more parts with dots between them, each of `[A-Za-z0-9_-]`, 128 bytes at most; the
/// first ones are the namespace of whoever owns its format. Kinds are compared byte by byte.
///
/// # Examples
/// ```
/// use sessile_records::Kind;
///
/// assert_eq!("agent.step".parse::<Kind>()?.as_str(), "agent.step");
/// assert!("step".parse::<Kind>().is_err());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(Arc<str>);

impl Kind {
    /// The text, exactly as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text is not echoed: what is refused may be anything, a secret included.
fn check(text: &str) -> Result<(), Error> {
    let refused = |rule: &str| {
        Error::new(ErrorKind::InvalidId, format!("a kind {rule}"))
            .with_hint("a kind is a namespace and a name, as in agent.step, of A-Z a-z 0-9 _ - .")
    };
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if text.len() > MAX_BYTES {
        return Err(refused("has more than 128 bytes"));
    }
    if !text.bytes().all(|byte| is_sign(byte) || byte == b'.') {
        return Err(refused("has a character that is not allowed"));
    }
    if text.split('.').any(str::is_empty) {
        return Err(refused("has an empty part"));
    }
    if text.contains('.') { Ok(()) } else { Err(refused("has no namespace")) }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        check(text)?;
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_a_namespace_and_no_sign_that_a_path_or_a_query_has() {
        for text in ["agent.step", "a.b", "acme.tool.mail-2", "A_1.b", &format!("a.{:0126}", 0)] {
            assert_eq!(text.parse::<Kind>().unwrap().as_str(), text);
        }
        let long = format!("a.{:0127}", 0);
        for text in ["", ".", "a", "a.", ".a", "a..b", "a/b.c", "a b.c", "ü.a", "a.b\n", &long] {
            let error = text.parse::<Kind>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidId, "{text:?}");
        }
    }
}
