//! From the bytes of a file to its sessions.

use std::str;

use bytes::Bytes;
use sessile_core::lens::View;
use sessile_core::{Error, ErrorKind};

use crate::format::Format;
use crate::lines::Lines;
use crate::sessions::Assembled;
use crate::source::{Skipped, Source};
use crate::{claude_code, codex, document, gemini, goose, jsonl, lines, opencode, pi};

/// How many readable records are looked at for what only one format has.
const FIRST_RECORDS: usize = 64;

/// Finds the format of a file by its content; none where no format is sure.
///
/// The first readable records tell. Plain JSON Lines have nothing of their own: a file is taken
/// for that only if every line that can be read is an object with a `role`.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    match document::view(bytes) {
        Some(whole) if gemini::recognises_document(whole) => return Some(Format::Gemini),
        Some(whole) if opencode::recognises(whole) => return Some(Format::Opencode),
        None if gemini::is_torn_document(bytes) => return Some(Format::Gemini),
        _ => {}
    }
    let readable =
        lines::split(bytes).filter_map(|(_, line)| View::parse(str::from_utf8(line).ok()?));
    let first: Vec<View<'_>> = readable.clone().take(FIRST_RECORDS).collect();
    if pi::recognises(&first) {
        Some(Format::Pi)
    } else if claude_code::recognises(&first) {
        Some(Format::ClaudeCode)
    } else if codex::recognises(&first) {
        Some(Format::Codex)
    } else if gemini::recognises(&first) {
        Some(Format::Gemini)
    } else if goose::recognises(&first) {
        Some(Format::Goose)
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
    if let Some(source) = parse_document(format, &bytes)? {
        return Ok(source);
    }
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
        Format::Gemini => gemini::read(&readable),
        Format::Goose => goose::read(&readable),
        Format::Opencode => return Err(no_document()),
        Format::Legacy => {
            let clause = "session files are read by their names, not one by one";
            return Err(Error::new(ErrorKind::Unsupported, clause));
        }
        Format::Ledger => {
            let clause = "a ledger is read row by row, not line by line";
            return Err(Error::new(ErrorKind::Unsupported, clause));
        }
    };
    Ok(source(format, assembled, skipped, count))
}

/// Reads a file that is one object, where the format has such files and it is one.
fn parse_document(format: Format, bytes: &Bytes) -> Result<Option<Source>, Error> {
    let recognises = match format {
        Format::Gemini => gemini::recognises_document,
        Format::Opencode => opencode::recognises,
        _ => return Ok(None),
    };
    if !document::view(bytes).is_some_and(recognises) {
        let is_torn = format == Format::Gemini && gemini::is_torn_document(bytes);
        return if is_torn { Err(no_document()) } else { Ok(None) };
    }
    let Some(document) = document::take_apart(bytes)? else { return Ok(None) };
    let count = u64::try_from(document.items.len()).unwrap_or(u64::MAX);
    let assembled = match format {
        Format::Gemini => gemini::read_document(&document),
        _ => opencode::read(&document),
    };
    Ok(Some(source(format, assembled, Vec::new(), count)))
}

fn no_document() -> Error {
    Error::new(ErrorKind::Corrupt, "it is not one whole JSON object with a list of messages")
        .with_hint("the file is cut off or damaged; nothing of it was imported")
}

fn source(format: Format, assembled: Assembled, skipped: Vec<Skipped>, lines: u64) -> Source {
    let Assembled { sessions, notices, head } = assembled;
    let source = Source { format, sessions, skipped, notices, head, lines };
    debug_assert_eq!(source.accounted(), source.lines, "no line gets lost");
    source
}
