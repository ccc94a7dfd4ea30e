//! Putting and deleting documents.

use std::sync::Arc;

use sessile_core::backend::{DocKey, NewDocument, Precondition};
use sessile_core::{Backend, Error, ErrorKind, Revision};

use crate::case::{Case, Running};
use crate::failed::{Failed, conflicts_with, fails, only, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::together::{handles, together};

const WRITERS: usize = 16;

pub(super) const CASES: &[Case] = &[
    Case::new("swap/what_was_put_is_served", &["DocumentsSwap", "records/2"], |place| {
        Box::pin(what_was_put_is_served(place))
    }),
    Case::new(
        "swap/absent_over_something_is_a_conflict",
        &["DocumentsSwap", "records/4"],
        |place| Box::pin(absent_over_something(place)),
    ),
    Case::new(
        "swap/a_stale_revision_is_a_conflict",
        &["DocumentsSwap", "records/5", "records/6", "OBJ-9"],
        |place| Box::pin(a_stale_revision(place)),
    ),
    Case::new("swap/a_revision_over_nothing_is_a_conflict", &["DocumentsSwap"], |place| {
        Box::pin(a_revision_over_nothing(place))
    }),
    Case::new(
        "swap/deleting_needs_the_revision",
        &["DocumentsSwap", "MissingIsMissing", "OBJ-9"],
        |place| Box::pin(deleting_needs_the_revision(place)),
    ),
    Case::new("swap/every_handle_sees_the_last_put", &["DocumentsSwap", "RES-1"], |place| {
        Box::pin(every_handle_sees_the_last_put(place))
    }),
    Case::new(
        "swap/one_of_many_wins_a_revision",
        &["DocumentsSwap", "RacesHaveOneWinner", "records/8", "CONC-6"],
        |place| Box::pin(one_of_many_wins(place, 60)),
    ),
    Case::new(
        "swap/one_of_many_wins_a_revision_a_thousand_times",
        &["DocumentsSwap", "RacesHaveOneWinner", "records/8", "OBJ-5"],
        |place| Box::pin(one_of_many_wins(place, 1_000)),
    )
    .full(),
    Case::new(
        "swap/one_of_many_puts_first",
        &["DocumentsSwap", "RacesHaveOneWinner", "records/8"],
        |place| Box::pin(one_of_many_puts_first(place)),
    ),
    Case::new(
        "swap/a_deletion_races_like_a_put",
        &["DocumentsSwap", "RacesHaveOneWinner"],
        |place| Box::pin(a_deletion_races_like_a_put(place)),
    ),
];

async fn what_was_put_is_served(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let value = sample::value("value");
    backend.put(&key, value.clone(), Precondition::Absent).await?;
    for handle in [&backend, &place.handle().await?] {
        let held = handle.get(&key).await?;
        look::is_value(&held, &value)?;
        same("the revisions kept", held.recent, vec![value.revision])?;
    }
    Ok(())
}

async fn absent_over_something(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let value = sample::value("value");
    let absent = Precondition::Absent;
    backend.put(&key, value.clone(), absent).await?;
    for handle in [&backend, &place.handle().await?] {
        // Not even where it would change nothing but the revision.
        for bytes in ["other", "value"] {
            let answer = handle.put(&key, sample::value(bytes), absent).await;
            conflicts_with("a second first put", answer, Some(value.revision))?;
        }
        look::is_value(&handle.get(&key).await?, &value)?;
    }
    Ok(())
}

async fn a_stale_revision(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let mut held = sample::value("0");
    backend.put(&key, held.clone(), Precondition::Absent).await?;
    for number in 1..5 {
        let stale = held.revision;
        held = sample::value(number.to_string());
        backend.put(&key, held.clone(), Precondition::Revision(stale)).await?;
        for wrong in [stale, mint::revision()] {
            let precondition = Precondition::Revision(wrong);
            let answer = backend.put(&key, sample::value("x"), precondition).await;
            conflicts_with("a put over another revision", answer, Some(held.revision))?;
            look::is_value(&backend.get(&key).await?, &held)?;
        }
    }
    Ok(())
}

async fn a_revision_over_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let precondition = Precondition::Revision(mint::revision());
    let answer = backend.put(&key, sample::value("x"), precondition).await;
    conflicts_with("a put over nothing", answer, None)?;
    same("what is there", look::refusal(&*backend, &key).await, Some(ErrorKind::Missing))?;
    let listed = look::documents(&*backend, &key.collection, 10).await?;
    same("the documents listed", listed, Vec::new())
}

