//! Documents: a file each, replaced whole.
//!
//! A file is one line of JSON that names the document, its revisions and the checksum of its
//! value, and then the value's bytes. The line makes the file tell by itself whether it is whole.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sessile_core::backend::{
    Collection, DocKey, Document, NewDocument, Precondition, REVISIONS_KEPT,
};
use sessile_core::digest::Digest;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{Name, SessionId, SessionKey};
use sessile_core::revision::Revision;

use crate::blocks;
use crate::door::Folder;
use crate::failure;
use crate::listing::check_limit;
use crate::lock::Lock;
use crate::name::{self, Told};
use crate::root::{DOCUMENTS, Root};
use crate::whole::{Stopped, WholeFile};

/// How the file of a document ends.
const ENDING: &str = ".doc";

/// The lock of all documents of a collection: no document's name has its ending.
const LOCK: &str = "collection.lock";

/// The first line of a document's file.
#[derive(Debug, Deserialize, Serialize)]
struct Envelope {
    /// The version of this layout.
    format: u32,
    /// The document's name within its collection.
    name: Name,
    /// Its last revisions, newest first.
    revisions: Vec<Revision>,
    /// The session with which it is purged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    /// How many bytes the value has.
    bytes: usize,
    /// The digest of the value.
    digest: Digest,
}

const FORMAT: u32 = 1;

/// How a document is told in errors.
struct Subject<'a>(&'a DocKey);

impl std::fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "document {}/{}", self.0.collection.name, self.0.name)
    }
}

fn missing(key: &DocKey) -> Error {
    Error::new(ErrorKind::Missing, "there is no such document").about(Subject(key))
}

fn file_name(name: &Name) -> String {
    name::of_name(name) + ENDING
}

/// The folder of a collection, if there is one.
fn folder(root: &Root, collection: &Collection) -> Result<Option<Folder>, Error> {
    let Some(documents) = root.folder(&collection.space, DOCUMENTS)? else {
        return Ok(None);
    };
    match documents.folder(&name::of_name(&collection.name)) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if failure::is_missing(&error) => Ok(None),
        Err(error) => Err(failure::unavailable("the collection can't be opened", error)),
    }
}

fn folder_or_made(root: &Root, collection: &Collection) -> Result<Folder, Error> {
    let failed = |error| failure::unavailable("the collection can't be made", error);
    let documents = root.durable_folder(&collection.space, DOCUMENTS)?;
    documents.folder_or_made(&name::of_name(&collection.name)).map_err(failed)
}

/// Reads the file of a document; none if there is none.
fn read(folder: &Folder, file_name: &str) -> Result<Option<(Name, Document)>, Error> {
    let bytes = match read_bytes(folder, file_name) {
        Ok(bytes) => bytes,
        Err(error) if failure::is_missing(&error) => return Ok(None),
        Err(error) => return Err(failure::unavailable("the document can't be read", error)),
    };
    decode(&bytes).map(Some)
}

fn read_bytes(folder: &Folder, file_name: &str) -> io::Result<Bytes> {
    let file = folder.file_to_read(file_name)?;
    blocks::read(&file, 0, blocks::length(&file)?)
}

fn decode(bytes: &Bytes) -> Result<(Name, Document), Error> {
    let corrupt = |reason| Error::new(ErrorKind::Corrupt, reason);
    let end = memchr::memchr(b'\n', bytes)
        .ok_or_else(|| corrupt("the document's first line has no end"))?;
    let envelope: Envelope = serde_json::from_slice(&bytes.slice(..end))
        .map_err(|_| corrupt("the document's first line is no envelope"))?;
    if envelope.format > FORMAT {
        return Err(Error::new(
            ErrorKind::UnknownVersion,
            format!(
                "the document has format {}, this program reads up to {FORMAT}",
                envelope.format
            ),
        ));
    }
    let value = bytes.slice(end + 1..);
    if value.len() != envelope.bytes || Digest::of(&value) != envelope.digest {
        return Err(corrupt("the document's value is not what its digest says"));
    }
    let revision = *envelope
        .revisions
        .first()
        .ok_or_else(|| corrupt("the document's envelope has no revision"))?;
    let Envelope { name, revisions, session, .. } = envelope;
    Ok((name, Document { bytes: value, revision, recent: revisions, session }))
}

/// Reads a document.
pub(crate) fn get(root: &Root, key: &DocKey) -> Result<Document, Error> {
    let about = |error: Error| error.about(Subject(key));
    let folder = folder(root, &key.collection).map_err(about)?.ok_or_else(|| missing(key))?;
    let (_, document) =
        read(&folder, &file_name(&key.name)).map_err(about)?.ok_or_else(|| missing(key))?;
    Ok(document)
}

