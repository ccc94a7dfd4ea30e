//! The file of one document: how it is read, and how it is given another value.
//!
//! Small values lie in a file with two [slots], which a change writes to in place: one write and
//! one flush. Larger ones, and those of [names](sessile_core::id::Name) that fill a head, are one
//! line of JSON that names the document, its revisions and the checksum of its value, and then the
//! value's bytes; they are replaced whole. So is a file with slots wherever it is not certain that
//! the last value is durable: what that one was written over may be the only whole one.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sessile_core::backend::Document;
use sessile_core::digest::Digest;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{Name, SessionId};
use sessile_core::revision::Revision;

use crate::blocks;
use crate::door::{Folder, WriteFile};
use crate::failure;
use crate::lock;
use crate::slots::{self, Change, Entry, Slots};
use crate::whole::{Stopped, WholeFile};

/// How often a file that is being changed is read before its writers are waited for.
const READS: usize = 4;

/// The `format` of a file that is replaced whole.
const SINGLE: u32 = 1;

/// The first line of a file that is replaced whole.
#[derive(Debug, Deserialize, Serialize)]
struct Envelope {
    format: u32,
    name: Name,
    revisions: Vec<Revision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    bytes: usize,
    digest: Digest,
}

/// What the first line of a file says in either layout, which damage to its value takes nothing
/// from.
#[derive(Debug, Deserialize)]
pub(crate) struct Said {
    /// The version of the layout.
    format: u32,
    /// The document's name within its collection.
    pub(crate) name: Name,
    /// The session with which it is purged.
    #[serde(default)]
    pub(crate) session: Option<SessionId>,
}

/// What stands in the file of a document.
#[derive(Debug)]
pub(crate) enum Stored {
    /// A document, and the slots that it is in unless it is replaced whole.
    Whole(Document, Option<Slots>),
    /// Bytes that are none any more.
    Damaged(Error, Revision),
}

impl Stored {
    /// The document.
    ///
    /// # Errors
    /// *corrupt* where there is none any more.
    pub(crate) fn whole(self) -> Result<Document, Error> {
        match self {
            Self::Whole(document, _) => Ok(document),
            Self::Damaged(error, _) => Err(error),
        }
    }

    /// What a put or a deletion has to expect to be done.
    pub(crate) const fn revision(&self) -> Revision {
        match self {
            Self::Whole(document, _) => document.revision,
            Self::Damaged(_, revision) => *revision,
        }
    }

    /// The answer to whoever expects something else.
    pub(crate) fn refusal(self) -> Error {
        match self {
            Self::Whole(document, _) => Error::document_conflict(Some(document.revision)),
            Self::Damaged(error, _) => error,
        }
    }

    /// Whether it may be half of what a writer is writing.
    fn may_be_half(&self) -> bool {
        match self {
            Self::Whole(_, slots) => slots.as_ref().is_some_and(Slots::has_torn_mark),
            Self::Damaged(..) => true,
        }
    }
}

fn decode(bytes: &Bytes) -> Result<Stored, Error> {
    let damaged = |reason| {
        let error = Error::corrupt_document(reason, bytes);
        Ok(Stored::Damaged(error, Revision::of_damaged(bytes)))
    };
    let end = memchr::memchr(b'\n', bytes).unwrap_or(0);
    let first_line = bytes.get(..end).unwrap_or_default();
    match serde_json::from_slice(first_line).map(|Said { format, .. }| format) {
        Err(_) => damaged("its first line does not say what it is"),
        Ok(..=SINGLE) => single(bytes, first_line).or_else(damaged),
        Ok(slots::FORMAT) => match slots::decode(bytes) {
            Ok((slots, document)) => Ok(Stored::Whole(document, Some(slots))),
            Err(reason) => damaged(reason),
        },
        Ok(format) => Err(Error::new(
            ErrorKind::UnknownVersion,
            format!("the document has format {format}, this program reads up to {}", slots::FORMAT),
        )),
    }
}

/// A document in a file that is replaced whole; the reason why there is none, if there is none.
fn single(bytes: &Bytes, first_line: &[u8]) -> Result<Stored, &'static str> {
    let Envelope { revisions, session, bytes: length, digest, .. } =
        serde_json::from_slice(first_line).map_err(|_| "its first line is no envelope")?;
    let value = bytes.slice(first_line.len() + 1..);
    if value.len() != length || Digest::of(&value) != digest {
        return Err("its value is not what its digest says");
    }
    let revision = revisions.first().copied().ok_or("its envelope has no revision")?;
    Ok(Stored::Whole(Document { bytes: value, revision, recent: revisions, session }, None))
}

fn unreadable(error: io::Error) -> Error {
    failure::unavailable("the document can't be read", error)
}

fn read_bytes(folder: &Folder, file_name: &str) -> Result<Option<Bytes>, Error> {
    let read = || {
        let file = folder.file_to_read(file_name)?;
        blocks::read(&file, 0, blocks::length(&file)?)
    };
    match read() {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if failure::is_missing(&error) => Ok(None),
        Err(error) => Err(unreadable(error)),
    }
}

