//! The lines of a file: which can be read, and why the others can't.

use bytes::Bytes;
use bytestring::ByteString;
use serde::de::IgnoredAny;
use sessile_core::Payload;

use crate::source::Skipped;

/// A line that is one JSON value.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its number in the file, from 1.
    pub(crate) number: u64,
    /// The value.
    pub(crate) data: Payload,
}

/// All lines of a file that are not blank.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) readable: Vec<Line>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) count: u64,
}

/// Why a line can't be read.
#[derive(Clone, Copy)]
struct Fault {
    reason: &'static str,
    /// Whether it may have been a whole line once, or was going to be.
    is_cut_off: bool,
}

/// The lines that are not blank with their numbers, without the white space around them.
///
/// Only LF ends a line: U+2028 and its like stand within text. CR before it is white space, and
/// so is a byte order mark at the very start.
pub(crate) fn split(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> + Clone {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    (1..)
        .zip(bytes.split(|byte| *byte == b'\n'))
        .map(|(number, line)| (number, line.trim_ascii()))
        .filter(|(_, line)| !line.is_empty())
}

/// Reads every line; what can't be read is skipped and never ends the reading.
pub(crate) fn read(bytes: &Bytes) -> Lines {
    let mut lines = Lines { readable: Vec::new(), skipped: Vec::new(), count: 0 };
    let mut last_is_cut_off = false;
    for (number, line) in split(bytes) {
        lines.count += 1;
        let read = read_line(bytes.slice_ref(line));
        last_is_cut_off = read.as_ref().is_err_and(|fault| fault.is_cut_off);
        match read {
            Ok(data) => lines.readable.push(Line { number, data }),
            Err(fault) => {
                let reason = fault.reason.to_owned();
                lines.skipped.push(Skipped { line: number, reason });
            }
        }
    }
    // In the middle of a file a line that breaks off is damage; at its end somebody died writing.
    if last_is_cut_off && let Some(last) = lines.skipped.last_mut() {
        "torn last line".clone_into(&mut last.reason);
    }
    lines
}

fn read_line(line: Bytes) -> Result<Payload, Fault> {
    let text = ByteString::try_from(line)
        .map_err(|error| Fault { reason: "not UTF-8", is_cut_off: error.error_len().is_none() })?;
    Payload::parse(text.clone()).map_err(|_| Fault {
        reason: "not JSON",
        is_cut_off: serde_json::from_str::<IgnoredAny>(&text).is_err_and(|error| error.is_eof()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &'static [u8]) -> (Vec<u64>, Vec<(u64, String)>) {
        let lines = read(&Bytes::from_static(bytes));
        let readable: Vec<u64> = lines.readable.iter().map(|line| line.number).collect();
        let skipped: Vec<(u64, String)> =
            lines.skipped.into_iter().map(|skipped| (skipped.line, skipped.reason)).collect();
        assert_eq!(lines.count, u64::try_from(readable.len() + skipped.len()).unwrap());
        (readable, skipped)
    }

    #[test]
    fn blank_lines_and_line_ends_of_any_kind_are_no_content() {
        assert_eq!(numbers(b""), (vec![], vec![]));
        assert_eq!(numbers(b"\n \r\n\t\n"), (vec![], vec![]));
        assert_eq!(numbers(b"\xef\xbb\xbf1\r\n\n 2\t\n3"), (vec![1, 3, 4], vec![]));
    }

    #[test]
    fn only_lf_ends_a_line() {
        assert_eq!(
            numbers("\"a\u{2028}b\u{2029}c\u{85}\"\n[1,\r2]".as_bytes()),
            (vec![1, 2], vec![])
        );
    }

    #[test]
    fn what_cannot_be_read_is_named_and_passed_over() {
        let (readable, skipped) = numbers(b"1\nnope\n{\"a\":\n\"\xff\"\n{}{}\n\0\0\n2\n");
        assert_eq!(readable, [1, 7]);
        let reasons = ["not JSON", "not JSON", "not UTF-8", "not JSON", "not JSON"];
        let expected: Vec<(u64, String)> = (2..).zip(reasons.map(str::to_owned)).collect();
        assert_eq!(skipped, expected);
    }

    #[test]
    fn a_last_line_that_breaks_off_is_torn() {
        for torn in ["1\n{\"a\":\"b", "1\n{\"a\":\"b\n", "1\n[1,\n\n", "1\n\"\u{e9}\u{1f600}"] {
            // The last one breaks off within a character.
            let bytes = Bytes::copy_from_slice(torn.as_bytes());
            let bytes = bytes.slice(..bytes.len() - usize::from(torn.ends_with('\u{1f600}')));
            let lines = read(&bytes);
            assert_eq!(lines.skipped[0].reason, "torn last line", "{torn:?}");
            assert_eq!(lines.readable.len(), 1);
        }
        assert_eq!(numbers(b"1\nnope").1, [(2, "not JSON".to_owned())]);
    }

    #[test]
    fn payloads_share_the_buffer_of_the_file() {
        let bytes = Bytes::from_static(b"{\"a\":1}\n{\"b\":2}\n");
        let lines = read(&bytes);
        let (from, second) = (bytes.as_ptr(), lines.readable[1].data.as_str().as_ptr());
        assert_eq!(from.wrapping_add(8), second);
    }
}
