//! The caller's JSON, kept verbatim: no byte inside a token is ever changed.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use bytes::{Bytes, BytesMut};
use bytestring::ByteString;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};

/// How much room for drafts a thread keeps.
const MOST_KEPT: usize = 64 << 10;

thread_local! {
    /// Where values are written down before it is known how long they are.
    static DRAFT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// One JSON value as text on one line, sharing the buffer it was read from.
///
/// Floats, big integers, key order, doubled keys and escapes (lone surrogates too) come back as
/// they went in. CR and LF between tokens become one space each, so that an entry is always one
/// line; white space around the value is dropped.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let payload = Payload::parse(r#"{ "n": 1.0 }"#)?;
/// // Kept as it was written, and read when somebody asks.
/// assert_eq!(payload.as_str(), r#"{ "n": 1.0 }"#);
/// assert_eq!(payload.decode::<serde_json::Value>()?["n"], 1.0);
/// assert!(Payload::parse("{").is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Payload(Bytes);

impl Payload {
    /// Takes any valid JSON text.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when the text is not one JSON value.
    pub fn parse(text: impl Into<ByteString>) -> Result<Self, Error> {
        let text = text.into();
        let value: &RawValue = serde_json::from_str(&text).map_err(|error| {
            // The parser's own message may quote a number or a key of the payload.
            let place = format!("line {}, column {}", error.line(), error.column());
            Error::new(ErrorKind::Refused, format!("not one JSON value: fails at {place}"))
        })?;
        Ok(match on_one_line(value.get()) {
            Cow::Borrowed(line) => Self(text.as_bytes().slice_ref(line.as_bytes())),
            Cow::Owned(line) => Self(line.into()),
        })
    }

    /// Serialises a value once; from here on its bytes stay as they are.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when the value has no JSON form (a map with keys that are no
    /// strings).
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, Error> {
        let mut draft = DRAFT.take();
        draft.clear();
        let drafted = serde_json::to_writer(&mut draft, value);
        // A `RawValue` inside the value may hold line breaks of its own.
        if memchr::memchr2(b'\n', b'\r', &draft).is_some() {
            let breaks = draft.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r'));
            breaks.for_each(|byte| *byte = b' ');
        }
        let payload = drafted.map(|()| Self(Bytes::copy_from_slice(&draft)));
        if draft.capacity() <= MOST_KEPT {
            DRAFT.set(draft);
        }
        payload.map_err(|error| {
            Error::new(ErrorKind::Refused, "the value has no JSON form").with_source(error)
        })
    }

    /// Takes what was cut out of a line whose checksum holds and which is UTF-8.
    pub(crate) const fn from_checked_line(text: Bytes) -> Self {
        Self(text)
    }

    /// Stands where a line has no `data`, because another member holds it.
    pub const fn absent() -> Self {
        Self(Bytes::new())
    }

    /// Whether the line had no `data` at all.
    pub fn is_absent(&self) -> bool {
        self.0.is_empty()
    }

    /// The JSON text.
    ///
    /// It is checked to be UTF-8 each time, with the processor's wide registers; where its bytes
    /// will do, [`as_bytes`](Self::as_bytes) spares that.
    pub fn as_str(&self) -> &str {
        // It was text when it was taken, so that this never fails; a type that remembers that
        // would have it checked without those registers, once for each line that is read.
        simdutf8::basic::from_utf8(&self.0).unwrap_or_default()
    }

    /// The bytes of the JSON text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Copies the text into the room that is left in a buffer, and shares that from then on.
    pub(crate) fn move_into(&mut self, buffer: &mut BytesMut) {
        if !self.0.is_empty() {
            buffer.extend_from_slice(&self.0);
            self.0 = buffer.split().freeze();
        }
    }

    /// How many bytes the text has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no text; the same as [`is_absent`](Self::is_absent).
    pub fn is_empty(&self) -> bool {
        self.is_absent()
    }

    /// Reads the value as a type of the caller's.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] when the value has another shape.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        serde_json::from_str(self.as_str()).map_err(|error| {
            let category = format!("{:?}", error.classify()).to_lowercase();
            Error::new(
                ErrorKind::Mismatch,
                format!("the payload has another shape than asked for ({category} error)"),
            )
        })
    }

    /// How deep its arrays and objects nest, if that is deeper than so much.
    pub fn nesting_above(&self, most: usize) -> Option<usize> {
        // It nests no deeper than it has brackets, within strings or not, and most have few.
        let brackets = memchr::memchr2_iter(b'[', b'{', self.as_str().as_bytes());
        let may_be = brackets.take(most.saturating_add(1)).count() > most;
        may_be.then(|| self.nesting()).filter(|nesting| *nesting > most)
    }

    /// How deep its arrays and objects nest; 0 for a number, a string, a literal.
    pub fn nesting(&self) -> usize {
        let (mut depth, mut deepest) = (0_usize, 0);
        let mut rest = self.as_bytes();
        while let Some((first, after)) = rest.split_first() {
            rest = match first {
                b'"' => behind_string(after),
                b'[' | b'{' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                    after
                }
                b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    after
                }
                _ => after,
            };
        }
        deepest
    }
}

