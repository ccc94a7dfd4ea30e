//! Line ends and padding.
//!
//! LF ends a line, and NUL does too: a page that was never written reads back as zeros. Runs of
//! both alone are padding and carry no meaning.

use memchr::memchr2;

/// Padding is looked through in pieces of this size, which the compiler checks at once.
const PIECE: usize = 64;

const fn is_padding(byte: u8) -> bool {
    byte == b'\n' || byte == 0
}

fn all_padding(piece: &[u8]) -> bool {
    // Without an early exit, so that it compiles to vector instructions.
    piece.iter().fold(true, |all, byte| all & is_padding(*byte))
}

/// Where the first byte that is no padding stands; the length if there is none.
pub fn first_content(bytes: &[u8]) -> usize {
    let padded = bytes.chunks(PIECE).take_while(|piece| all_padding(piece)).map(<[u8]>::len).sum();
    let rest = bytes.get(padded..).unwrap_or_default();
    padded + rest.iter().position(|byte| !is_padding(*byte)).unwrap_or(rest.len())
}

/// Where the last byte that is no padding ends; 0 if there is none.
pub fn content_end(bytes: &[u8]) -> usize {
    let padded: usize =
        bytes.rchunks(PIECE).take_while(|piece| all_padding(piece)).map(<[u8]>::len).sum();
    let rest = bytes.get(..bytes.len() - padded).unwrap_or_default();
    rest.iter().rposition(|byte| !is_padding(*byte)).map_or(0, |at| at + 1)
}

/// Where the next line end stands.
pub(super) fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr2(b'\n', 0, bytes)
}

/// A line without the one CR that may stand before its LF.
pub(super) fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_lf_and_nul_of_any_length() {
        for length in [0, 1, 63, 64, 65, 128, 1_000] {
            let padding: Vec<u8> = [b'\n', 0].into_iter().cycle().take(length).collect();
            assert_eq!(first_content(&padding), length);
            assert_eq!(content_end(&padding), 0);
            let mut bytes = padding.clone();
            bytes.push(b'x');
            bytes.extend(&padding);
            assert_eq!(first_content(&bytes), length);
            assert_eq!(content_end(&bytes), length + 1);
        }
    }

    #[test]
    fn one_cr_is_dropped_and_no_more() {
        assert_eq!(without_cr(b"a\r\r"), b"a\r");
        assert_eq!(without_cr(b"a"), b"a");
    }
}
