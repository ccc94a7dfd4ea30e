//! Notes that a document is purged with a session.
//!
//! A note is made before the document, so that no document that names a session is without one,
//! and whoever purges the session finds its documents without reading those of others.

use bytes::Bytes;
use object_store::path::Path;
use serde::{Deserialize, Serialize};
use sessile_core::backend::{Collection, DocKey};
use sessile_core::id::{Name, SessionId, SessionKey, Space};
use sessile_core::{Error, ErrorKind};

use crate::client::Only;
use crate::place::Place;
use crate::settle::{Settled, Whose, settle};

/// What a note says.
#[derive(Deserialize, Serialize)]
struct Note {
    collection: Name,
    name: Name,
}

/// Where it is noted that a document is purged with a session.
fn path(place: &Place, session: &SessionId, document: &DocKey) -> Path {
    let key = SessionKey { space: document.collection.space.clone(), id: session.clone() };
    place.keys.belonging(&key, document)
}

/// Notes that a document is purged with a session; that it is noted already is as good.
///
/// # Errors
/// Those of [`settle`].
pub(crate) async fn note(
    place: &Place,
    session: &SessionId,
    document: &DocKey,
) -> Result<(), Error> {
    let path = path(place, session, document);
    let note = Note { collection: document.collection.name.clone(), name: document.name.clone() };
    let body = Bytes::from(serde_json::to_vec(&note).map_err(|error| {
        Error::new(ErrorKind::Refused, "the document's name has no JSON form").with_source(error)
    })?);
    // Whoever made it: the notes of one document are all equal.
    match settle(&place.client, &path, &body, &Only::IfAbsent, |_| Whose::Ours).await? {
        Settled::Ours(_) | Settled::Others(_) | Settled::Gone => Ok(()),
    }
}

/// Sees to it that a document is still noted to be purged with a session.
///
/// # Errors
/// Those of [`note`].
pub(crate) async fn note_again(
    place: &Place,
    session: &SessionId,
    document: &DocKey,
) -> Result<(), Error> {
    if is_noted(place, session, document).await? {
        return Ok(());
    }
    note(place, session, document).await
}

/// Whether it is noted that a document is purged with a session.
///
/// # Errors
/// *unavailable*, *permission*.
pub(crate) async fn is_noted(
    place: &Place,
    session: &SessionId,
    document: &DocKey,
) -> Result<bool, Error> {
    Ok(place.client.get(&path(place, session, document)).await?.is_some())
}

/// The notes on a session, where each stands.
///
/// # Errors
/// *unavailable*, *permission*.
pub(crate) async fn notes(place: &Place, key: &SessionKey) -> Result<Vec<Path>, Error> {
    let listed = place.client.list_all(&place.keys.belongings(key), None).await?;
    Ok(listed.into_iter().map(|listed| listed.path).collect())
}

/// The document that a note is about; none if the note is gone.
///
/// # Errors
/// *corrupt* where it is damaged, *unavailable*, *permission*.
pub(crate) async fn read(
    place: &Place,
    space: &Space,
    note: &Path,
) -> Result<Option<DocKey>, Error> {
    let Some(object) = place.client.get(note).await? else { return Ok(None) };
    let note: Note = serde_json::from_slice(&object.bytes).map_err(|_| {
        Error::new(ErrorKind::Corrupt, "a note of the session's documents is damaged")
    })?;
    let collection = Collection { space: space.clone(), name: note.collection };
    Ok(Some(DocKey { collection, name: note.name }))
}