/// Puts a document if the precondition holds.
pub(crate) fn put(
    root: &Root,
    key: &DocKey,
    new: &NewDocument,
    precondition: Precondition,
    deadline: Duration,
) -> Result<(), Error> {
    let folder = folder_or_made(root, &key.collection)?;
    let mut lock = Lock::open(folder.clone(), LOCK.to_owned())?;
    let _held = lock.hold(deadline)?;
    let file_name = file_name(&key.name);
    let stored = read(&folder, &file_name)?.map(|(_, document)| document);
    let actual = stored.as_ref().map(|document| document.revision);
    if stored.as_ref().is_some_and(|document| document.recent.contains(&new.revision)) {
        // Sent again after its answer was lost: all that is left is that it may not be durable.
        return folder.sync().map_err(|error| {
            failure::unavailable("the document can't be synced", error).outcome_unknown()
        });
    }
    let holds = match precondition {
        Precondition::Absent => actual.is_none(),
        Precondition::Revision(expected) => actual == Some(expected),
    };
    if !holds {
        return Err(Error::document_conflict(actual));
    }
    if actual.is_none() {
        // The collection's own name may be somebody's who died before it was durable.
        let documents = root.durable_folder(&key.collection.space, DOCUMENTS)?;
        documents
            .sync()
            .map_err(|error| failure::unavailable("the collection can't be synced", error))?;
    }
    let mut revisions = vec![new.revision];
    revisions.extend(stored.map(|document| document.recent).unwrap_or_default());
    revisions.truncate(REVISIONS_KEPT);
    let envelope = Envelope {
        format: FORMAT,
        name: key.name.clone(),
        revisions,
        session: new.session.clone(),
        bytes: new.bytes.len(),
        digest: Digest::of(&new.bytes),
    };
    let mut bytes = serde_json::to_vec(&envelope).map_err(|error| {
        Error::new(ErrorKind::Refused, "the document has no envelope").with_source(error)
    })?;
    bytes.push(b'\n');
    bytes.extend_from_slice(&new.bytes);
    let failed = |error| failure::unavailable("the document can't be put", error);
    let whole = WholeFile::of(&folder, &bytes).map_err(failed)?;
    whole.put_in_place(&file_name).map_err(|Stopped { error, named }| {
        if named { failed(error).outcome_unknown() } else { failed(error) }
    })
}

/// Deletes a document that has a revision.
pub(crate) fn delete(
    root: &Root,
    key: &DocKey,
    revision: Revision,
    deadline: Duration,
) -> Result<(), Error> {
    let folder = folder(root, &key.collection)?.ok_or_else(|| missing(key))?;
    let mut lock = Lock::open(folder.clone(), LOCK.to_owned())?;
    let _held = lock.hold(deadline)?;
    let file_name = file_name(&key.name);
    let (_, stored) = read(&folder, &file_name)?.ok_or_else(|| missing(key))?;
    if stored.revision != revision {
        return Err(Error::document_conflict(Some(stored.revision)));
    }
    let failed = |error| failure::unavailable("the document can't be deleted", error);
    folder.remove(&file_name).map_err(failed)?;
    folder.sync().map_err(|error| failed(error).outcome_unknown())
}

/// Deletes the documents of a session, in all collections of its space.
pub(crate) fn purge(root: &Root, key: &SessionKey, deadline: Duration) -> Result<(), Error> {
    let Some(documents) = root.folder(&key.space, DOCUMENTS)? else { return Ok(()) };
    let failed = |error| failure::unavailable("the session's documents can't be purged", error);
    for collection in documents.names().map_err(failed)? {
        let folder = documents.folder(&collection).map_err(failed)?;
        let mut lock = Lock::open(folder.clone(), LOCK.to_owned())?;
        let _held = lock.hold(deadline)?;
        let mut removed = false;
        for file in folder.names().map_err(failed)? {
            if !file.ends_with(ENDING) {
                continue;
            }
            let document = read(&folder, &file)?;
            if document.is_some_and(|(_, document)| document.session.as_ref() == Some(&key.id)) {
                folder.remove(&file).map_err(failed)?;
                removed = true;
            }
        }
        if removed {
            folder.sync().map_err(failed)?;
        }
    }
    Ok(())
}

/// A page of a collection's documents in the order of names.
pub(crate) fn documents(
    root: &Root,
    collection: &Collection,
    after: Option<&Name>,
    limit: usize,
) -> Result<Vec<Name>, Error> {
    check_limit(limit)?;
    let Some(folder) = folder(root, collection)? else {
        return Ok(Vec::new());
    };
    let files = folder
        .names()
        .map_err(|error| failure::unavailable("the collection can't be listed", error))?;
    let mut names = Vec::new();
    for file in files {
        let Some(spelled) = file.strip_suffix(ENDING) else {
            continue;
        };
        match name::to_name(spelled) {
            Told::Name(name) => names.push(name),
            Told::Inside => names.extend(read(&folder, &file)?.map(|(name, _)| name)),
            Told::Nothing => {}
        }
    }
    names.retain(|name| after.is_none_or(|after| name > after));
    names.sort_unstable();
    names.truncate(limit);
    Ok(names)
}
