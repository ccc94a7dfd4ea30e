//! Documents: a file each, under a lock of their collection.

use std::io;
use std::time::Duration;

use sessile_core::backend::{
    Collection, DocKey, Document, NewDocument, Precondition, REVISIONS_KEPT,
};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{Name, SessionKey};
use sessile_core::revision::Revision;
use sessile_core::spelling::{self, Told};

use crate::document_file::{self, Said, Stored, said};
use crate::door::Folder;
use crate::failure;
use crate::lock::Lock;
use crate::page::check_limit;
use crate::root::{DOCUMENTS, Root};
use crate::slots::Entry;
use crate::whole;

/// How the file of a document ends.
const ENDING: &str = ".doc";

/// The lock of all documents of a collection: no document's name has its ending.
const LOCK: &str = "collection.lock";

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

/// Reads a document.
pub(crate) fn get(root: &Root, key: &DocKey, deadline: Duration) -> Result<Document, Error> {
    let stored = || {
        let folder = folder(root, &key.collection)?.ok_or_else(|| missing(key))?;
        let stored = document_file::read(&folder, &file_name(&key.name), LOCK, deadline)?;
        stored.ok_or_else(|| missing(key))?.whole()
    };
    stored().map_err(|error| error.about(Subject(key)))
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
    let stored = document_file::read_alone(&folder, &file_name)?;
    if let Some(Stored::Whole(document, slots)) = &stored
        && document.recent.contains(&new.revision)
    {
        // Sent again after its answer was lost: all that is left is that it may not be durable.
        let entry = Entry { name: &key.name, document };
        return document_file::settle(&folder, &file_name, slots.as_ref(), entry);
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
    let (before, slots) = match stored {
        Some(Stored::Whole(document, slots)) => (document.recent, slots),
        Some(Stored::Damaged(..)) | None => (Vec::new(), None),
    };
    let recent = [new.revision].into_iter().chain(before).take(REVISIONS_KEPT).collect();
    let NewDocument { bytes, revision, session } = new.clone();
    let document = Document { bytes, revision, recent, session };
    let entry = Entry { name: &key.name, document: &document };
    document_file::write(&folder, &file_name, slots.as_ref(), entry)
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
    let stored = document_file::read_alone(&folder, &file_name)?.ok_or_else(|| missing(key))?;
    if stored.revision() != revision {
        return Err(stored.refusal());
    }
    let failed = |error| failure::unavailable("the document can't be deleted", error);
    folder.remove(&file_name).map_err(failed)?;
    folder.sync().map_err(|error| failed(error).outcome_unknown())
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
                && let Some(Said { session: Some(session), .. }) = said(&folder, &file)?
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
            Told::Inside => names.extend(said(&folder, &file)?.map(|it| it.name)),
            Told::Nothing => {}
        }
    }
    names.retain(|name| after.is_none_or(|after| name > after));
    names.sort_unstable();
    names.truncate(limit);
    Ok(names)
}
