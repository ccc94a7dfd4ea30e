//! Documents: an object each, swapped whole under its entity tag.

use std::fmt;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use object_store::path::Path;
use sessile_core::backend::{DocKey, Document, NewDocument, Precondition, REVISIONS_KEPT};
use sessile_core::id::{SessionId, SessionKey};
use sessile_core::{Error, ErrorKind, Revision};

use crate::belongings;
use crate::client::{Object, Only};
use crate::document::{self, Held};
use crate::entropy;
use crate::place::Place;
use crate::settle::{Settled, Whose, settle};

/// How many documents of a session are purged at a time.
const TOGETHER: usize = 8;

/// How a document is told in errors.
struct Subject<'a>(&'a DocKey);

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "document {}/{}", self.0.collection.name, self.0.name)
    }
}

fn missing() -> Error {
    Error::new(ErrorKind::Missing, "there is no such document")
}

/// What stands at a document's name.
#[derive(Debug)]
enum Standing {
    /// Nothing, and nothing ever did.
    Nothing,
    /// A document or a tombstone.
    Held(Held),
    /// What can't be read, with the revision by which it is replaced, and why.
    Damaged([Revision; 1], Bytes, String),
}

impl Standing {
    fn of(key: &DocKey, bytes: &Bytes) -> Result<Self, Error> {
        match document::decode(key, bytes) {
            Ok(held) => Ok(Self::Held(held)),
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                let revision = [Revision::of_damaged(bytes)];
                Ok(Self::Damaged(revision, bytes.clone(), error.clause().to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    /// The last revisions, newest first; the first is that of what stands there.
    fn recent(&self) -> &[Revision] {
        match self {
            Self::Nothing => &[],
            Self::Held(held) => held.recent(),
            Self::Damaged(revision, ..) => revision,
        }
    }

    /// The revisions that go on being kept with what replaces it: damage has none of its own.
    fn kept(&self) -> &[Revision] {
        match self {
            Self::Held(held) => held.recent(),
            Self::Nothing | Self::Damaged(..) => &[],
        }
    }

    /// The session that is noted to have what stands there.
    fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Held(held) => held.session(),
            Self::Nothing | Self::Damaged(..) => None,
        }
    }

    /// The revision of a document that stands there.
    ///
    /// # Errors
    /// *corrupt* where it is damaged, unless the caller names the revision of just that damage.
    fn actual(&self, named: Option<Revision>) -> Result<Option<Revision>, Error> {
        match self {
            Self::Nothing => Ok(None),
            Self::Held(held) => Ok(held.actual()),
            Self::Damaged([revision], ..) if named == Some(*revision) => Ok(named),
            Self::Damaged(_, bytes, reason) => Err(Error::corrupt_document(reason, bytes)),
        }
    }
}

/// What was found at a document's name, and the condition that it is still there.
#[derive(Debug)]
struct Found {
    standing: Standing,
    only: Only,
}

impl Found {
    fn of(key: &DocKey, object: Option<Object>) -> Result<Self, Error> {
        let Some(Object { bytes, tag }) = object else {
            return Ok(Self { standing: Standing::Nothing, only: Only::IfAbsent });
        };
        Ok(Self { standing: Standing::of(key, &bytes)?, only: Only::IfStill(tag) })
    }

    async fn at(place: &Place, key: &DocKey) -> Result<Self, Error> {
        Self::of(key, place.client.get(&place.keys.document(key)).await?)
    }
}

/// Reads a document.
///
/// # Errors
/// *missing*, *corrupt*, *unknown version*, *unavailable*, *permission*.
pub(crate) async fn get(place: &Place, key: &DocKey) -> Result<Document, Error> {
    let reading = async {
        match Found::at(place, key).await?.standing {
            Standing::Held(Held::Living(document)) => Ok(document),
            Standing::Held(Held::Deleted(_)) | Standing::Nothing => Err(missing()),
            Standing::Damaged(_, bytes, reason) => Err(Error::corrupt_document(reason, &bytes)),
        }
    };
    reading.await.map_err(|error: Error| error.about(Subject(key)))
}

/// Puts a document if the precondition holds, or if this very put was done already.
///
/// # Errors
/// *conflict* with the actual revision, *corrupt*, and those of [`settle`].
pub(crate) async fn put(
    place: &Place,
    key: &DocKey,
    new: &NewDocument,
    precondition: Precondition,
) -> Result<(), Error> {
    put_where(place, key, new, precondition).await.map_err(|error| error.about(Subject(key)))
}

async fn put_where(
    place: &Place,
    key: &DocKey,
    new: &NewDocument,
    precondition: Precondition,
) -> Result<(), Error> {
    let expected = match precondition {
        Precondition::Absent => None,
        Precondition::Revision(revision) => Some(revision),
    };
    let mut found = Found::at(place, key).await?;
    loop {
        let Found { standing, only } = found;
        if standing.recent().contains(&new.revision) {
            return Ok(());
        }
        let body = document::of_value(key, new, standing.kept())?;
        let over = standing.recent().first().copied();
        let to_note = new.session.as_ref().filter(|session| standing.session() != Some(session));
        let actual = standing.actual(expected)?;
        if actual != expected {
            return Err(Error::document_conflict(actual));
        }
        if let Some(session) = to_note {
            belongings::note(place, session, key).await?;
        }
        let swap = Swap { body, own: new.revision, over };
        if let Some(instead) = swap.send(place, key, &only).await? {
            found = instead;
            continue;
        }
        // Who purges the session meanwhile may have taken the note before the document was there,
        // or else looks for the document once more after that.
        if let Some(session) = to_note {
            belongings::note_again(place, session, key).await.map_err(Error::outcome_unknown)?;
        }
        return Ok(());
    }
}

/// Deletes a document that has a revision.
///
/// # Errors
/// *missing*, *conflict* with the actual revision, *corrupt*, and those of [`settle`].
pub(crate) async fn delete(place: &Place, key: &DocKey, revision: Revision) -> Result<(), Error> {
    let is_it = |actual| match actual {
        None => Err(missing()),
        Some(actual) if actual == revision => Ok(true),
        actual => Err(Error::document_conflict(actual)),
    };
    let deleting = async {
        let found = Found::at(place, key).await?;
        bury(place, key, found, |standing| is_it(standing.actual(Some(revision))?)).await
    };
    deleting.await.map_err(|error: Error| error.about(Subject(key)))
}

/// Swaps a tombstone over what stands at a name, for as long as that is to be deleted.
async fn bury(
    place: &Place,
    key: &DocKey,
    mut found: Found,
    is_to_be: impl Fn(&Standing) -> Result<bool, Error>,
) -> Result<(), Error> {
    let own = Revision::new(entropy::token());
    while is_to_be(&found.standing)? {
        let Found { standing, only } = found;
        let body = document::of_nothing(key, own, standing.kept())?;
        let swap = Swap { body, own, over: standing.recent().first().copied() };
        match swap.send(place, key, &only).await? {
            None => return Ok(()),
            Some(instead) => found = instead,
        }
    }
    Ok(())
}

/// An object that is to replace another.
struct Swap {
    body: Bytes,
    /// Its revision.
    own: Revision,
    /// The revision of what it replaces; none where there is nothing.
    over: Option<Revision>,
}

impl Swap {
    /// Sends it; answers what stands there instead if another was first.
    async fn send(self, place: &Place, key: &DocKey, only: &Only) -> Result<Option<Found>, Error> {
        let path = place.keys.document(key);
        let whose = |object: &Object| self.whose(key, &object.bytes);
        let instead = match settle(&place.client, &path, &self.body, only, whose).await? {
            Settled::Ours(_) => return Ok(None),
            Settled::Others(object) => {
                Found::of(key, Some(object)).map_err(Error::outcome_unknown)?
            }
            Settled::Gone => Found::of(key, None)?,
        };
        if let Standing::Damaged(_, bytes, reason) = &instead.standing {
            return Err(Error::corrupt_document(reason, bytes).outcome_unknown());
        }
        if self.is_not_among(&instead.standing) {
            return Ok(Some(instead));
        }
        let clause = "the document was replaced too often to tell whether the write was applied";
        let error = Error::new(ErrorKind::Unavailable, clause).outcome_unknown();
        Err(error.with_hint("read it again, then decide again"))
    }

    fn whose(&self, key: &DocKey, bytes: &Bytes) -> Whose {
        let Ok(standing) = Standing::of(key, bytes) else { return Whose::Others };
        let recent = standing.recent();
        if recent.contains(&self.own) {
            Whose::Ours
        } else if self.over.is_some() && recent.first().copied() == self.over {
            Whose::Expected
        } else {
            Whose::Others
        }
    }

    /// Whether revisions without ours reach back to what it was to replace: then it never was
    /// there, and can't be any more.
    fn is_not_among(&self, instead: &Standing) -> bool {
        let recent = instead.recent();
        match &self.over {
            Some(over) => recent.is_empty() || recent.contains(over),
            None => recent.len() < REVISIONS_KEPT,
        }
    }
}

/// Deletes the documents of a session, and the notes on them. What breaks off goes on at the next
/// call.
///
/// # Errors
/// The first of those that could not be deleted; the others are. *corrupt* where a document or a
/// note can't be read, and so nobody can tell whose it is.
pub(crate) async fn purge_belongings(place: &Place, key: &SessionKey) -> Result<(), Error> {
    let notes = belongings::notes(place, key).await?;
    let purging = stream::iter(notes).map(|note| purge_noted(place, key, note));
    let mut purging = purging.buffer_unordered(TOGETHER);
    let mut failed = None;
    while let Some(purged) = purging.next().await {
        if let Err(error) = purged {
            failed.get_or_insert(error);
        }
    }
    failed.map_or(Ok(()), Err)
}

async fn purge_noted(place: &Place, key: &SessionKey, note: Path) -> Result<(), Error> {
    let Some(document) = belongings::read(place, &key.space, &note).await? else {
        return Ok(());
    };
    purge_one(place, key, &document).await?;
    place.client.delete(vec![note]).await?;
    // One that was put since the note was read has seen that note, and makes no other.
    purge_one(place, key, &document).await
}

async fn purge_one(place: &Place, key: &SessionKey, document: &DocKey) -> Result<(), Error> {
    let is_its = |standing: &Standing| match standing {
        Standing::Damaged(..) => Err(Error::new(
            ErrorKind::Corrupt,
            "the document can't be read, and so nobody can tell whether it is to be purged",
        )),
        held => Ok(held.session() == Some(&key.id)),
    };
    let purging = async {
        let found = Found::at(place, document).await?;
        bury(place, document, found, is_its).await
    };
    purging.await.map_err(|error: Error| error.about(Subject(document)))
}

#[cfg(test)]
mod tests;
