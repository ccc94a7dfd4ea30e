//! Looking at a JSON value where it stands, without parsing it whole.
//!
//! Parsers refuse or change what real sessions hold: half a character as an escape, numbers that
//! fit no type, the same key twice, brackets a hundred thousand deep. A view relies on the text
//! being valid JSON, looks only for where values begin and end, and never recurses.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use crate::lens::escape::unescape;
use crate::payload::Payload;

/// One JSON value, borrowed from its text.
///
/// # Examples
/// ```
/// use sessile_core::lens::View;
///
/// // No parser keeps this: half a character, a number that fits no type, a name twice.
/// let text = r#"{"half":"\ud83d","big":1e999,"n":1,"n":2}"#;
/// let view = View::parse(text).expect("it is one value");
/// assert_eq!(view.member("big").map(View::as_json), Some("1e999"));
/// assert_eq!(view.member("n").and_then(View::whole_number), Some(2));
/// assert_eq!(view.member("half").and_then(View::text).as_deref(), Some("\u{fffd}"));
/// assert!(View::parse("{").is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct View<'a>(&'a str);

impl<'a> View<'a> {
    /// Looks at a payload.
    pub fn of(payload: &'a Payload) -> Self {
        Self(payload.as_str())
    }

    /// Looks at text that may be no JSON; none if it is not one value.
    pub fn parse(text: &'a str) -> Option<Self> {
        let value: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self(value.get()))
    }

    /// The value's own JSON text.
    pub const fn as_json(self) -> &'a str {
        self.0
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    /// The text of a string; half a character in it reads as U+FFFD.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let inside = self.0.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape(inside))
    }

    /// A whole number that is not negative and fits.
    pub fn whole_number(self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Whether it is `true`.
    pub fn is_true(self) -> bool {
        self.0 == "true"
    }

    /// The members of an object in their order, repeated names included; of anything else none.
    pub fn members(self) -> Members<'a> {
        Members(Values::between(self.0, '{', '}'))
    }

    /// The items of an array; of anything else none.
    pub fn items(self) -> Items<'a> {
        Items(Values::between(self.0, '[', ']'))
    }

    /// The members of these names, found in one pass.
    ///
    /// Of a repeated name the last one counts, as it does for `JSON.parse` and so for the
    /// programs whose files are read.
    pub fn pick<const N: usize>(self, names: [&str; N]) -> [Option<Self>; N] {
        let mut found = [None; N];
        for (name, value) in self.members() {
            for (slot, wanted) in found.iter_mut().zip(names) {
                if name == wanted {
                    *slot = Some(value);
                }
            }
        }
        found
    }

    /// The member of a name.
    pub fn member(self, name: &str) -> Option<Self> {
        let [value] = self.pick([name]);
        value
    }
}

impl fmt::Debug for View<'_> {
    /// Tells the size only: payloads never reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({} bytes)", self.0.len())
    }
}

/// The members of an object.
///
/// # Examples
/// ```
/// use sessile_core::lens::{Members, View};
///
/// let view = View::parse(r#"{"b":1,"a":[2,3],"b":4}"#).expect("it is one value");
/// let members: Members<'_> = view.members();
/// // In their own order, and each as often as it stands there.
/// let told: Vec<_> = members.map(|(name, value)| (name.into_owned(), value.as_json())).collect();
/// assert_eq!(told, [("b".into(), "1"), ("a".into(), "[2,3]"), ("b".into(), "4")]);
/// ```
#[derive(Clone, Debug)]
pub struct Members<'a>(Values<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?.text()?, self.0.next()?))
    }
}

/// The items of an array.
///
/// # Examples
/// ```
/// use sessile_core::lens::{Items, View};
///
/// let view = View::parse(r#"[1, {"a": [2, 3]}, "4, 5"]"#).expect("it is one value");
/// let items: Items<'_> = view.items();
/// let told: Vec<_> = items.map(View::as_json).collect();
/// assert_eq!(told, ["1", r#"{"a": [2, 3]}"#, r#""4, 5""#]);
/// ```
#[derive(Clone, Debug)]
pub struct Items<'a>(Values<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<View<'a>> {
        self.0.next()
    }
}

/// The values between two brackets; the names of members are values too.
#[derive(Clone)]
struct Values<'a> {
    rest: &'a str,
}

