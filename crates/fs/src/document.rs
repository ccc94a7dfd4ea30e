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
use sessile_core::spelling::{self, Told};

use crate::blocks;
use crate::door::Folder;
use crate::failure;
use crate::listing::check_limit;
use crate::lock::Lock;

use crate::root::{DOCUMENTS, Root};
use crate::whole::{self, Stopped, WholeFile};

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
    spelling::of_name(name) + ENDING
}

/// The folder of a collection, if there is one.
fn folder(root: &Root, collection: &Collection) -> Result<Option<Folder>, Error> {
    let documents = root.folder(&collection.space, DOCUMENTS)?;
    opened(documents, collection, Folder::folder)
}

/// The folder of a collection to change what is in it, if there is one.
fn folder_to_write(root: &Root, collection: &Collection) -> Result<Option<Folder>, Error> {
    let documents = root.folder_to_write(&collection.space, DOCUMENTS)?;
    opened(documents, collection, Folder::folder_to_write)
}

fn opened(
    documents: Option<Folder>,
    collection: &Collection,
    open: fn(&Folder, &str) -> io::Result<Folder>,
) -> Result<Option<Folder>, Error> {
    let Some(documents) = documents else {
        return Ok(None);
    };
    match open(&documents, &spelling::of_name(&collection.name)) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if failure::is_missing(&error) => Ok(None),
        Err(error) => Err(failure::unavailable("the collection can't be opened", error)),
    }
}

fn folder_or_made(root: &Root, collection: &Collection) -> Result<Folder, Error> {
    let failed = |error| failure::unavailable("the collection can't be made", error);
    let documents = root.durable_folder(&collection.space, DOCUMENTS)?;
    let name = spelling::of_name(&collection.name);
    let folder = documents.folder_or_made(&name).map_err(failed)?;
    root.sweep_once(&folder, &collection.space, &format!("{DOCUMENTS}/{name}"));
    Ok(folder)
}

/// What stands in the file of a document.
#[derive(Debug)]
enum Stored {
    /// A document under its name.
    Whole(Name, Document),
    /// Bytes that are none any more.
    Damaged(Error, Revision),
}

impl Stored {
    fn whole(self) -> Result<(Name, Document), Error> {
        match self {
            Self::Whole(name, document) => Ok((name, document)),
            Self::Damaged(error, _) => Err(error),
        }
    }

    /// What a put or a deletion has to expect to be done.
    const fn revision(&self) -> Revision {
        match self {
            Self::Whole(_, document) => document.revision,
            Self::Damaged(_, revision) => *revision,
        }
    }

    /// The answer to whoever expects something else.
    fn refusal(self) -> Error {
        match self {
            Self::Whole(_, document) => Error::document_conflict(Some(document.revision)),
            Self::Damaged(error, _) => error,
        }
    }
}

/// Reads the file of a document; none if there is none.
///
/// # Errors
/// *unknown version*, *permission*, *unavailable*; damage is none.
fn read(folder: &Folder, file_name: &str) -> Result<Option<Stored>, Error> {
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

/// The envelope of a document, and its value; the reason why there is none, if there is none.
fn split(bytes: &Bytes) -> Result<(Envelope, Bytes), &'static str> {
    let end = memchr::memchr(b'\n', bytes).ok_or("its first line has no end")?;
    let envelope: Envelope =
        serde_json::from_slice(&bytes.slice(..end)).map_err(|_| "its first line is no envelope")?;
    Ok((envelope, bytes.slice(end + 1..)))
}

fn decode(bytes: &Bytes) -> Result<Stored, Error> {
    let damaged = |reason| {
        let error = Error::corrupt_document(reason, bytes);
        Ok(Stored::Damaged(error, Revision::of_damaged(bytes)))
    };
    let (envelope, value) = match split(bytes) {
        Ok(parts) => parts,
        Err(reason) => return damaged(reason),
    };
    if envelope.format > FORMAT {
        return Err(Error::new(
            ErrorKind::UnknownVersion,
            format!(
                "the document has format {}, this program reads up to {FORMAT}",
                envelope.format
            ),
        ));
    }
    if value.len() != envelope.bytes || Digest::of(&value) != envelope.digest {
        return damaged("its value is not what its digest says");
    }
    let Envelope { name, revisions, session, .. } = envelope;
    let Some(revision) = revisions.first().copied() else {
        return damaged("its envelope has no revision");
    };
    Ok(Stored::Whole(name, Document { bytes: value, revision, recent: revisions, session }))
}