async fn deleting_needs_the_revision(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let key = sample::document("c", "n")?;
    let first = sample::value("1");
    let second = sample::value("2");
    backend.put(&key, first.clone(), Precondition::Absent).await?;
    let over_first = Precondition::Revision(first.revision);
    backend.put(&key, second.clone(), over_first).await?;
    for wrong in [first.revision, mint::revision()] {
        let answer = backend.delete(&key, wrong).await;
        conflicts_with("deleting another revision", answer, Some(second.revision))?;
        look::is_value(&backend.get(&key).await?, &second)?;
    }
    backend.delete(&key, second.revision).await?;
    for handle in [&backend, &place.handle().await?] {
        let missing = ErrorKind::Missing;
        fails("getting what was deleted", handle.get(&key).await, missing)?;
        let answer = handle.delete(&key, second.revision).await;
        fails("deleting again", answer, missing)?;
    }
    let listed = look::documents(&*backend, &key.collection, 10).await?;
    same("the documents listed", listed, Vec::new())
}

async fn every_handle_sees_the_last_put(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backends = handles(&*place, 3).await?;
    let key = sample::document("c", "n")?;
    let mut precondition = Precondition::Absent;
    for (round, backend) in backends.iter().cycle().take(12).enumerate() {
        let value = sample::value(round.to_string());
        backend.put(&key, value.clone(), precondition).await?;
        for reader in &backends {
            look::is_value(&reader.get(&key).await?, &value)?;
        }
        precondition = Precondition::Revision(value.revision);
    }
    Ok(())
}

/// Puts a value of its own on each backend at once; answers the value that won.
async fn race(
    backends: &[Arc<dyn Backend>],
    key: &DocKey,
    precondition: Precondition,
) -> Result<NewDocument, Failed> {
    let tasks = backends.iter().enumerate().map(|(number, backend)| {
        let (backend, key) = (Arc::clone(backend), key.clone());
        async move {
            let value = sample::value(number.to_string());
            let answer = backend.put(&key, value.clone(), precondition).await;
            Ok((value, answer))
        }
    });
    let answers = together(tasks.collect()).await?;
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(_, answer)| answer.is_ok());
    let (winner, _) = only("the winners of a race", won)?;
    for (_, answer) in lost {
        conflicts_with("a loser", answer, Some(winner.revision))?;
    }
    Ok(winner)
}

async fn one_of_many_wins(place: Arc<dyn Place>, rounds: usize) -> Result<(), Failed> {
    let backends = handles(&*place, WRITERS).await?;
    let watcher = place.handle().await?;
    let key = sample::document("c", "n")?;
    let mut held = sample::value("first");
    watcher.put(&key, held.clone(), Precondition::Absent).await?;
    for _ in 0..rounds {
        held = race(&backends, &key, Precondition::Revision(held.revision)).await?;
        look::is_value(&watcher.get(&key).await?, &held)?;
    }
    Ok(())
}

async fn one_of_many_puts_first(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backends = handles(&*place, WRITERS).await?;
    for round in 0..10 {
        let key = sample::document("c", &round.to_string())?;
        let winner = race(&backends, &key, Precondition::Absent).await?;
        look::is_value(&place.handle().await?.get(&key).await?, &winner)?;
    }
    Ok(())
}

async fn a_deletion_races_like_a_put(place: Arc<dyn Place>) -> Result<(), Failed> {
    let watcher = place.handle().await?;
    let deleter = place.handle().await?;
    let putter = place.handle().await?;
    let key = sample::document("c", "n")?;
    for round in 0..30 {
        let held = sample::value("held");
        watcher.put(&key, held.clone(), Precondition::Absent).await?;
        let next = sample::value("next");
        let deletion = deleting(Arc::clone(&deleter), key.clone(), held.revision);
        let put = putting(Arc::clone(&putter), key.clone(), next.clone(), held.revision);
        let (deletion, put): (Running<Answer>, Running<Answer>) =
            (Box::pin(deletion), Box::pin(put));
        // Whoever is started last tends to be first.
        let is_turned = round % 2 == 1;
        let tasks = if is_turned { vec![put, deletion] } else { vec![deletion, put] };
        let mut answers = together(tasks).await?;
        if is_turned {
            answers.reverse();
        }
        match answers.as_mut_slice() {
            [Ok(()), lost @ Err(_)] => {
                conflicts_with("the put", std::mem::replace(lost, Ok(())), None)?;
                let left = look::refusal(&*watcher, &key).await;
                same("what is left", left, Some(ErrorKind::Missing))?;
            }
            [lost @ Err(_), Ok(())] => {
                let lost = std::mem::replace(lost, Ok(()));
                conflicts_with("the deletion", lost, Some(next.revision))?;
                watcher.delete(&key, next.revision).await?;
            }
            answers => {
                let won = answers.iter().filter(|answer| answer.is_ok()).count();
                return Err(Failed::new(format!("{won} won of a put and a deletion")));
            }
        }
    }
    Ok(())
}

/// What a backend answers to a put or a deletion.
type Answer = Result<(), Error>;

async fn deleting(
    backend: Arc<dyn Backend>,
    key: DocKey,
    revision: Revision,
) -> Result<Answer, Failed> {
    Ok(backend.delete(&key, revision).await)
}

async fn putting(
    backend: Arc<dyn Backend>,
    key: DocKey,
    value: NewDocument,
    over: Revision,
) -> Result<Answer, Failed> {
    Ok(backend.put(&key, value, Precondition::Revision(over)).await)
}
