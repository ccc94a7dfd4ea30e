//! The header: the first entry of every journal, without which nothing of it can be read.

use std::fmt;

use serde::Deserialize;

use crate::entry::shape::Header;
use crate::entry::{Entry, EntryType};
use crate::error::{DamagePlace, Error, ErrorKind};
use crate::position::Seq;

/// The one member that the header of every version has.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// Reads a journal's first entry.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when it is no header, [`ErrorKind::UnknownVersion`] for a format newer
/// than this program's; both versions are named.
pub fn read(first: &Entry) -> Result<Header, Error> {
    if first.entry_type != EntryType::Session || first.seq != Seq::FIRST {
        return Err(corrupt("the journal does not begin with a header"));
    }
    let Version { format } =
        first.data.decode().map_err(|_| corrupt("the header names no format version"))?;
    if format > Header::FORMAT {
        return Err(Error::new(
            ErrorKind::UnknownVersion,
            format!("the journal has format {format}, this program reads up to {}", Header::FORMAT),
        )
        .with_hint("use a newer version of the program"));
    }
    let header: Header =
        first.data.decode().map_err(|_| corrupt("the header lacks what it must have"))?;
    if header.crc != Header::CRC {
        return Err(corrupt("the header names a checksum that format 1 does not have"));
    }
    Ok(header)
}

/// The answer for a header that can't be read.
pub fn corrupt(reason: impl fmt::Display) -> Error {
    Error::corrupt(DamagePlace { seq: Seq::FIRST, offset: 0 }, reason)
}
