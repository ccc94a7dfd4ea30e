//! What a checkpoint is put by and read as.

use std::sync::Arc;

use sessile_core::ErrorKind;
use sessile_records::Checkpoint;

use super::scene::{NAME, checkpoints, first, holds, moved_to, name, payload};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, fails, only, same};
use crate::fixture::Place;
use crate::together::together;

const WRITERS: usize = 8;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "record/checkpoint/that_never_was_is_missing_and_leaves_nothing",
        &["records/1"],
        |place| Box::pin(never_was(place)),
    )
    .needing(&[Need::Footprint]),
    Case::new("record/checkpoint/comes_back_as_it_was_put", &["records/2"], |place| {
        Box::pin(comes_back(place))
    }),
    Case::new("record/checkpoint/begins_at_zero", &["records/3"], |place| {
        Box::pin(begins_at_zero(place))
    }),
    Case::new("record/checkpoint/is_created_once", &["records/4"], |place| {
        Box::pin(is_created_once(place))
    }),
    Case::new(
        "record/checkpoint/is_followed_once_by_the_next_number_only",
        &["records/5", "records/6"],
        |place| Box::pin(is_followed_once(place)),
    ),
    Case::new("record/checkpoint/that_is_not_there_is_not_changed", &["records/7"], |place| {
        Box::pin(is_not_there(place))
    }),
    Case::new("record/checkpoint/one_of_many_follows_it", &["records/8"], |place| {
        Box::pin(one_of_many(place, 20))
    }),
    Case::new("record/checkpoint/one_of_many_follows_it_many_times", &["records/8"], |place| {
        let rounds = place.rounds(400);
        Box::pin(one_of_many(place, rounds))
    })
    .full(),
];

async fn never_was(place: Arc<dyn Place>) -> Result<(), Failed> {
    let told = |print| match print {
        Some(print) => Ok(print),
        None => Err(Failed::new("the place tells no footprint any more")),
    };
    let checkpoints = checkpoints(&*place).await?;
    let before = told(place.footprint().await?)?;
    fails("loading", checkpoints.load(&name()?).await, ErrorKind::Missing)?;
    let page = checkpoints.list(&[], None, 9).await?;
    ensure!(page.rows.is_empty() && page.next.is_none(), "something is listed");
    let changes = before.changes(&told(place.footprint().await?)?);
    ensure!(changes.is_empty(), "something was touched: {changes}");
    Ok(())
}

/// A checkpoint whose name is that of the others but for one bit.
fn look_alike(json: &str) -> Result<Checkpoint, Failed> {
    let mut other = first(json)?;
    other.name = NAME.to_uppercase().parse()?;
    Ok(other)
}

async fn comes_back(place: Arc<dyn Place>) -> Result<(), Failed> {
    let json = "{\"b\": 1.50,\"a\":18446744073709551616,\"b\":\"\\ud83d\\u0000\"}";
    let (one, other) = (checkpoints(&*place).await?, checkpoints(&*place).await?);
    let put = one.compare_and_swap(first(json)?, None).await?;
    let beside = other.compare_and_swap(look_alike("[]")?, None).await?;
    same("what was put", (put.number, put.payload.as_str()), (0, json))?;
    let given = first(json)?;
    same("whose it is", (&put.run, &put.kind, put.schema), (&given.run, &given.kind, 1))?;
    holds(&*place, &[&one, &other], &put).await?;
    holds(&*place, &[&one, &other], &beside).await
}

async fn begins_at_zero(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (checkpoints(&*place).await?, checkpoints(&*place).await?);
    other.compare_and_swap(look_alike("0")?, None).await?;
    let second = first("0")?.next(payload("1")?)?;
    let answer = one.compare_and_swap(second, None).await;
    fails("a first one of number 1", answer, ErrorKind::Conflict)?;
    for checkpoints in [&one, &other] {
        fails("loading it", checkpoints.load(&name()?).await, ErrorKind::Missing)?;
    }
    Ok(())
}

async fn is_created_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (checkpoints(&*place).await?, checkpoints(&*place).await?);
    let put = one.compare_and_swap(first("1")?, None).await?;
    for checkpoints in [&other, &one] {
        for json in ["1", "2"] {
            let answer = checkpoints.compare_and_swap(first(json)?, None).await;
            fails("a second first one", answer, ErrorKind::Conflict)?;
        }
    }
    holds(&*place, &[&one, &other], &put).await
}

async fn is_followed_once(place: Arc<dyn Place>) -> Result<(), Failed> {
    let held = moved_to(&*place, 4).await?;
    let (one, other) = (checkpoints(&*place).await?, checkpoints(&*place).await?);
    let numbered = |number| -> Result<Checkpoint, Failed> {
        let mut new = held.next(payload("5")?)?;
        new.number = number;
        Ok(new)
    };
    for checkpoints in [&one, &other] {
        for (number, expected) in [(6, 4), (4, 3), (5, 3), (4, 4), (5, 5)] {
            let answer = checkpoints.compare_and_swap(numbered(number)?, Some(expected)).await;
            fails("a number that does not follow", answer, ErrorKind::Conflict)?;
        }
    }
    holds(&*place, &[&one, &other], &held).await?;
    let put = one.compare_and_swap(numbered(5)?, Some(4)).await?;
    for checkpoints in [&one, &other] {
        let answer = checkpoints.compare_and_swap(numbered(5)?, Some(4)).await;
        fails("the same number again", answer, ErrorKind::Conflict)?;
    }
    holds(&*place, &[&one, &other], &put).await
}

async fn is_not_there(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (one, other) = (checkpoints(&*place).await?, checkpoints(&*place).await?);
    other.compare_and_swap(look_alike("0")?, None).await?;
    let second = || -> Result<Checkpoint, Failed> { Ok(first("0")?.next(payload("1")?)?) };
    for round in 0..2 {
        let answer = one.compare_and_swap(second()?, Some(0)).await;
        fails("a change of what is not there", answer, ErrorKind::Missing)?;
        fails("deleting it", one.delete(&name()?, 0).await, ErrorKind::Missing)?;
        if round == 0 {
            // What was there and was deleted is not there either.
            other.compare_and_swap(first("0")?, None).await?;
            holds(&*place, &[&one], &other.load(&name()?).await?).await?;
            other.delete(&name()?, 0).await?;
        }
    }
    Ok(())
}

async fn one_of_many(place: Arc<dyn Place>, rounds: usize) -> Result<(), Failed> {
    let mut handles = Vec::new();
    for _ in 0..WRITERS {
        handles.push(checkpoints(&*place).await?);
    }
    let watcher = checkpoints(&*place).await?;
    let mut held = watcher.compare_and_swap(first("0")?, None).await?;
    for _ in 0..rounds {
        let mut tasks = Vec::new();
        for (number, checkpoints) in handles.iter().enumerate() {
            let new = held.next(payload(&number.to_string())?)?;
            let (checkpoints, expected) = (checkpoints.clone(), held.number);
            tasks.push(async move { Ok(checkpoints.compare_and_swap(new, Some(expected)).await) });
        }
        let answers = together(tasks).await?;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        held = only("those who follow one number", won)??;
        for answer in lost {
            fails("a loser", answer, ErrorKind::Conflict)?;
        }
        same("what is there", &watcher.load(&name()?).await?, &held)?;
    }
    Ok(())
}
