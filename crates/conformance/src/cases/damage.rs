//! Documents whose stored bytes are none any more.

use std::sync::Arc;

use sessile_core::backend::{DocKey, Precondition};
use sessile_core::{Backend, Error, ErrorKind, Revision};

use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;

const TAGS: &[&str] = &["DamagedDocumentsAreKept", "records/11"];

pub(super) const CASES: &[Case] = &[
    Case::new("damage/is_corrupt_with_a_revision_and_never_missing", TAGS, |place| {
        Box::pin(is_corrupt_with_a_revision(place))
    })
    .needing(&[Need::Damage]),
    Case::new("damage/only_what_names_it_replaces_it", TAGS, |place| {
        Box::pin(only_what_names_it_replaces_it(place))
    })
    .needing(&[Need::Damage]),
    Case::new("damage/only_what_names_it_deletes_it", TAGS, |place| {
        Box::pin(only_what_names_it_deletes_it(place))
    })
    .needing(&[Need::Damage]),
    Case::new("damage/that_changes_has_another_revision", TAGS, |place| {
        Box::pin(that_changes_has_another_revision(place))
    })
    .needing(&[Need::Damage]),
];

/// Bytes that are no document: none at all, a block that a crash left, half of something, no text.
const JUNK: [&[u8]; 4] = [b"", &[0; 4096], b"{\"format\":1,\"name\":", b"\xff\xfe\n\xff"];

/// Fails unless an answer is *corrupt* with a revision, and with this one if one is given.
fn is_corrupt<T>(
    what: &str,
    answer: Result<T, Error>,
    expected: Option<Revision>,
) -> Result<Revision, Failed> {
    let error = fails(what, answer, ErrorKind::Corrupt)?;
    let revision = error.actual_revision();
    let revision = revision.ok_or_else(|| Failed::new(format!("{what}: it names no revision")))?;
    same(&format!("{what}: the revision"), revision, expected.unwrap_or(revision))?;
    Ok(revision)
}

/// Puts bytes in place of what is stored of a document; answers the revision that they have.
async fn damaged(
    place: &dyn Place,
    backend: &dyn Backend,
    key: &DocKey,
    stored: &[u8],
) -> Result<Revision, Failed> {
    let damage = place.damage().ok_or_else(|| Failed::new("the place can't be damaged now"))?;
    damage.damage_document(key, stored).await?;
    is_corrupt("getting what is damaged", backend.get(key).await, None)
}

async fn is_corrupt_with_a_revision(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let beside = sample::document("c", "beside")?;
    let value = sample::value("value");
    backend.put(&beside, value.clone(), Precondition::Absent).await?;
    let mut names = vec![beside.name.clone()];
    for (number, junk) in JUNK.into_iter().enumerate() {
        let key = sample::document("c", &number.to_string())?;
        backend.put(&key, sample::value("before"), Precondition::Absent).await?;
        let revision = damaged(&*place, &*backend, &key, junk).await?;
        for handle in [&backend, &place.handle().await?] {
            is_corrupt("getting it again", handle.get(&key).await, Some(revision))?;
        }
        names.push(key.name);
    }
    // It is listed, and what lies beside it is served.
    names.sort_unstable();
    let listed = look::documents(&*backend, &beside.collection, 2).await?;
    same("the documents listed", listed, names)?;
    look::is_value(&backend.get(&beside).await?, &value)
}

async fn only_what_names_it_replaces_it(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    for (number, junk) in JUNK.into_iter().enumerate() {
        let key = sample::document("c", &number.to_string())?;
        let before = sample::value("before");
        backend.put(&key, before.clone(), Precondition::Absent).await?;
        let revision = damaged(&*place, &*backend, &key, junk).await?;
        let others = [before.revision, mint::revision()].map(Precondition::Revision);
        for wrong in others.into_iter().chain([Precondition::Absent]) {
            let answer = backend.put(&key, sample::value("x"), wrong).await;
            is_corrupt("a put that does not name it", answer, Some(revision))?;
            is_corrupt("getting it then", backend.get(&key).await, Some(revision))?;
        }
        let next = sample::value("next");
        let over = Precondition::Revision(revision);
        // Sent again, it is answered as done.
        for _ in 0..2 {
            backend.put(&key, next.clone(), over).await?;
        }
        let held = place.handle().await?.get(&key).await?;
        look::is_value(&held, &next)?;
        same("the revisions kept", held.recent, vec![next.revision])?;
        let late = backend.put(&key, sample::value("late"), over).await;
        let conflict = fails("naming what is gone", late, ErrorKind::Conflict)?;
        same("the revision", conflict.actual_revision(), Some(next.revision))?;
    }
    Ok(())
}

async fn only_what_names_it_deletes_it(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    for junk in JUNK {
        let before = sample::value("before");
        backend.put(&key, before.clone(), Precondition::Absent).await?;
        let revision = damaged(&*place, &*backend, &key, junk).await?;
        for wrong in [before.revision, mint::revision()] {
            let answer = backend.delete(&key, wrong).await;
            is_corrupt("a deletion that does not name it", answer, Some(revision))?;
        }
        backend.delete(&key, revision).await?;
        let left = look::refusal(&*place.handle().await?, &key).await;
        same("what is left", left, Some(ErrorKind::Missing))?;
    }
    Ok(())
}

async fn that_changes_has_another_revision(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    backend.put(&key, sample::value("before"), Precondition::Absent).await?;
    let mut seen: Vec<Revision> = Vec::new();
    for junk in JUNK {
        let revision = damaged(&*place, &*backend, &key, junk).await?;
        ensure!(!seen.contains(&revision), "two damages have one revision");
        for former in &seen {
            let over = Precondition::Revision(*former);
            let answer = backend.put(&key, sample::value("x"), over).await;
            is_corrupt("a put that names another damage", answer, Some(revision))?;
        }
        seen.push(revision);
    }
    Ok(())
}
