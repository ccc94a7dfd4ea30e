//! From the inside of a JSON string to its text.

use std::borrow::Cow;

/// Resolves escapes; half a character, which strict parsers refuse, becomes U+FFFD.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let mut after = escape.chars();
        rest = match after.next() {
            Some('u') => push_units(&mut text, escape),
            Some(letter) => {
                text.push(named(letter));
                after.as_str()
            }
            None => "",
        };
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character that a one-letter escape stands for.
const fn named(letter: char) -> char {
    match letter {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}

/// Takes every `uXXXX` that follows without anything between them, so that two halves that make
/// one character are seen together; answers what is left.
fn push_units<'a>(text: &mut String, escape: &'a str) -> &'a str {
    let (mut units, mut rest) = (Vec::new(), escape);
    let mut next = Some(escape);
    while let Some((unit, after)) = next.and_then(split_unit) {
        units.push(unit);
        rest = after;
        next = after.strip_prefix('\\');
    }
    if units.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
        return escape.strip_prefix('u').unwrap_or(escape);
    }
    let characters = char::decode_utf16(units);
    text.extend(characters.map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)));
    rest
}

/// Parts `uXXXX` off the front.
fn split_unit(escape: &str) -> Option<(u16, &str)> {
    let (digits, rest) = escape.strip_prefix('u')?.split_at_checked(4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let unit = u16::from_str_radix(digits, 16).ok()?;
    is_hex.then_some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_without_escapes_is_borrowed() {
        assert!(matches!(unescape("plain \u{2028} text"), Cow::Borrowed(_)));
    }

    #[test]
    fn every_escape_is_resolved() {
        assert_eq!(unescape(r#"\"\\\/\b\f\n\r\t"#), "\"\\/\u{8}\u{c}\n\r\t");
        assert_eq!(unescape(r"\u0041\u00e9\u0000"), "A\u{e9}\0");
        assert_eq!(unescape(r"a\ud83d\ude00b"), "a\u{1f600}b");
        assert_eq!(unescape(r"\\u0000"), r"\u0000");
    }

    #[test]
    fn half_a_character_becomes_a_mark_and_its_neighbours_stay() {
        assert_eq!(unescape(r"a\ud83db"), "a\u{fffd}b");
        assert_eq!(unescape(r"a\ude00b"), "a\u{fffd}b");
        assert_eq!(unescape(r"\ude00\ud83d"), "\u{fffd}\u{fffd}");
        assert_eq!(unescape(r"end\ud83d"), "end\u{fffd}");
        assert_eq!(unescape(r"\ud83d\ud83d\ude00\n"), "\u{fffd}\u{1f600}\n");
        assert_eq!(unescape(r"\ud83d\\ude00"), "\u{fffd}\\ude00");
    }

    proptest! {
        #[test]
        fn what_serde_writes_reads_back(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            let inside = json.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap();
            prop_assert_eq!(unescape(inside), text);
        }

        #[test]
        fn any_text_is_taken(raw in r#"[\\ud8-9a-fu"\PC]{0,40}"#) {
            unescape(&raw);
        }
    }
}