/// What stands behind a string, from what stands behind its opening quote.
fn behind_string(mut rest: &[u8]) -> &[u8] {
    // Most of a message is within strings, which are passed over many bytes at a time.
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        let is_escape = rest.get(at) == Some(&b'\\');
        rest = rest.get(at + 1 + usize::from(is_escape)..).unwrap_or_default();
        if !is_escape {
            return rest;
        }
    }
    &[]
}

/// Line breaks stand only between tokens of valid JSON: within strings they are escaped.
fn on_one_line(json: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_none() {
        return Cow::Borrowed(json);
    }
    Cow::Owned(json.replace(['\n', '\r'], " "))
}

impl Serialize for Payload {
    /// Gives the text as it is, to a JSON serialiser.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = serde_json::from_str(self.as_str())
            .map_err(|_| S::Error::custom("the payload holds no JSON value"))?;
        value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Payload {
    /// Takes the text as it is, from a JSON deserialiser.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text: Box<str> = Box::<RawValue>::deserialize(deserializer)?.into();
        Ok(Self(match on_one_line(&text) {
            Cow::Borrowed(_) => String::from(text).into(),
            Cow::Owned(line) => line.into(),
        }))
    }
}

impl fmt::Debug for Payload {
    /// Tells the size only: payloads never reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_other_parsers_change_comes_back_as_it_was() {
        for text in [
            r#""\ud83d""#,
            r#"{"b":1,"a":2,"b":3}"#,
            "1.5777777777770001",
            "1e400",
            "-0.0",
            "18446744073709551616",
            r#"{"\u0000":"\u0000 \\u0000"}"#,
            "\"\u{2028}\u{2029}\u{85}\"",
            "[ 1 , 2 ]",
        ] {
            assert_eq!(Payload::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn line_breaks_between_tokens_become_spaces() {
        let payload = Payload::parse("\n{\"a\":\r\n[1,\n2]}\n").unwrap();
        assert_eq!(payload.as_str(), "{\"a\":  [1, 2]}");
    }

    #[test]
    fn what_is_no_json_is_refused_without_being_echoed() {
        for text in ["", " ", "{", "{}{}", "secret", "\"a\nb\"", "[1,]", "01", "nul"] {
            let error = Payload::parse(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{text:?}");
            assert!(!format!("{error:?}{error}").contains("secret"));
        }
    }

    #[test]
    fn nesting_counts_brackets_outside_strings() {
        assert_eq!(Payload::parse("1").unwrap().nesting(), 0);
        assert_eq!(Payload::parse(r#"{"a":["[[[\"[",{}]}"#).unwrap().nesting(), 3);
        let brackets = Payload::parse(r#"["[[[[[[", {}]"#).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|most| brackets.nesting_above(most)),
            [Some(2), Some(2), None, None]
        );
        assert_eq!(brackets.nesting_above(usize::MAX), None);
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Payload::parse(deep).unwrap().nesting(), 100_000);
    }

    #[test]
    fn a_payload_within_a_value_keeps_its_text() {
        let payload = Payload::parse(r#"{"b":1.50,"a":"\ud83d","b":2}"#).unwrap();
        assert_eq!(Payload::of(&payload).unwrap(), payload);
        let list = Payload::of(&[&payload, &payload]).unwrap();
        assert_eq!(list.as_str(), format!("[{0},{0}]", payload.as_str()));
        assert!(Payload::of(&Payload::absent()).is_err());
        assert_eq!(list.decode::<Vec<Payload>>().unwrap(), [payload.clone(), payload]);
        let lines: Payload = serde_json::from_str("\n[1,\n2]\n").unwrap();
        assert_eq!(lines.as_str(), "[1, 2]");
    }

    #[test]
    fn debug_tells_no_content() {
        assert_eq!(format!("{:?}", Payload::parse("\"secret\"").unwrap()), "Payload(8 bytes)");
    }

    proptest! {
        #[test]
        fn any_string_survives(text in any::<String>()) {
            let payload = Payload::of(&text).unwrap();
            prop_assert_eq!(payload.decode::<String>().unwrap(), text);
            prop_assert_eq!(&Payload::parse(payload.as_str()).unwrap(), &payload);
        }
    }
}
