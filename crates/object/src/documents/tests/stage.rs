//! What the tests of documents act on, and what they look for.

use std::sync::Arc;

use object_store::ObjectStoreExt as _;
use sessile_core::backend::{Collection, DocKey, NewDocument, Precondition};
use sessile_core::id::SessionKey;
use sessile_core::{Error, ErrorKind, Outcome, Revision};

use crate::documents::get;
use crate::double::Double;
use crate::entropy;
use crate::options::Options;
use crate::place::Place;
use crate::shelf;

pub(super) const ABSENT: Precondition = Precondition::Absent;

pub(super) fn key(name: &str) -> DocKey {
    let collection = Collection { space: "s".parse().unwrap(), name: "c".parse().unwrap() };
    DocKey { collection, name: name.parse().unwrap() }
}

pub(super) fn value(bytes: &str) -> NewDocument {
    let revision = Revision::new(entropy::token());
    NewDocument { bytes: bytes.to_owned().into(), revision, session: None }
}

pub(super) fn of_session(bytes: &str, session: &str) -> NewDocument {
    NewDocument { session: Some(session.parse().unwrap()), ..value(bytes) }
}

pub(super) fn session(id: &str) -> SessionKey {
    SessionKey { space: "s".parse().unwrap(), id: id.parse().unwrap() }
}

pub(super) fn over(value: &NewDocument) -> Precondition {
    Precondition::Revision(value.revision)
}

pub(super) fn sound() -> (Arc<Double>, Place) {
    let store = Double::sound();
    let place = store.place(Options::default());
    (store, place)
}

pub(super) fn is_conflict(answer: Result<(), Error>, actual: Option<Revision>) {
    let error = answer.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Conflict, Outcome::NotApplied));
    assert_eq!(error.actual_revision(), actual);
}

pub(super) async fn is_missing(place: &Place, key: &DocKey) {
    assert_eq!(get(place, key).await.unwrap_err().kind(), ErrorKind::Missing);
    let listed = shelf::documents(place, &key.collection, None, 1_000).await.unwrap();
    assert!(!listed.contains(&key.name), "{key:?} is listed");
}

pub(super) async fn is_held(place: &Place, key: &DocKey, value: &NewDocument) {
    let held = get(place, key).await.unwrap();
    assert_eq!((&held.bytes, held.revision), (&value.bytes, value.revision));
    assert_eq!(held.session, value.session);
    assert_eq!(held.recent.first(), Some(&value.revision));
    let listed = shelf::documents(place, &key.collection, None, 1_000).await.unwrap();
    assert!(listed.contains(&key.name), "{key:?} is not listed");
}

/// Puts bytes where a document stands, as damage would.
pub(super) async fn damage(
    store: &Arc<Double>,
    place: &Place,
    key: &DocKey,
    bytes: &'static [u8],
) -> Revision {
    store.inner.put(&place.keys.document(key), bytes.into()).await.unwrap();
    Revision::of_damaged(bytes)
}
