//! Text, in which half a character may stand on its own.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A string of JSON: text, or text with halves of characters that have no partner.
///
/// JSON can spell half of a character (`"\ud83d"`), programs that cut text by UTF-16 units write
/// such strings, and Python reads and writes them. Two texts are compared by their code points.
///
/// # Examples
/// ```
/// use sessile_interchange::json::JsonText;
///
/// // A program that counts in UTF-16 has cut an emoji in two.
/// let cut = JsonText::from_utf16(vec![0x68, 0x69, 0xd83d]);
/// assert_eq!((cut.as_str(), &*cut.to_lossy()), (None, "hi\u{fffd}"));
/// // It is written as it was read, and never equal to what it only looks like.
/// assert_eq!(cut.utf16().last(), Some(0xd83d));
/// assert_ne!(cut, JsonText::from("hi\u{fffd}"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct JsonText(Form);

/// What is text is always held as such, so that equal texts have equal forms.
#[derive(Clone, PartialEq, Eq)]
enum Form {
    Whole(String),
    /// UTF-16, with at least one surrogate that has no partner.
    Halves(Vec<u16>),
}

impl JsonText {
    /// Text of UTF-16 units; surrogates need no partner.
    pub fn from_utf16(units: Vec<u16>) -> Self {
        Self(match String::from_utf16(&units) {
            Ok(text) => Form::Whole(text),
            Err(_) => Form::Halves(units),
        })
    }

    /// The text, if it is made of whole characters.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Form::Whole(text) => Some(text),
            Form::Halves(_) => None,
        }
    }

    /// The text, with U+FFFD in place of each half of a character.
    pub fn to_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Form::Whole(text) => Cow::Borrowed(text),
            Form::Halves(units) => Cow::Owned(String::from_utf16_lossy(units)),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.as_str().is_some_and(str::is_empty)
    }

    /// Its code points, surrogates included.
    pub fn code_points(&self) -> impl Iterator<Item = u32> {
        let (text, units) = match &self.0 {
            Form::Whole(text) => (text.as_str(), [].as_slice()),
            Form::Halves(units) => ("", units.as_slice()),
        };
        let halves = char::decode_utf16(units.iter().copied()).map(|character| {
            character.map_or_else(|half| u32::from(half.unpaired_surrogate()), u32::from)
        });
        text.chars().map(u32::from).chain(halves)
    }

    /// Its UTF-16 units.
    pub fn utf16(&self) -> impl Iterator<Item = u16> {
        let (text, units) = match &self.0 {
            Form::Whole(text) => (text.as_str(), [].as_slice()),
            Form::Halves(units) => ("", units.as_slice()),
        };
        text.encode_utf16().chain(units.iter().copied())
    }
}

impl From<&str> for JsonText {
    fn from(text: &str) -> Self {
        Self(Form::Whole(text.to_owned()))
    }
}

impl From<String> for JsonText {
    fn from(text: String) -> Self {
        Self(Form::Whole(text))
    }
}

impl PartialEq<str> for JsonText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for JsonText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(*other)
    }
}

impl Hash for JsonText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Form::Whole(text) => text.hash(state),
            Form::Halves(units) => units.hash(state),
        }
    }
}

impl Ord for JsonText {
    /// As Python orders strings: code point by code point.
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Whole(one), Form::Whole(two)) => one.cmp(two),
            _ => self.code_points().cmp(other.code_points()),
        }
    }
}

impl PartialOrd for JsonText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for JsonText {
    /// Tells the size only: what files hold never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = match &self.0 {
            Form::Whole(text) => text.len(),
            Form::Halves(units) => units.len() * 2,
        };
        write!(f, "JsonText({bytes} bytes)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_that_have_a_partner_are_text() {
        let joined = JsonText::from_utf16(vec![0xd83d, 0xde00]);
        assert_eq!(joined, "\u{1f600}");
        assert_eq!(joined, JsonText::from("\u{1f600}"));
        let alone = JsonText::from_utf16(vec![0x61, 0xd83d]);
        assert_eq!(alone.as_str(), None);
        assert_eq!(alone.to_lossy(), "a\u{fffd}");
        assert!(!alone.is_empty() && JsonText::from("").is_empty());
    }

    #[test]
    fn the_order_is_that_of_code_points() {
        // As UTF-16 units the half would stand after the private character, and the whole
        // character before it.
        let mut texts = [
            JsonText::from("\u{1f600}"),
            JsonText::from("\u{e000}"),
            JsonText::from_utf16(vec![0xd83d]),
            JsonText::from("z"),
        ];
        texts.sort();
        let points: Vec<Vec<u32>> = texts.iter().map(|it| it.code_points().collect()).collect();
        assert_eq!(points, [[0x7a], [0xd83d], [0xe000], [0x1_f600]]);
    }

    #[test]
    fn debug_tells_no_content() {
        assert_eq!(format!("{:?}", JsonText::from("secret")), "JsonText(6 bytes)");
    }
}
