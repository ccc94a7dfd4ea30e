//! Strings: what their escapes say, and how Python escapes.

use std::fmt::Write as _;

use crate::json::text::JsonText;

/// Reads what stands between the quotes of a valid string.
pub(super) fn unescape(inside: &str) -> JsonText {
    if !inside.contains('\\') {
        return inside.into();
    }
    let mut units: Vec<u16> = Vec::with_capacity(inside.len());
    let mut rest = inside.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            units.extend(character.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        units.push(match rest.next() {
            Some('n') => 0x0a,
            Some('r') => 0x0d,
            Some('t') => 0x09,
            Some('b') => 0x08,
            Some('f') => 0x0c,
            Some('u') => four_digits(&mut rest),
            // A quote, a slash or a backslash stands for itself.
            Some(itself) => u16::try_from(u32::from(itself)).unwrap_or_default(),
            None => break,
        });
    }
    JsonText::from_utf16(units)
}

fn four_digits(rest: &mut std::str::Chars<'_>) -> u16 {
    let digits: String = rest.take(4).collect();
    u16::from_str_radix(&digits, 16).unwrap_or_default()
}

/// Writes a string with its quotes: ASCII as it is, everything else and control characters as
/// escapes of UTF-16 units in lower-case hex.
pub(super) fn escape(out: &mut String, text: &JsonText) {
    out.push('"');
    for unit in text.utf16() {
        match unit {
            0x22 => out.push_str("\\\""),
            0x5c => out.push_str("\\\\"),
            0x0a => out.push_str("\\n"),
            0x0d => out.push_str("\\r"),
            0x09 => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            0x20..=0x7e => out.extend(u8::try_from(unit).map(char::from)),
            _ => {
                // Writing to a string can't fail.
                let written = write!(out, "\\u{unit:04x}");
                debug_assert!(written.is_ok());
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_python_escapes_them() {
        let escaped = |text: &str| {
            let mut out = String::new();
            escape(&mut out, &text.into());
            out
        };
        assert_eq!(escaped("a/\"\\"), r#""a/\"\\""#);
        assert_eq!(escaped("\n\r\t\u{8}\u{c}"), r#""\n\r\t\b\f""#);
        assert_eq!(escaped("\0\u{1f} ~\u{7f}\u{80}"), r#""\u0000\u001f ~\u007f\u0080""#);
        assert_eq!(escaped("é\u{2028}\u{ffff}\u{1f600}"), r#""\u00e9\u2028\uffff\ud83d\ude00""#);
    }

    #[test]
    fn escapes_are_read_whoever_wrote_them() {
        assert_eq!(
            unescape(r#"\"\\\/\n\r\t\b\f\u0041\u00E9\ud83d\ude00é"#),
            "\"\\/\n\r\t\u{8}\u{c}Aé😀é"
        );
        assert_eq!(unescape(r"\\u0000"), "\\u0000");
        let alone = unescape(r"\ude00\ud83dx");
        assert_eq!(alone.code_points().collect::<Vec<_>>(), [0xde00, 0xd83d, 0x78]);
    }
}
