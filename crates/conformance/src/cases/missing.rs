//! What never was.

use std::sync::Arc;

use sessile_core::backend::{Capability, Expected, Precondition, Scope, Span};
use sessile_core::{Backend, ErrorKind, Position, SessionKey, Tip};

use crate::case::{Case, Need};
use crate::failed::{Failed, conflicts_with, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "missing/a_session_that_never_was",
        &["MissingIsMissing", "records/1", "OBJ-9"],
        |place| Box::pin(a_session_that_never_was(place)),
    ),
    Case::new("missing/a_session_beside_others", &["MissingIsMissing"], |place| {
        Box::pin(a_session_beside_others(place))
    }),
    Case::new("missing/to_rewrite", &["MissingIsMissing"], |place| Box::pin(to_rewrite(place)))
        .needing(&[Need::Has(Capability::Rewrite)]),
    Case::new("missing/to_mask", &["MissingIsMissing"], |place| Box::pin(to_mask(place)))
        .needing(&[Need::Has(Capability::Mask)]),
    Case::new("missing/to_purge", &["MissingIsMissing"], |place| Box::pin(to_purge(place)))
        .needing(&[Need::Has(Capability::Purge)]),
    Case::new(
        "missing/a_document_that_never_was",
        &["MissingIsMissing", "records/1", "OBJ-9"],
        |place| Box::pin(a_document_that_never_was(place)),
    ),
    Case::new("missing/nothing_is_listed_where_nothing_is", &["MissingIsMissing"], |place| {
        Box::pin(nothing_is_listed(place))
    }),
];

/// A tip that a journal could have.
fn some_tip() -> Tip {
    Tip { position: Position::new(3).unwrap_or(Position::START), token: Some(mint::token()) }
}

/// Fails unless every call on a session that every backend has says that it is missing.
async fn is_missing(backend: &dyn Backend, key: &SessionKey) -> Result<(), Failed> {
    let missing = ErrorKind::Missing;
    fails("head", backend.head(key).await, missing)?;
    fails("set_aside", backend.set_aside(key).await, missing)?;
    for span in [Span::ALL, Span::From(look::seq(7)?)] {
        fails("read", backend.read(key, span).await, missing)?;
    }
    for expected in [Expected::End, Expected::At(some_tip())] {
        let commits = vec![sample::saying("x")?];
        let answer = backend.append(key, expected, commits).await;
        fails("append", answer, missing)?;
    }
    for tip in [some_tip(), Tip::ABSENT] {
        let answer = backend.remove(key, tip, sample::tombstone()?).await;
        fails("remove", answer, missing)?;
    }
    look::no_session(backend, key).await
}

async fn a_session_that_never_was(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    is_missing(&*backend, &key).await?;
    is_missing(&*place.handle().await?, &key).await?;
    Writer::create(&backend, &key).await?;
    Ok(())
}

async fn a_session_beside_others(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    Writer::saying(&backend, "s1", &["one"]).await?;
    let mut deleted = Writer::saying(&backend, "s2", &["one"]).await?;
    deleted.remove().await?;
    for key in [
        sample::key("s")?,
        sample::key("s1.")?,
        sample::key("s11")?,
        sample::key_in("other", "s1")?,
        sample::key_in("other", "s2")?,
    ] {
        is_missing(&*backend, &key).await?;
    }
    Ok(())
}

async fn to_rewrite(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    let key = sample::key("s2")?;
    let answer = backend.rewrite(&key, writer.tip, look::served(commits)).await;
    fails("rewrite", answer, ErrorKind::Missing)?;
    look::no_session(&*backend, &key).await
}

async fn to_mask(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    let answer = backend.mask(&key, some_tip(), vec![look::seq(1)?]).await;
    fails("mask", answer, ErrorKind::Missing)?;
    look::no_session(&*backend, &key).await
}

async fn to_purge(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::key("s1")?;
    fails("purge", backend.purge(&key).await, ErrorKind::Missing)?;
    look::no_session(&*backend, &key).await
}

async fn a_document_that_never_was(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let neighbour = sample::document("c", "n")?;
    let absent = Precondition::Absent;
    backend.put(&neighbour, sample::value("v"), absent).await?;
    for (collection, name) in [("c", "m"), ("d", "n"), ("c", "n/"), ("c/n", "n")] {
        let key = sample::document(collection, name)?;
        fails("get", backend.get(&key).await, ErrorKind::Missing)?;
        let answer = backend.delete(&key, mint::revision()).await;
        fails("delete", answer, ErrorKind::Missing)?;
        let precondition = Precondition::Revision(mint::revision());
        let answer = backend.put(&key, sample::value("v"), precondition).await;
        conflicts_with("a put over nothing", answer, None)?;
        same("what is there", look::refusal(&*backend, &key).await, Some(ErrorKind::Missing))?;
    }
    Ok(())
}

async fn nothing_is_listed(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let space = "default".parse()?;
    let empty = [
        backend.journals(&space, None, 10).await?.len(),
        backend.recent(&space, &Scope::ALL, None, 10).await?.len(),
        backend.spaces(None, 10).await?.len(),
        backend.documents(&sample::collection("c")?, None, 10).await?.len(),
    ];
    same("how many rows the lists of an empty place have", empty, [0; 4])
}