/// Reads the file of a document, which somebody may be changing; none if there is none.
///
/// What looks damaged is so when it stays the same: of two reads with nothing between them that
/// changed, the first one saw what stood there when it ended.
///
/// # Errors
/// *unknown version*, *permission*, *unavailable*; damage is none.
pub(crate) fn read(
    folder: &Folder,
    file_name: &str,
    lock_name: &str,
    deadline: Duration,
) -> Result<Option<Stored>, Error> {
    let mut last = None;
    for _ in 0..READS {
        let Some(bytes) = read_bytes(folder, file_name)? else { return Ok(None) };
        let stored = decode(&bytes)?;
        if !stored.may_be_half() || last.as_ref() == Some(&bytes) {
            return Ok(Some(stored));
        }
        last = Some(bytes);
    }
    let _no_writer = lock::wait_for_writers(folder, lock_name, deadline)?;
    read_bytes(folder, file_name)?.map(|bytes| decode(&bytes)).transpose()
}

/// Reads the file of a document that nobody else changes, since its lock is held.
///
/// # Errors
/// As of [`read`].
pub(crate) fn read_alone(folder: &Folder, file_name: &str) -> Result<Option<Stored>, Error> {
    read_bytes(folder, file_name)?.map(|bytes| decode(&bytes)).transpose()
}

/// Reads what the file's first line says; none if the file is gone.
///
/// # Errors
/// *corrupt* if it does not say it; *permission*, *unavailable*.
pub(crate) fn said(folder: &Folder, file_name: &str) -> Result<Option<Said>, Error> {
    let about = |error: Error| error.about(format_args!("document file {file_name}"));
    let Some(bytes) = read_bytes(folder, file_name).map_err(about)? else { return Ok(None) };
    let line = memchr::memchr(b'\n', &bytes).and_then(|end| bytes.get(..end));
    let corrupt = |reason| about(Error::corrupt_document(reason, &bytes));
    let line = line.ok_or_else(|| corrupt("its first line has no end"))?;
    serde_json::from_slice(line).map(Some).map_err(|_| corrupt("its first line does not name it"))
}

fn failed(error: io::Error) -> Error {
    failure::unavailable("the document can't be put", error)
}

/// Gives the file a value, durably, under the lock.
///
/// # Errors
/// *permission*, *unavailable*; of unknown outcome where the value stands and may not be durable.
pub(crate) fn write(
    folder: &Folder,
    file_name: &str,
    before: Option<&Slots>,
    entry: Entry<'_>,
) -> Result<(), Error> {
    if let Some(change) = before.and_then(|slots| slots.next(entry))
        // Somebody may have made the file read-only: then it is replaced.
        && let Ok(file) = folder.file_to_write(file_name)
    {
        return change_in_place(&file, &change);
    }
    replace(folder, file_name, entry)
}

fn change_in_place(file: &WriteFile, change: &Change) -> Result<(), Error> {
    if let (_, Some(error)) = file.write_at(&change.record, change.offset) {
        // What was written of it is in the slot that nobody reads while it is not whole.
        return Err(failed(error));
    }
    file.sync().map_err(|error| failed(error).outcome_unknown())?;
    confirm(file, &change.mark);
    Ok(())
}

/// Marks the last value as durable. It is so without the mark, which need not be durable itself:
/// where it is lost, the next value replaces the file.
fn confirm(file: &WriteFile, mark: &[u8]) {
    let _unmarked = file.write_at(mark, slots::MARK_AT);
}

fn replace(folder: &Folder, file_name: &str, entry: Entry<'_>) -> Result<(), Error> {
    let (bytes, mark) = match slots::file_of(entry) {
        Some((bytes, mark)) => (bytes, Some(mark)),
        None => (single_of(entry)?, None),
    };
    let whole = WholeFile::of(folder, &bytes).map_err(failed)?;
    whole.put_in_place(file_name).map_err(|Stopped { error, named }| {
        if named { failed(error).outcome_unknown() } else { failed(error) }
    })?;
    if let Some(mark) = mark
        && let Ok(file) = folder.file_to_write(file_name)
    {
        confirm(&file, &mark);
    }
    Ok(())
}

fn single_of(entry: Entry<'_>) -> Result<Vec<u8>, Error> {
    let Entry { name, document } = entry;
    let envelope = Envelope {
        format: SINGLE,
        name: name.clone(),
        revisions: document.recent.clone(),
        session: document.session.clone(),
        bytes: document.bytes.len(),
        digest: Digest::of(&document.bytes),
    };
    let mut bytes = serde_json::to_vec(&envelope).map_err(|error| {
        Error::new(ErrorKind::Refused, "the document has no envelope").with_source(error)
    })?;
    bytes.push(b'\n');
    bytes.extend_from_slice(&document.bytes);
    Ok(bytes)
}

/// Makes sure that a document that is served is durable, under the lock.
///
/// # Errors
/// *unavailable*, of unknown outcome.
pub(crate) fn settle(
    folder: &Folder,
    file_name: &str,
    slots: Option<&Slots>,
    entry: Entry<'_>,
) -> Result<(), Error> {
    match slots {
        Some(slots) if slots.is_confirmed() => Ok(()),
        // A sync that fails may leave bytes that look durable: only writing them again makes sure.
        Some(_) => replace(folder, file_name, entry).map_err(Error::outcome_unknown),
        None => folder.sync().map_err(|error| {
            failure::unavailable("the document can't be synced", error).outcome_unknown()
        }),
    }
}
