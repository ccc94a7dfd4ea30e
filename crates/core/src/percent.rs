//! Percent-decoding, byte by byte.

/// The bytes that a text stands for; none where a `%` is not followed by two hex digits.
///
/// # Examples
/// ```
/// use sessile_core::percent;
///
/// assert_eq!(percent::decoded("a%20b+%2541").as_deref(), Some(&b"a b+%41"[..]));
/// assert_eq!(percent::decoded("100%"), None);
/// ```
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            plain => plain,
        });
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_encoded_byte_is_decoded_once() {
        let cases: [(&str, &[u8]); 6] = [
            ("/a b", b"/a b"),
            ("/a%20b%2Fc%2fd", b"/a b/c/d"),
            ("100%25", b"100%"),
            ("%2541", b"%41"),
            ("%C3%BC%FF", b"\xc3\xbc\xff"),
            ("a+b", b"a+b"),
        ];
        for (text, bytes) in cases {
            assert_eq!(decoded(text).as_deref(), Some(bytes), "{text}");
        }
    }

    #[test]
    fn a_percent_sign_alone_is_nothing() {
        for text in ["%", "a%", "%2", "%zz", "%2g", "%-1", "%+1"] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }
}
