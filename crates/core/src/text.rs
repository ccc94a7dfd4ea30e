//! Free text within entries: kept as it is, and never told by `Debug`.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Words of people, or of programs about people's things.
///
/// Like a [`Payload`](crate::Payload) it never reaches a log by being part of what is printed
/// there; whoever wants it shown takes it as text.
///
/// # Examples
/// ```
/// use sessile_core::Text;
///
/// let text = Text::from("given up\nby hand");
/// assert_eq!(text.as_str(), "given up\nby hand");
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text(String);

impl Text {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Text {
    /// Tells the size only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_a_string_and_is_told_by_its_size() {
        let text: Text = serde_json::from_str("\"secret\"").unwrap();
        assert_eq!((text.as_str(), text.len()), ("secret", 6));
        assert_eq!(serde_json::to_string(&text).unwrap(), "\"secret\"");
        assert_eq!(format!("{text:?}"), "Text(6 bytes)");
    }
}
