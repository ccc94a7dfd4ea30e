//! Deleted journals.

use std::sync::Arc;

use sessile_core::backend::{Capability, Expected, Span};
use sessile_core::{Backend, ErrorKind, SessionKey, StoredCommit, Tip};

use crate::case::{Case, Need};
use crate::failed::{Failed, conflicts_at, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("tombstone/refuses_every_append", &["TombstonesHold", "RET-3", "RET-8"], |place| {
        Box::pin(refuses_every_append(place))
    }),
    Case::new(
        "tombstone/holds_for_handles_that_were_open_before",
        &["TombstonesHold", "RET-3"],
        |place| Box::pin(holds_for_open_handles(place)),
    ),
    Case::new("tombstone/leaves_everything_readable", &["TombstonesHold"], |place| {
        Box::pin(leaves_everything_readable(place))
    }),
    Case::new(
        "tombstone/is_set_where_the_remover_thinks_the_end_is",
        &["TombstonesHold", "AppendIsConditional"],
        |place| Box::pin(is_set_at_the_tip(place)),
    ),
    Case::new("tombstone/has_a_delete_entry", &["TombstonesHold"], |place| {
        Box::pin(has_a_delete_entry(place))
    }),
    Case::new("tombstone/is_taken_back_by_undelete", &["TombstonesHold"], |place| {
        Box::pin(is_taken_back_by_undelete(place))
    }),
    Case::new("tombstone/refuses_rewriting_and_masking", &["TombstonesHold"], |place| {
        Box::pin(refuses_rewriting_and_masking(place))
    })
    .needing(&[Need::Has(Capability::Rewrite), Need::Has(Capability::Mask)]),
];

/// Fails unless every kind of append is answered *deleted*: before any conflict, and whoever asks.
pub(super) async fn is_deleted(
    backend: &dyn Backend,
    key: &SessionKey,
    tip: Tip,
    stale: Tip,
) -> Result<(), Failed> {
    let deleted = ErrorKind::Deleted;
    for (what, expected) in [
        ("an append at the tip", Expected::At(tip)),
        ("an append at a stale tip", Expected::At(stale)),
        ("an append at the end", Expected::End),
        ("a new creation", Expected::At(Tip::ABSENT)),
    ] {
        for commit in [
            sample::saying("x")?,
            sample::creation(key)?,
            sample::commit(vec![sample::entry("barrier", "{}")?])?,
        ] {
            let answer = backend.append(key, expected, vec![commit]).await;
            fails(what, answer, deleted)?;
        }
    }
    for tip in [tip, stale] {
        let answer = backend.remove(key, tip, sample::tombstone()?).await;
        fails("another removal", answer, deleted)?;
    }
    Ok(())
}

async fn refuses_every_append(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let stale = writer.tip;
    writer.remove().await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for handle in [&backend, &place.handle().await?] {
        is_deleted(&**handle, &writer.key, writer.tip, stale).await?;
    }
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn holds_for_open_handles(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let other = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let mut late = writer.on(&other);
    late.say("two").await?;
    writer.tip = late.tip;
    writer.remove().await?;
    is_deleted(&*other, &late.key, writer.tip, late.tip).await?;
    let head = other.head(&late.key).await?;
    ensure!(head.deleted, "a handle that was open sees it living");
    Ok(())
}

async fn leaves_everything_readable(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one", "two"]).await?;
    let before = look::read(&*backend, &writer.key, Span::ALL).await?;
    writer.remove().await?;
    let after = look::read(&*place.handle().await?, &writer.key, Span::ALL).await?;
    ensure!(
        after.starts_with(&before) && after.len() == before.len() + 1,
        "a deleted journal serves other commits than before"
    );
    let tip = after.last().map(StoredCommit::tip);
    same("the end of the tombstone", tip, Some(writer.tip))?;
    let listed = look::journals(&*backend, &writer.key.space, 10).await?;
    same("the journals listed", listed, vec![writer.key.id.clone()])?;
    let listed = look::recent_ids(&*backend, &writer.key.space, 10).await?;
    same("the heads listed", listed, vec![writer.key.id])
}

async fn is_set_at_the_tip(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let stale = writer.tip;
    writer.say("two").await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for tip in [stale, Tip::ABSENT] {
        let answer = backend.remove(&writer.key, tip, sample::tombstone()?).await;
        conflicts_at("a removal elsewhere", answer, writer.tip.position)?;
    }
    look::unchanged(&*backend, &writer.key, &before).await?;
    let removed = writer.remove().await?;
    ensure!(!removed.replayed, "the first removal is no replay");
    Ok(())
}

async fn has_a_delete_entry(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let answer = backend.remove(&writer.key, writer.tip, sample::saying("x")?).await;
    fails("a tombstone without `delete`", answer, ErrorKind::Refused)?;
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn is_taken_back_by_undelete(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let stale = writer.tip;
    writer.remove().await?;
    let commits = vec![sample::undeletion()?];
    let answer = backend.append(&writer.key, Expected::At(stale), commits).await;
    conflicts_at("an undelete elsewhere", answer, writer.tip.position)?;
    let mut other = writer.on(&place.handle().await?);
    // A `state` may ride before what a caller appends.
    let undelete = sample::entry("undelete", "{}")?;
    let derived = sample::entry("state", "{}")?;
    other.append(&sample::commit(vec![derived, undelete])?).await?;
    writer.tip = other.tip;
    writer.say("two").await?;
    let texts = look::texts(&*place.handle().await?, &writer.key).await?;
    same("the texts", texts, vec!["one".into(), "two".into()])?;
    writer.remove().await?;
    is_deleted(&*backend, &writer.key, writer.tip, stale).await
}

async fn refuses_rewriting_and_masking(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    writer.remove().await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    let answer = backend.rewrite(&writer.key, writer.tip, look::served(commits)).await;
    fails("rewriting", answer, ErrorKind::Deleted)?;
    let seqs = vec![look::seq(1)?];
    let answer = backend.mask(&writer.key, writer.tip, seqs).await;
    fails("masking", answer, ErrorKind::Deleted)?;
    look::unchanged(&*backend, &writer.key, &before).await
}