/// Reads a document.
pub(crate) fn get(root: &Root, key: &DocKey) -> Result<Document, Error> {
    let stored = || {
        let folder = folder(root, &key.collection)?.ok_or_else(|| missing(key))?;
        read(&folder, &file_name(&key.name))?.ok_or_else(|| missing(key))?.whole()
    };
    stored().map(|(_, document)| document).map_err(|error| error.about(Subject(key)))
}

/// Puts a document if the precondition holds.
pub(crate) fn put(
    root: &Root,
    key: &DocKey,
    new: &NewDocument,
    precondition: Precondition,
    deadline: Duration,
) -> Result<(), Error> {
    put_new(root, key, new, precondition, deadline).map_err(|error| error.about(Subject(key)))
}

fn put_new(
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
    let stored = read(&folder, &file_name)?;
    if let Some(Stored::Whole(_, document)) = &stored
        && document.recent.contains(&new.revision)
    {
        // Sent again after its answer was lost: all that is left is that it may not be durable.
        return folder.sync().map_err(|error| {
            failure::unavailable("the document can't be synced", error).outcome_unknown()
        });
    }
    let expected = match precondition {
        Precondition::Absent => None,
        Precondition::Revision(expected) => Some(expected),
    };
    if stored.as_ref().map(Stored::revision) != expected {
        return Err(stored.map_or_else(|| Error::document_conflict(None), Stored::refusal));
    }
    if stored.is_none() {
        // The collection's own name may be somebody's who died before it was durable.
        let documents = root.durable_folder(&key.collection.space, DOCUMENTS)?;
        documents
            .sync()
            .map_err(|error| failure::unavailable("the collection can't be synced", error))?;
    }
    let mut revisions = vec![new.revision];
    if let Some(Stored::Whole(_, document)) = stored {
        revisions.extend(document.recent);
    }
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
    delete_old(root, key, revision, deadline).map_err(|error| error.about(Subject(key)))
}

fn delete_old(
    root: &Root,
    key: &DocKey,
    revision: Revision,
    deadline: Duration,
) -> Result<(), Error> {
    let folder = folder_to_write(root, &key.collection)?.ok_or_else(|| missing(key))?;
    let mut lock = Lock::open(folder.clone(), LOCK.to_owned())?;
    let _held = lock.hold(deadline)?;
    let file_name = file_name(&key.name);
    let stored = read(&folder, &file_name)?.ok_or_else(|| missing(key))?;
    if stored.revision() != revision {
        return Err(stored.refusal());
    }
    let failed = |error| failure::unavailable("the document can't be deleted", error);
    folder.remove(&file_name).map_err(failed)?;
    folder.sync().map_err(|error| failed(error).outcome_unknown())
}

/// Reads what a document's file says of it, which its value's damage takes nothing from; none if
/// the file is gone.
fn envelope(folder: &Folder, file: &str) -> Result<Option<Envelope>, Error> {
    let bytes = match read_bytes(folder, file) {
        Ok(bytes) => bytes,
        Err(error) if failure::is_missing(&error) => return Ok(None),
        Err(error) => return Err(failure::unavailable("the document can't be read", error)),
    };
    match split(&bytes) {
        Ok((envelope, _)) => Ok(Some(envelope)),
        Err(reason) => Err(Error::corrupt_document(reason, &bytes)),
    }
    .map_err(|error| error.about(format_args!("document file {file}")))
}

/// Deletes the documents of a session, in all collections of its space.
pub(crate) fn purge(root: &Root, key: &SessionKey, deadline: Duration) -> Result<(), Error> {
    let Some(documents) = root.folder_to_write(&key.space, DOCUMENTS)? else { return Ok(()) };
    let failed = |error| failure::unavailable("the session's documents can't be purged", error);
    for collection in documents.names().map_err(failed)? {
        let folder = documents.folder_to_write(&collection).map_err(failed)?;
        let mut lock = Lock::open(folder.clone(), LOCK.to_owned())?;
        let _held = lock.hold(deadline)?;
        // What writers that died have left may be a document of the session too.
        whole::sweep(&folder).map_err(failed)?;
        for file in folder.names().map_err(failed)? {
            if file.ends_with(ENDING)
                && let Some(Envelope { session: Some(session), .. }) = envelope(&folder, &file)?
                && session == key.id
            {
                folder.remove(&file).map_err(failed)?;
            }
        }
        // Also where nothing was left to remove: whoever removed it may have died before this.
        folder.sync().map_err(failed)?;
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
        match spelling::to_name(spelled) {
            Told::Name(name) => names.push(name),
            Told::Inside => names.extend(envelope(&folder, &file)?.map(|it| it.name)),
            Told::Nothing => {}
        }
    }
    names.retain(|name| after.is_none_or(|after| name > after));
    names.sort_unstable();
    names.truncate(limit);
    Ok(names)
}
