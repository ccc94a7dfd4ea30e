//! The first line of a journal, without which nothing of it can be read.

use std::fs::File;

use bytes::Bytes;
use sessile_core::digest::{Salt, Token};
use sessile_core::entry::Entry;
use sessile_core::error::Error;
use sessile_core::id::SessionKey;
use sessile_core::{header, line};

use crate::blocks;
use crate::failure;

/// How much is read at first: headers are short, and longer ones are read in a few steps more.
const FIRST_READ: u64 = 4 << 10;

/// A header that was read and belongs to its key.
#[derive(Clone, Debug)]
pub(crate) struct HeaderLine {
    /// The entry.
    pub(crate) entry: Entry,
    /// The initial value of the journal's checksums.
    pub(crate) salt: Salt,
    /// What names this physical file.
    pub(crate) file: Token,
}

/// Reads the header of a journal.
///
/// # Errors
/// *corrupt* where it is damaged or names another session, *unknown version* for a newer format.
pub(crate) fn read(file: &File, key: &SessionKey) -> Result<HeaderLine, Error> {
    let line = first_line(file)?;
    let decoded = line::decode_line(&line, None)
        .map_err(|bad| header::corrupt(format_args!("the header is damaged: {bad}")))?;
    let entry = decoded.entry;
    let header = header::read(&entry)?;
    if header.id != key.id || header.space != key.space {
        let names = SessionKey { space: header.space, id: header.id };
        return Err(header::corrupt(format_args!("its header names {names}"))
            .with_hint("the file was moved or copied here by hand: put it back under its name"));
    }
    Ok(HeaderLine { entry, salt: header.salt, file: header.file })
}

/// Reads up to the first line end, or all there is without one.
fn first_line(file: &File) -> Result<Bytes, Error> {
    let failed = |error| failure::unavailable("the journal's header can't be read", error);
    let mut wanted = FIRST_READ;
    loop {
        let bytes = blocks::read(file, 0, wanted).map_err(failed)?;
        if let Some(end) = memchr::memchr2(b'\n', 0, &bytes) {
            let line = bytes.slice(..end);
            return Ok(line
                .strip_suffix(b"\r")
                .map_or_else(|| line.clone(), |cut| line.slice_ref(cut)));
        }
        if u64::try_from(bytes.len()).is_ok_and(|read| read < wanted) {
            return Ok(bytes);
        }
        wanted = wanted.saturating_mul(4);
    }
}
