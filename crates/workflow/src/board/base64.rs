//! Base64 of RFC 4648, section 5, without padding: what tokens are spelled in.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Spells bytes.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| group.get(index).copied().unwrap_or(0);
        let word = u32::from_be_bytes([0, byte(0), byte(1), byte(2)]);
        for sextet in 0..=group.len() {
            let shift = 18 - 6 * u32::try_from(sextet).unwrap_or(0);
            let index = usize::try_from((word >> shift) & 63).unwrap_or(0);
            text.extend(ALPHABET.get(index).copied().map(char::from));
        }
    }
    text
}

/// Reads what [`encode`] wrote, in that one spelling.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.as_bytes().chunks(4) {
        let mut word = 0_u32;
        for place in 0..4 {
            let sextet = match group.get(place) {
                Some(letter) => ALPHABET.iter().position(|it| it == letter)?,
                None => 0,
            };
            word = (word << 6) | u32::try_from(sextet).ok()?;
        }
        let whole = word.to_be_bytes();
        bytes.extend_from_slice(whole.get(1..group.len())?);
    }
    // What is left over of the last letter is zero, or the same bytes had two spellings.
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_is_what_the_standard_says() {
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
        for text in ["Z", "Zh", "Zg=", "Z+8", "Zm9vY", "Zm9\u{e9}"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
