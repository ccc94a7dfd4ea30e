//! The revisions of a document: which are remembered, and that none comes back.

use std::sync::Arc;

use sessile_core::backend::{NewDocument, Precondition, REVISIONS_KEPT};
use sessile_core::{Backend, ErrorKind, Revision};

use crate::case::Case;
use crate::failed::{Failed, conflicts_with, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;

pub(super) const CASES: &[Case] = &[
    Case::new("revision/the_last_sixteen_are_kept", &["RevisionsAreRemembered"], |place| {
        Box::pin(the_last_sixteen_are_kept(place))
    }),
    Case::new(
        "revision/a_put_sent_again_is_answered_as_done",
        &["RevisionsAreRemembered", "OBJ-1"],
        |place| Box::pin(a_put_sent_again(place)),
    ),
    Case::new(
        "revision/a_put_sent_again_after_others_stays_replaced",
        &["RevisionsAreRemembered", "OBJ-1"],
        |place| Box::pin(a_put_sent_again_after_others(place)),
    ),
    Case::new("revision/the_seventeenth_is_forgotten", &["RevisionsAreRemembered"], |place| {
        Box::pin(the_seventeenth_is_forgotten(place))
    }),
    Case::new(
        "revision/going_back_to_a_value_brings_none_back",
        &["RevisionsNeverReturn", "OBJ-5"],
        |place| Box::pin(going_back_to_a_value(place)),
    ),
    Case::new(
        "revision/deleting_and_putting_again_brings_none_back",
        &["RevisionsNeverReturn", "RET-3"],
        |place| Box::pin(deleting_and_putting_again(place)),
    ),
    Case::new(
        "revision/equal_values_differ_by_revision",
        &["RevisionsNeverReturn", "OBJ-5"],
        |place| Box::pin(equal_values_differ(place)),
    ),
];

/// Puts a number of values one over the other; answers them, oldest first.
async fn put_many(
    backend: &dyn Backend,
    name: &str,
    count: usize,
) -> Result<Vec<NewDocument>, Failed> {
    let key = sample::document("c", name)?;
    let mut precondition = Precondition::Absent;
    let mut values = Vec::with_capacity(count);
    for number in 0..count {
        let value = sample::value(number.to_string());
        backend.put(&key, value.clone(), precondition).await?;
        precondition = Precondition::Revision(value.revision);
        values.push(value);
    }
    Ok(values)
}

fn newest_first(values: &[NewDocument]) -> Vec<Revision> {
    let revisions = values.iter().rev().map(|value| value.revision);
    revisions.take(REVISIONS_KEPT).collect()
}

async fn the_last_sixteen_are_kept(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    for count in [1, 2, 15, 16, 17, 20, 40] {
        let name = count.to_string();
        let values = put_many(&*backend, &name, count).await?;
        let held = place.handle().await?.get(&sample::document("c", &name)?).await?;
        same("the revisions kept", held.recent, newest_first(&values))?;
    }
    Ok(())
}

async fn a_put_sent_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let mut precondition = Precondition::Absent;
    let mut revisions = Vec::new();
    for number in 0..3 {
        let value = sample::value(number.to_string());
        revisions.insert(0, value.revision);
        for handle in [&backend, &backend, &place.handle().await?] {
            handle.put(&key, value.clone(), precondition).await?;
            let held = backend.get(&key).await?;
            look::is_value(&held, &value)?;
            same("the revisions kept", &held.recent, &revisions)?;
        }
        precondition = Precondition::Revision(value.revision);
    }
    Ok(())
}

async fn a_put_sent_again_after_others(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let values = put_many(&*backend, "n", 9).await?;
    let mut precondition = Precondition::Absent;
    let last = values.last().cloned().unwrap_or_else(|| sample::value(""));
    for value in values.iter().take(8) {
        for handle in [&backend, &place.handle().await?] {
            handle.put(&key, value.clone(), precondition).await?;
            let held = handle.get(&key).await?;
            look::is_value(&held, &last)?;
            same("the revisions kept", held.recent, newest_first(&values))?;
        }
        precondition = Precondition::Revision(value.revision);
    }
    Ok(())
}

async fn the_seventeenth_is_forgotten(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let values = put_many(&*backend, "n", REVISIONS_KEPT + 1).await?;
    let [first, second, .., last] = values.as_slice() else {
        return Err(Failed::new("too few values"));
    };
    let answer = backend.put(&key, first.clone(), Precondition::Absent).await;
    conflicts_with("what is no longer remembered", answer, Some(last.revision))?;
    let over_first = Precondition::Revision(first.revision);
    backend.put(&key, second.clone(), over_first).await?;
    look::is_value(&backend.get(&key).await?, last)
}

async fn going_back_to_a_value(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let first = sample::value("A");
    backend.put(&key, first.clone(), Precondition::Absent).await?;
    let mut held = first.clone();
    for bytes in ["B", "A", "B", "A"] {
        let next = sample::value(bytes);
        let precondition = Precondition::Revision(held.revision);
        backend.put(&key, next.clone(), precondition).await?;
        held = next;
        for handle in [&backend, &place.handle().await?] {
            let old = Precondition::Revision(first.revision);
            let answer = handle.put(&key, sample::value("C"), old).await;
            conflicts_with("the revision of an equal value", answer, Some(held.revision))?;
            let answer = handle.delete(&key, first.revision).await;
            conflicts_with("deleting by it", answer, Some(held.revision))?;
        }
        look::is_value(&backend.get(&key).await?, &held)?;
    }
    Ok(())
}

async fn deleting_and_putting_again(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let absent = Precondition::Absent;
    let mut old = Vec::new();
    for _ in 0..3 {
        let value = sample::value("value");
        backend.put(&key, value.clone(), absent).await?;
        for revision in &old {
            let precondition = Precondition::Revision(*revision);
            let answer = backend.put(&key, sample::value("x"), precondition).await;
            conflicts_with("a revision of before", answer, Some(value.revision))?;
            let answer = backend.delete(&key, *revision).await;
            conflicts_with("deleting by it", answer, Some(value.revision))?;
        }
        let held = place.handle().await?.get(&key).await?;
        look::is_value(&held, &value)?;
        backend.delete(&key, value.revision).await?;
        let precondition = Precondition::Revision(value.revision);
        let answer = backend.put(&key, sample::value("x"), precondition).await;
        conflicts_with("a stale put after a deletion", answer, None)?;
        let answer = backend.delete(&key, value.revision).await;
        fails("a stale deletion", answer, ErrorKind::Missing)?;
        old.push(value.revision);
    }
    Ok(())
}

async fn equal_values_differ(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let first = sample::document("c", "n")?;
    let second = sample::document("c", "m")?;
    let values = [sample::value("value"), sample::value("value")];
    for (key, value) in [&first, &second].into_iter().zip(&values) {
        backend.put(key, value.clone(), Precondition::Absent).await?;
    }
    for (key, value) in [&first, &second].into_iter().zip(values.iter().rev()) {
        let precondition = Precondition::Revision(value.revision);
        let answer = backend.put(key, sample::value("x"), precondition).await;
        ensure!(answer.is_err(), "another document's revision was taken");
    }
    let next = sample::value("value");
    let [held, _] = &values;
    let precondition = Precondition::Revision(held.revision);
    backend.put(&first, next.clone(), precondition).await?;
    look::is_value(&backend.get(&first).await?, &next)?;
    let answer = backend.put(&first, sample::value("x"), precondition).await;
    conflicts_with("the revision of the same bytes before", answer, Some(next.revision))
}
