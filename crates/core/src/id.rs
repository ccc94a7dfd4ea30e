//! Names that cannot be wrong: session ids, spaces, commit ids, and free names.
//!
//! An id is 1 to 128 bytes of `[A-Za-z0-9_.-]`, compared byte by byte. A session id and a space
//! do not start with a dot, so that neither can leave a folder or hide in it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, ErrorKind};

/// The most bytes an id may have.
pub const MAX_ID_BYTES: usize = 128;

/// The most bytes a free name may have.
pub const MAX_NAME_BYTES: usize = 1_024;

/// The id of one session, unique within its space.
///
/// # Examples
/// ```
/// use sessile_core::SessionId;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let id: SessionId = "ses_42".parse()?;
/// assert_eq!(id.to_string(), "ses_42");
/// // No name of a file is one that leads elsewhere.
/// assert!("../ses_42".parse::<SessionId>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Arc<str>);

/// A name that isolates tenants within a store; `default` unless given.
///
/// # Examples
/// ```
/// use sessile_core::Space;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let space: Space = "tenant-7".parse()?;
/// assert_eq!((space.as_str(), Space::default().as_str()), ("tenant-7", "default"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Space(Arc<str>);

/// The id of one commit: the caller's idempotency key, or minted.
///
/// # Examples
/// ```
/// use sessile_core::CommitId;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let id: CommitId = "turn-1".parse()?;
/// assert_eq!(id.as_str(), "turn-1");
/// assert!("turn 1".parse::<CommitId>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(Arc<str>);

/// The id of one request, unique within its session: what a repeat of its work is recognised by.
///
/// # Examples
/// ```
/// use sessile_core::RequestId;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let id: RequestId = "req-7".parse()?;
/// assert_eq!(id.as_str(), "req-7");
/// assert!("".parse::<RequestId>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(Arc<str>);

/// A free name (project, tag, document, collection): 1 to 1,024 bytes of UTF-8 without NUL,
/// kept exactly; each backend encodes it reversibly.
///
/// # Examples
/// ```
/// use sessile_core::Name;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let name: Name = "a shop: plums/\u{65e5}\u{672c}".parse()?;
/// assert_eq!(name.as_str(), "a shop: plums/\u{65e5}\u{672c}");
/// assert!("".parse::<Name>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

/// Names one session in a store: its space and its id.
///
/// # Examples
/// ```
/// use sessile_core::{SessionKey, Space};
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let key = SessionKey { space: Space::default(), id: "ses_42".parse()? };
/// assert_eq!(key.id.as_str(), "ses_42");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// The space it lies in.
    pub space: Space,
    /// Its id within the space.
    pub id: SessionId,
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.space == Space::default() {
            write!(f, "session {}", self.id)
        } else {
            write!(f, "session {} in space {}", self.id, self.space)
        }
    }
}

impl Default for Space {
    fn default() -> Self {
        Self("default".into())
    }
}

/// Whether a byte may stand in an id.
const fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// The text is not echoed: what is refused may be anything, a secret included.
fn refused(what: &str, rule: impl fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidId, format!("{what} {rule}"))
        .with_hint("an id is 1 to 128 characters of A-Z a-z 0-9 _ . -, not starting with a dot")
}

fn check_id(what: &str, text: &str, may_start_with_dot: bool) -> Result<(), Error> {
    if text.is_empty() {
        return Err(refused(what, "is empty"));
    }
    if text.len() > MAX_ID_BYTES {
        return Err(refused(what, format_args!("has {} bytes, more than 128", text.len())));
    }
    if let Some(at) = text.bytes().position(|byte| !is_id_byte(byte)) {
        return Err(refused(
            what,
            format_args!("has a character that is not allowed at byte {at}"),
        ));
    }
    if !may_start_with_dot && text.starts_with('.') {
        return Err(refused(what, "starts with a dot"));
    }
    Ok(())
}

