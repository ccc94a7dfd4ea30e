//! From the records of a session back to a file.

use sessile_core::Payload;

use crate::format::Format;

/// Writes records that were imported from a format as a file of that format.
///
/// Every record is a source line, so the file is their concatenation, each ended by LF. A record
/// whose data is kept elsewhere is left out.
pub fn export<'a>(format: Format, records: impl IntoIterator<Item = &'a Payload>) -> Vec<u8> {
    match format {
        Format::Jsonl | Format::ClaudeCode | Format::Pi => {
            let mut file = Vec::new();
            for data in records.into_iter().filter(|data| !data.is_absent()) {
                file.extend_from_slice(data.as_str().as_bytes());
                file.push(b'\n');
            }
            file
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_a_line() {
        let records = [r#"{"a":1}"#, "2"].map(|json| Payload::parse(json).unwrap());
        assert_eq!(export(Format::Jsonl, &records), b"{\"a\":1}\n2\n");
        assert_eq!(export(Format::Pi, [&Payload::absent()]), b"");
    }
}
