//! Checkpoints that are damaged, out of reach, or whose answers are lost.

use std::sync::Arc;

use sessile_core::{ErrorKind, Revision, Space};
use sessile_interchange::binding::Continuing;
use sessile_interchange::snapshot::OwnSnapshot;
use sessile_records::{Bindings, Checkpoints, Class, Effects, Snapshots};

use super::scene::{
    NAME, checkpoints, document, first, holds, is_corrupt, keyed, moved_to, name, payload, put_past,
};
use super::scene::{Outside, effects};
use crate::case::{Case, Need};
use crate::failed::{Failed, fails, same};
use crate::fixture::Place;
use crate::lossy::Lossy;
use crate::mint;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "record/distress/what_does_not_decode_is_kept_until_named",
        &["records/11"],
        |place| Box::pin(does_not_decode(place)),
    ),
    Case::new("record/distress/what_was_damaged_is_kept_until_named", &["records/11"], |place| {
        Box::pin(was_damaged(place))
    })
    .needing(&[Need::Damage]),
    Case::new("record/distress/a_place_out_of_reach_is_not_empty", &["records/12"], |place| {
        Box::pin(out_of_reach(place))
    }),
    Case::new("record/distress/a_lost_answer_is_found_out", &["OBJ-1"], |place| {
        Box::pin(a_lost_answer(place))
    }),
];

/// Fails unless a checkpoint is *corrupt* with a revision, and replaced only by what names it.
async fn kept_until_named(place: &dyn Place, revision: Revision) -> Result<(), Failed> {
    let (one, other) = (checkpoints(place).await?, checkpoints(place).await?);
    for checkpoints in [&one, &other] {
        is_corrupt("loading", checkpoints.load(&name()?).await, revision)?;
        let second = first("1")?.next(payload("2")?)?;
        let swap = checkpoints.compare_and_swap(second, Some(0)).await;
        is_corrupt("a swap", swap, revision)?;
        is_corrupt("deleting", checkpoints.delete(&name()?, 0).await, revision)?;
        let force = checkpoints.force(first("3")?, mint::revision()).await;
        is_corrupt("a put that names another", force, revision)?;
        let created = checkpoints.compare_and_swap(first("1")?, None).await;
        if created.is_ok() {
            return Err(Failed::new("it was taken for absent"));
        }
        is_corrupt("loading again", checkpoints.load(&name()?).await, revision)?;
    }
    let page = other.list(&[], None, 9).await?;
    let listed = page.rows.iter().map(|row| (row.name.as_str(), row.checkpoint.is_ok()));
    same("what is listed", listed.collect(), vec![(NAME, false)])?;
    let put = one.force(first("3")?, revision).await?;
    holds(place, &[&one, &other], &put).await
}

async fn does_not_decode(place: Arc<dyn Place>) -> Result<(), Failed> {
    for junk in ["", "{\"format\":1,\"name\":\"job\"}", "[]"] {
        let revision = put_past(&*place.handle().await?, junk).await?;
        kept_until_named(&*place, revision).await?;
    }
    Ok(())
}

async fn was_damaged(place: Arc<dyn Place>) -> Result<(), Failed> {
    moved_to(&*place, 1).await?;
    let damage = place.damage().ok_or_else(|| Failed::new("the place can't be damaged now"))?;
    damage.damage_document(&document()?, b"{\"format\":1,\"name\":").await?;
    let answer = checkpoints(&*place).await?.load(&name()?).await;
    let error = fails("loading what was damaged", answer, ErrorKind::Corrupt)?;
    let revision = error.actual_revision();
    let revision = revision.ok_or_else(|| Failed::new("it names no revision"))?;
    kept_until_named(&*place, revision).await
}

async fn out_of_reach(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let (backend, beside): (Arc<Lossy>, Arc<Lossy>) = (Arc::clone(&line), Arc::clone(&line));
    let behind = Checkpoints::on(backend, Space::default());
    let effects_behind = Effects::on(beside, Space::default());
    let (outside, request) = (Outside::default(), keyed("e", Class::Pure)?);
    let held = behind.compare_and_swap(first("0")?, None).await?;
    line.cut(true);
    let unavailable = ErrorKind::Unavailable;
    let next = held.next(payload("1")?)?;
    fails("loading", behind.load(&name()?).await, unavailable)?;
    fails("creating", behind.compare_and_swap(first("0")?, None).await, unavailable)?;
    fails("a swap", behind.compare_and_swap(next.clone(), Some(0)).await, unavailable)?;
    fails("deleting", behind.delete(&name()?, 0).await, unavailable)?;
    fails("listing", behind.list(&[], None, 9).await, unavailable)?;
    fails("an effect", outside.execute(&effects_behind, &request).await, unavailable)?;
    fails("loading an effect", effects_behind.load(&request.id).await, unavailable)?;
    same("how often it was done", outside.count(), 0)?;
    let (backend, beside): (Arc<Lossy>, Arc<Lossy>) = (Arc::clone(&line), Arc::clone(&line));
    let bindings = Bindings::on(backend, Space::default());
    fails("reading a binding", bindings.get("ctx").await, unavailable)?;
    // Which would begin a conversation anew.
    let plan = bindings.plan(Continuing::IfAny, Some("ctx")).await;
    fails("planning a turn", plan, unavailable)?;
    let snapshots = Snapshots::on(beside, Space::default());
    // Which would begin a run anew.
    fails("loading a snapshot", snapshots.load::<OwnSnapshot>(&name()?).await, unavailable)?;
    line.cut(false);
    let put = behind.compare_and_swap(next, Some(0)).await?;
    outside.execute(&effects_behind, &request).await?;
    let again = outside.execute(&effects(&*place).await?, &request).await?;
    same("whether it was answered from what was stored", again.replayed, true)?;
    holds(&*place, &[&behind], &put).await
}

async fn a_lost_answer(place: Arc<dyn Place>) -> Result<(), Failed> {
    let line = Lossy::to(place.handle().await?);
    let backend: Arc<Lossy> = Arc::clone(&line);
    let behind = Checkpoints::on(backend, Space::default());
    line.lose_answers(1);
    let mut held = behind.compare_and_swap(first("0")?, None).await?;
    for lost in [1, 2] {
        line.lose_answers(lost);
        let expected = held.number;
        held = behind.compare_and_swap(held.next(payload("1")?)?, Some(expected)).await?;
        holds(&*place, &[&behind], &held).await?;
    }
    line.lose_answers(1);
    behind.delete(&name()?, held.number).await?;
    let other = checkpoints(&*place).await?;
    fails("loading it", other.load(&name()?).await, ErrorKind::Missing)?;
    Ok(())
}