fn check_name(text: &str) -> Result<(), Error> {
    let refused = |rule: String| {
        Error::new(ErrorKind::InvalidId, format!("a name {rule}"))
            .with_hint("a name is 1 to 1,024 bytes of UTF-8 without NUL")
    };
    if text.is_empty() {
        return Err(refused("is empty".to_owned()));
    }
    if text.len() > MAX_NAME_BYTES {
        return Err(refused(format!("has {} bytes, more than 1,024", text.len())));
    }
    match text.bytes().position(|byte| byte == 0) {
        Some(at) => Err(refused(format!("has a NUL at byte {at}"))),
        None => Ok(()),
    }
}

macro_rules! checked_text {
    ($name:ident, $check:expr) => {
        impl $name {
            /// The text, exactly as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                let check: fn(&str) -> Result<(), Error> = $check;
                check(text)?;
                Ok(Self(text.into()))
            }
        }

        impl TryFrom<&str> for $name {
            type Error = Error;

            fn try_from(text: &str) -> Result<Self, Error> {
                text.parse()
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self, Error> {
                text.parse()
            }
        }

        impl TryFrom<&Self> for $name {
            type Error = Error;

            fn try_from(checked: &Self) -> Result<Self, Error> {
                Ok(checked.clone())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}

checked_text!(SessionId, |text| check_id("a session id", text, false));
checked_text!(Space, |text| check_id("a space", text, false));
checked_text!(CommitId, |text| check_id("a commit id", text, true));
checked_text!(RequestId, |text| check_id("a request id", text, true));
checked_text!(Name, check_name);

impl SessionId {
    /// Whether a text is one; none is made of it.
    pub fn is_one(text: &str) -> bool {
        !text.is_empty()
            && text.len() <= MAX_ID_BYTES
            && !text.starts_with('.')
            && text.bytes().all(is_id_byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_leave_a_folder_or_break_a_key_are_refused() {
        let long = "x".repeat(129);
        let dots = ".".repeat(300);
        for text in [
            "", ".", "..", ".x", "a/b", "a/", "/a", "../x", "a\\b", "a\0b", "C:\\x", "a b", "ü",
            "%2e%2e/x", "a\u{7f}", "a\nb", &long, &dots,
        ] {
            let error = SessionId::from_str(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidId, "{text:?}");
            assert_eq!(Space::from_str(text).unwrap_err().kind(), ErrorKind::InvalidId, "{text:?}");
            assert!(!SessionId::is_one(text), "{text:?}");
        }
        let longest = "x".repeat(128);
        assert!(SessionId::from_str(&longest).is_ok() && SessionId::is_one(&longest));
    }

    #[test]
    fn ids_of_requests_are_like_those_of_commits() {
        for text in ["a", ".", "..", "Req_1.2-3", &"x".repeat(128)] {
            assert_eq!(RequestId::from_str(text).unwrap().as_str(), text);
            assert!(CommitId::from_str(text).is_ok());
        }
        for text in ["", "a:b", "a b", "a/b", "ü", &"x".repeat(129)] {
            let kind = |error: Error| error.kind();
            assert_eq!(RequestId::from_str(text).map_err(kind), Err(ErrorKind::InvalidId));
        }
    }

    #[test]
    fn a_refused_id_is_not_echoed() {
        let error = SessionId::from_str("secret/token").unwrap_err();
        assert!(!format!("{error} {error:?} {:?}", error.hint()).contains("secret"));
    }

    #[test]
    fn names_are_free_but_for_nul_and_length() {
        for text in ["a b", "p/data.a", "日本語", "100%", "\u{1}", "..", "a:b"] {
            assert_eq!(Name::from_str(text).unwrap().as_str(), text);
        }
        for text in ["", "a\0", &"x".repeat(1_025)] {
            assert_eq!(Name::from_str(text).unwrap_err().kind(), ErrorKind::InvalidId);
        }
    }

    #[test]
    fn json_text_is_checked_like_any_other() {
        assert!(serde_json::from_str::<SessionId>("\"../x\"").is_err());
        assert_eq!(serde_json::from_str::<SessionId>("\"ses_1\"").unwrap().as_str(), "ses_1");
    }
}
