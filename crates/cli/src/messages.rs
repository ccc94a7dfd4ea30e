//! Messages that are given as JSON Lines.

use std::io::{self, Read as _};
use std::path::Path;

use sessile::{Error, ErrorKind, Payload};

use crate::failure::Failure;

/// Reads standard input to its end: what is appended together must be there together.
pub(crate) fn from_input() -> Result<Vec<Payload>, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(Failure::Input)?;
    let messages = parse(bytes);
    Ok(messages.map_err(|error| error.about("standard input"))?)
}

/// Reads a file; `-` is standard input.
pub(crate) fn from_file(path: &Path) -> Result<Vec<Payload>, Failure> {
    if path == Path::new("-") {
        return from_input();
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, error))?;
    let messages = parse(bytes);
    Ok(messages.map_err(|error| error.about(path.display()))?)
}

/// Why a file can't be read.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> Error {
    let (kind, clause) = match error.kind() {
        io::ErrorKind::NotFound => (ErrorKind::Missing, "there is no such file"),
        io::ErrorKind::PermissionDenied => (ErrorKind::Permission, "the file can't be read"),
        io::ErrorKind::IsADirectory => (ErrorKind::Refused, "it is a folder, not a file"),
        _ => (ErrorKind::Unavailable, "the file can't be read"),
    };
    Error::new(kind, clause).with_source(error).about(path.display())
}

fn parse(bytes: Vec<u8>) -> Result<Vec<Payload>, Error> {
    let text =
        String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::Refused, "it is not UTF-8"))?;
    let mut messages = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let message = Payload::parse(line.to_owned()).map_err(|error| {
            let clause = format!("line {} is {}", number + 1, error.clause());
            Error::new(ErrorKind::Refused, clause).with_hint("each line is one JSON value")
        });
        messages.push(message?);
    }
    Ok(messages)
}