impl<'a> Values<'a> {
    fn between(json: &'a str, open: char, close: char) -> Self {
        let inside = json.strip_prefix(open).and_then(|it| it.strip_suffix(close));
        Self { rest: inside.unwrap_or_default() }
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<View<'a>> {
        // Nothing else stands between the values of valid JSON.
        let rest = self.rest.trim_start_matches([',', ':', ' ', '\t', '\n', '\r']);
        let length = value_length(rest.as_bytes());
        let (value, rest) = rest.split_at_checked(length).filter(|_| length > 0)?;
        self.rest = rest;
        Some(View(value))
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.rest.len())
    }
}

/// How many bytes the value has that the bytes begin with.
fn value_length(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'"') => string_length(bytes),
        Some(b'[' | b'{') => container_length(bytes),
        _ => bytes
            .iter()
            .position(|byte| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r'))
            .unwrap_or(bytes.len()),
    }
}

/// How many bytes the string has, quotes included, that the bytes begin with.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// How many bytes the array or object has that the bytes begin with.
fn container_length(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'"' => string_length(bytes.get(at..).unwrap_or_default()),
            _ => 1,
        };
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn view(json: &str) -> View<'_> {
        View::parse(json).unwrap()
    }

    #[test]
    fn members_and_items_come_in_their_order() {
        let object = view(r#" { "a" : 1 , "b":[{"c":"}]"},-1.5e3],"":"x" } "#);
        let members: Vec<(String, &str)> =
            object.members().map(|(name, value)| (name.into_owned(), value.as_json())).collect();
        let expected = [("a", "1"), ("b", r#"[{"c":"}]"},-1.5e3]"#), ("", r#""x""#)];
        assert_eq!(members, expected.map(|(name, json)| (name.to_owned(), json)));
        let list = object.member("b").unwrap();
        let items: Vec<&str> = list.items().map(View::as_json).collect();
        assert_eq!(items, [r#"{"c":"}]"}"#, "-1.5e3"]);
    }

    #[test]
    fn of_a_repeated_name_the_last_one_counts() {
        let object = view(r#"{"a":1,"b":2,"\u0061":3}"#);
        assert_eq!(object.member("a").and_then(View::whole_number), Some(3));
        assert_eq!(object.pick(["b", "none"]), [Some(View("2")), None]);
    }

    #[test]
    fn a_value_of_another_kind_has_nothing_to_give() {
        for json in ["1", "null", r#""{}""#, "[]", "{}"] {
            let value = view(json);
            assert_eq!(value.members().count() + value.items().count(), 0, "{json}");
        }
        assert_eq!(view("[]").text(), None);
        assert_eq!(view("18446744073709551616").whole_number(), None);
        assert_eq!(view("-1").whole_number(), None);
        assert!(!view(r#""true""#).is_true() && view("true").is_true());
        assert_eq!(View::of(&Payload::absent()).members().count(), 0);
    }

    #[test]
    fn names_and_text_with_half_characters_are_read() {
        let object = view(r#"{"\ud83d":"x\ud83dy","b":1}"#);
        let (name, value) = object.members().next().unwrap();
        assert_eq!((&*name, value.text().as_deref()), ("\u{fffd}", Some("x\u{fffd}y")));
        assert!(object.member("b").is_some());
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        let json = format!(r#"{{"deep":{deep},"a":1}}"#);
        assert!(view(&json).member("a").is_some());
    }

    #[test]
    fn debug_tells_no_content() {
        assert_eq!(format!("{:?}", view("\"secret\"")), "View(8 bytes)");
        let debug = format!("{:?}", view(r#"["secret"]"#).items());
        assert!(!debug.contains("secret"));
    }

    proptest! {
        #[test]
        fn arrays_and_objects_are_taken_apart_as_they_were_put_together(
            parts in proptest::collection::vec((any::<String>(), any::<String>()), 0..8)
        ) {
            let quoted = |text: &String| serde_json::to_string(text).unwrap();
            let members: Vec<String> = parts
                .iter()
                .map(|(name, text)| format!("{} : [{}]", quoted(name), quoted(text)))
                .collect();
            let json = format!("{{{}}}", members.join(" ,"));
            let read: Vec<(String, String)> = view(&json)
                .members()
                .map(|(name, list)| (name.into(), list.items().next().unwrap().text().unwrap().into()))
                .collect();
            prop_assert_eq!(read, parts);
        }
    }
}
