//! Removing a deleted journal but for its tombstone.

use std::sync::Arc;

use sessile_core::backend::{Capability, DocKey, Expected, NewDocument, Precondition, Span};
use sessile_core::{Backend, ErrorKind};

use crate::case::{Case, Need};
use crate::cases::tombstone;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

const PURGE: &[Need] = &[Need::Has(Capability::Purge)];

pub(super) const CASES: &[Case] = &[
    Case::new("purge/leaves_only_the_tombstone", &["TombstonesHold", "RET-2", "RET-8"], |place| {
        Box::pin(leaves_only_the_tombstone(place))
    })
    .needing(PURGE),
    Case::new("purge/is_final", &["TombstonesHold", "RET-3", "RET-8"], |place| {
        Box::pin(is_final(place))
    })
    .needing(PURGE),
    Case::new("purge/may_be_asked_for_twice", &["TombstonesHold", "RET-7"], |place| {
        Box::pin(may_be_asked_for_twice(place))
    })
    .needing(PURGE),
    Case::new("purge/spares_what_is_not_deleted", &["TombstonesHold"], |place| {
        Box::pin(spares_what_is_not_deleted(place))
    })
    .needing(PURGE),
    Case::new(
        "purge/takes_the_documents_of_its_session_only",
        &["TombstonesHold", "RET-2"],
        |place| Box::pin(takes_its_documents_only(place)),
    )
    .needing(PURGE),
    Case::new("purge/touches_no_neighbour", &["TombstonesHold", "OBJ-4", "RET-5"], |place| {
        Box::pin(touches_no_neighbour(place))
    })
    .needing(PURGE),
];

async fn leaves_only_the_tombstone(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["secret", "secret too"]).await?;
    let stale = writer.tip;
    writer.remove().await?;
    let before = backend.head(&writer.key).await?;
    backend.purge(&writer.key).await?;
    for handle in [&backend, &place.handle().await?] {
        let head = handle.head(&writer.key).await?;
        ensure!(head.change != before.change, "the change token is the same");
        ensure!(head.deleted, "a purged journal is told as living");
        same("the tip", head.tip, writer.tip)?;
        let seen = look::seen(&**handle, &writer.key).await?;
        ensure!(!seen.holds("secret"), "a purged journal serves its messages");
        tombstone::is_deleted(&**handle, &writer.key, writer.tip, stale).await?;
    }
    Ok(())
}

async fn is_final(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one", "two"]).await?;
    writer.remove().await?;
    backend.purge(&writer.key).await?;
    for handle in [&backend, &place.handle().await?] {
        for expected in [Expected::At(writer.tip), Expected::End] {
            let commits = vec![sample::undeletion()?];
            let answer = handle.append(&writer.key, expected, commits).await;
            fails("an undelete after purge", answer, ErrorKind::Deleted)?;
        }
    }
    Ok(())
}

async fn may_be_asked_for_twice(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    writer.remove().await?;
    for handle in [&backend, &backend, &place.handle().await?] {
        handle.purge(&writer.key).await?;
        let head = handle.head(&writer.key).await?;
        same("the tip", head.tip, writer.tip)?;
    }
    Ok(())
}

async fn spares_what_is_not_deleted(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    for _ in 0..2 {
        let before = look::seen(&*backend, &writer.key).await?;
        let answer = backend.purge(&writer.key).await;
        fails("purging a living journal", answer, ErrorKind::Conflict)?;
        look::unchanged(&*backend, &writer.key, &before).await?;
        writer.remove().await?;
        writer.append(&sample::undeletion()?).await?;
    }
    Ok(())
}

async fn put(backend: &dyn Backend, key: &DocKey, session: Option<&str>) -> Result<(), Failed> {
    let document =
        NewDocument { session: session.map(str::parse).transpose()?, ..sample::value("v") };
    Ok(backend.put(key, document, Precondition::Absent).await?)
}

async fn takes_its_documents_only(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let own = [sample::document("c", "own")?, sample::document("d", "own")?];
    for key in &own {
        put(&*backend, key, Some("s1")).await?;
    }
    let mut elsewhere = sample::document("c", "own")?;
    elsewhere.collection.space = "other".parse()?;
    let others = [
        (sample::document("c", "s1")?, None),
        (sample::document("c", "other")?, Some("s10")),
        (sample::document("s1", "case")?, Some("S1")),
        (elsewhere, Some("s1")),
    ];
    for (key, session) in &others {
        put(&*backend, key, *session).await?;
    }
    writer.remove().await?;
    backend.purge(&writer.key).await?;
    for handle in [&backend, &place.handle().await?] {
        for key in &own {
            let refusal = look::refusal(&**handle, key).await;
            same("a document of the session", refusal, Some(ErrorKind::Missing))?;
        }
        for (key, _) in &others {
            same("another document", look::refusal(&**handle, key).await, None)?;
        }
        let listed = look::documents(&**handle, &sample::collection("d")?, 10).await?;
        same("the documents of a purged session", listed, Vec::new())?;
    }
    Ok(())
}

async fn touches_no_neighbour(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut neighbours = Vec::new();
    for key in [
        sample::key("s10")?,
        sample::key("s1-x")?,
        sample::key("S1")?,
        sample::key("s1.jsonl")?,
        sample::key_in("other", "s1")?,
        sample::key_in("s1", "s1")?,
    ] {
        let mut writer = Writer::create(&backend, &key).await?;
        writer.say(&key.to_string()).await?;
        neighbours.push((look::seen(&*backend, &key).await?, writer));
    }
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    writer.remove().await?;
    backend.purge(&writer.key).await?;
    for (before, mut neighbour) in neighbours {
        look::unchanged(&*backend, &neighbour.key, &before).await?;
        neighbour.say("two").await?;
        let commits = look::read(&*backend, &neighbour.key, Span::ALL).await?;
        same("how many commits", commits.len(), 3)?;
    }
    Ok(())
}
