//! From the bytes of a file to its sessions.

use std::str;

use bytes::Bytes;
use sessile_core::lens::View;
use sessile_core::{Error, ErrorKind};

use crate::format::Format;
use crate::lines::Lines;
use crate::source::Source;
use crate::{claude_code, codex, jsonl, lines, pi};

/// How many readable records are looked at for what only one format has.
const FIRST_RECORDS: usize = 64;

/// Finds the format of a file by its content; none where no format is sure.
///
/// The first readable records tell. Plain JSON Lines have nothing of their own: a file is taken
/// for that only if every line that can be read is an object with a `role`.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    let readable =
        lines::split(bytes).filter_map(|(_, line)| View::parse(str::from_utf8(line).ok()?));
    let first: Vec<View<'_>> = readable.clone().take(FIRST_RECORDS).collect();
    if pi::recognises(&first) {
        Some(Format::Pi)
    } else if claude_code::recognises(&first) {
        Some(Format::ClaudeCode)
    } else if codex::recognises(&first) {
        Some(Format::Codex)
    } else if jsonl::recognises(readable) {
        Some(Format::Jsonl)
    } else {
        None
    }
}

/// Reads a file of a format; lines that can't be read are skipped and named.
///
/// A file of blank lines, or of none, holds one session without records.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when the file has lines and none of them can be read;
/// [`ErrorKind::Unsupported`] for session files, which are read by their names, and for ledgers,
/// which are read row by row.
pub fn parse(format: Format, bytes: Bytes) -> Result<Source, Error> {
    let Lines { readable, skipped, count } = lines::read(&bytes);
    // Records share the buffer; what else holds it ends here.
    drop(bytes);
    if readable.is_empty() && count > 0 {
        let clause = format!("none of the {count} lines can be read as JSON");
        return Err(Error::new(ErrorKind::Corrupt, clause)
            .with_hint("is it text in UTF-8, with one JSON value a line?"));
    }
    let assembled = match format {
        Format::Jsonl => jsonl::read(&readable),
        Format::ClaudeCode => claude_code::read(&readable),
        Format::Codex => codex::read(&readable),
        Format::Pi => pi::read(&readable),
        Format::Legacy => {
            let clause = "session files are read by their names, not one by one";
            return Err(Error::new(ErrorKind::Unsupported, clause));
        }
        Format::Ledger => {
            let clause = "a ledger is read row by row, not line by line";
            return Err(Error::new(ErrorKind::Unsupported, clause));
        }
    };
    let source = Source {
        format,
        sessions: assembled.sessions,
        skipped,
        notices: assembled.notices,
        lines: count,
    };
    debug_assert_eq!(source.accounted(), source.lines, "no line gets lost");
    Ok(source)
}
