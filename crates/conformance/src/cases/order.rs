//! The order of commits and the numbers of entries.

use std::sync::Arc;

use sessile_core::backend::{Expected, Span};
use sessile_core::{Commit, ErrorKind, NewEntry, Seq, StoredCommit, UnixMillis};

use crate::case::Case;
use crate::failed::{Failed, ensure, fails, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "order/is_that_of_appending_and_not_of_times",
        &["CommitsAreOrdered", "ORD-1", "ORD-2", "CLK-2"],
        |place| Box::pin(is_that_of_appending(place)),
    ),
    Case::new(
        "order/numbers_go_on_where_others_stopped",
        &["CommitsAreOrdered", "records/13", "LOST-3"],
        |place| Box::pin(numbers_go_on(place)),
    ),
    Case::new("order/numbers_may_leave_gaps", &["CommitsAreOrdered"], |place| {
        Box::pin(numbers_may_leave_gaps(place))
    }),
    Case::new(
        "order/a_number_below_the_end_is_a_conflict",
        &["CommitsAreOrdered", "AppendIsConditional", "LOST-3"],
        |place| Box::pin(a_number_below_the_end_is_a_conflict(place)),
    ),
    Case::new("order/each_commit_names_the_one_before", &["CommitsAreOrdered"], |place| {
        Box::pin(each_commit_names_the_one_before(place))
    }),
];

/// A commit of messages with these numbers; zero leaves the choice to the journal.
fn numbered(numbers: &[u64]) -> Result<Commit, Failed> {
    let entry = |number: &u64| -> Result<NewEntry, Failed> {
        let mut entry = sample::message(&format!("number {number}"))?;
        entry.seq = Seq::new(*number).filter(|seq| *seq != Seq::FIRST);
        Ok(entry)
    };
    sample::commit(numbers.iter().map(entry).collect::<Result<_, _>>()?)
}

fn numbers_of(commits: &[StoredCommit]) -> Vec<u64> {
    let entries = commits.iter().flat_map(|commit| &commit.entries);
    entries.map(|entry| entry.seq.number()).collect()
}

async fn is_that_of_appending(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let times = [5_000, 3_000, 3_000, 9_000_000_000_000, 0, 3_000, 1];
    for (number, at) in times.into_iter().enumerate() {
        let entry = sample::message_at(UnixMillis(at), &number.to_string())?;
        writer.append(&sample::commit(vec![entry])?).await?;
    }
    let commits = look::read(&*place.handle().await?, &writer.key, Span::ALL).await?;
    let expected: Vec<String> = (0..times.len()).map(|number| number.to_string()).collect();
    same("the texts", look::texts_of(&commits)?, expected)?;
    let served: Vec<u64> = commits
        .iter()
        .skip(1)
        .flat_map(|commit| commit.entries.iter().map(|entry| entry.at.millis()))
        .collect();
    same("the times", served, times.to_vec())
}

async fn numbers_go_on(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for _ in 0..3 {
        // Each handle is one that has not seen what was there before.
        writer = writer.on(&place.handle().await?);
        let first = writer.tip.position.seq();
        let messages = ["a", "b", "c"].map(sample::message);
        let commit = sample::commit(messages.into_iter().collect::<Result<_, _>>()?)?;
        let appended = writer.append(&commit).await?;
        same("the first number", Some(appended.first), first)?;
        let stored = look::read(&*writer.backend, &writer.key, Span::ALL).await?;
        look::stands(&stored, &commit, &appended)?;
    }
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    same("the numbers", numbers_of(&commits), (0..10).collect())
}

async fn numbers_may_leave_gaps(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for (given, tip) in [
        (&[7][..], 8),
        (&[0], 9),
        (&[9, 20, 0, 1_000], 1_001),
        (&[0, 9_007_199_254_740_000], 9_007_199_254_740_001),
    ] {
        let commit = numbered(given)?;
        let appended = writer.append(&commit).await?;
        same("the position", appended.tip.position.number(), tip)?;
        let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
        look::stands(&commits, &commit, &appended)?;
    }
    let commits = look::read(&*place.handle().await?, &writer.key, Span::ALL).await?;
    let expected = [0, 7, 8, 9, 20, 21, 1_000, 1_001, 9_007_199_254_740_000];
    same("the numbers", numbers_of(&commits), expected.to_vec())
}

async fn a_number_below_the_end_is_a_conflict(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one", "two"]).await?;
    writer.append(&numbered(&[10])?).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let batches = [
        vec![numbered(&[2])?],
        vec![numbered(&[10])?],
        vec![numbered(&[5, 12])?],
        // The first would be welcome; the second is not, once the first stands.
        vec![numbered(&[11, 0])?, numbered(&[12])?],
    ];
    for batch in batches {
        let answer = backend.append(&writer.key, Expected::At(writer.tip), batch).await;
        fails("a number that is taken", answer, ErrorKind::Conflict)?;
        look::unchanged(&*backend, &writer.key, &before).await?;
    }
    writer.append(&numbered(&[11])?).await?;
    Ok(())
}

async fn each_commit_names_the_one_before(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one", "two"]).await?;
    let batch = vec![sample::saying("three")?, sample::saying("four")?];
    let answers = backend.append(&writer.key, Expected::At(writer.tip), batch).await?;
    writer.tip = answers.last().map_or(writer.tip, |last| last.tip);
    writer.on(&place.handle().await?).say("five").await?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    let mut before: Option<&StoredCommit> = None;
    for commit in &commits {
        let prev = before.map(|before| before.token);
        same("what a commit follows", commit.prev, prev)?;
        let end = before.map_or(0, |before| before.tip().position.number());
        ensure!(
            commit.synced.number() <= end,
            "a commit at {end} says that all before {} was durable",
            commit.synced
        );
        before = Some(commit);
    }
    Ok(())
}
