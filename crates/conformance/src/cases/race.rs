//! Several writers of one journal at once, each on a handle of its own.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::backend::{Appended, Expected, Span};
use sessile_core::{Backend, Commit, Error, ErrorKind, SessionKey, Tip};

use crate::case::{Case, Running};
use crate::failed::{Failed, conflicts_at, ensure, only, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::together::{handles, together};
use crate::writer::Writer;

const WRITERS: usize = 16;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "race/one_of_many_wins_a_tip",
        &["RacesHaveOneWinner", "records/8", "CONC-6"],
        |place| Box::pin(one_of_many_wins_a_tip(place, 25)),
    ),
    Case::new(
        "race/one_of_many_wins_a_tip_a_thousand_times",
        &["RacesHaveOneWinner", "records/8", "CONC-6"],
        |place| Box::pin(one_of_many_wins_a_tip(place, 1_000)),
    )
    .full(),
    Case::new(
        "race/one_of_many_creates",
        &["RacesHaveOneWinner", "CreateIsExclusive", "records/8"],
        |place| Box::pin(one_of_many_creates(place)),
    ),
    Case::new("race/one_of_many_tasks_of_a_handle_wins", &["RacesHaveOneWinner"], |place| {
        Box::pin(one_of_many_tasks_of_a_handle_wins(place))
    }),
    Case::new(
        "race/appends_at_the_end_all_land",
        &["RacesHaveOneWinner", "CommitsAreOrdered", "CONC-1", "CONC-4"],
        |place| Box::pin(appends_at_the_end_all_land(place)),
    ),
    Case::new(
        "race/writers_that_retry_lose_nothing",
        &["RacesHaveOneWinner", "CONC-4", "records/25"],
        |place| Box::pin(writers_that_retry_lose_nothing(place)),
    ),
    Case::new(
        "race/a_removal_races_like_an_append",
        &["RacesHaveOneWinner", "TombstonesHold", "RET-3"],
        |place| Box::pin(a_removal_races_like_an_append(place)),
    ),
    Case::new(
        "race/journals_do_not_disturb_one_another",
        &["RacesHaveOneWinner", "CONC-4"],
        |place| Box::pin(journals_do_not_disturb_one_another(place)),
    ),
];

/// Appends commits at one tip at once, one on each backend; answers in their order.
async fn race(
    backends: &[Arc<dyn Backend>],
    key: &SessionKey,
    tip: Tip,
    commits: &[Commit],
) -> Result<Vec<Result<Vec<Appended>, Error>>, Failed> {
    let tasks = backends.iter().zip(commits).map(|(backend, commit)| {
        let (backend, key, commit) = (Arc::clone(backend), key.clone(), commit.clone());
        async move {
            let expected = Expected::At(tip);
            Ok(backend.append(&key, expected, vec![commit]).await)
        }
    });
    together(tasks.collect()).await
}

/// Fails unless one commit was applied and each other one was told where that ended; answers the
/// winner.
fn one_winner(
    commits: &[Commit],
    answers: Vec<Result<Vec<Appended>, Error>>,
) -> Result<(Commit, Appended), Failed> {
    let mut won = Vec::new();
    let mut lost = Vec::new();
    for (commit, answer) in commits.iter().zip(answers) {
        match answer {
            Ok(appended) => won.push((commit.clone(), only("the answer", appended)?)),
            Err(error) => lost.push(error),
        }
    }
    let (winner, appended) = only("the winners of a race", won)?;
    ensure!(!appended.replayed, "a first append is no replay");
    for error in lost {
        conflicts_at("a loser", Err::<(), _>(error), appended.tip.position)?;
    }
    Ok((winner, appended))
}

async fn one_of_many_wins_a_tip(place: Arc<dyn Place>, rounds: usize) -> Result<(), Failed> {
    let backends = handles(&*place, WRITERS).await?;
    let watcher = place.handle().await?;
    let mut writer = Writer::create(&watcher, &sample::key("s1")?).await?;
    let mut winners = Vec::new();
    for round in 0..rounds {
        let commits = (0..WRITERS).map(|number| sample::saying(&format!("{round} {number}")));
        let commits = commits.collect::<Result<Vec<_>, _>>()?;
        let answers = race(&backends, &writer.key, writer.tip, &commits).await?;
        let (winner, appended) = one_winner(&commits, answers)?;
        writer.tip = appended.tip;
        winners.push(winner.token());
    }
    let commits = look::read(&*watcher, &writer.key, Span::ALL).await?;
    let served: Vec<_> = commits.iter().skip(1).map(|commit| commit.token).collect();
    ensure!(served == winners, "the journal holds others than the winners");
    Ok(())
}

async fn one_of_many_creates(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backends = handles(&*place, WRITERS).await?;
    for round in 0..10 {
        let key = sample::key(&format!("s{round}"))?;
        let create = |number| {
            let message = sample::message(&format!("{number}"))?;
            sample::commit(vec![sample::header(&key)?, message])
        };
        let commits = (0..WRITERS).map(create).collect::<Result<Vec<_>, _>>()?;
        let answers = race(&backends, &key, Tip::ABSENT, &commits).await?;
        let (winner, appended) = one_winner(&commits, answers)?;
        let stored = look::read(&*place.handle().await?, &key, Span::ALL).await?;
        look::stands(&stored, &winner, &appended)?;
        same("how many commits", stored.len(), 1)?;
    }
    Ok(())
}

async fn one_of_many_tasks_of_a_handle_wins(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let shared = vec![Arc::clone(&backend); WRITERS];
    for round in 0..25 {
        let commits = (0..WRITERS).map(|number| sample::saying(&format!("{round} {number}")));
        let commits = commits.collect::<Result<Vec<_>, _>>()?;
        let answers = race(&shared, &writer.key, writer.tip, &commits).await?;
        writer.tip = one_winner(&commits, answers)?.1.tip;
    }
    let texts = look::texts(&*backend, &writer.key).await?;
    same("how many messages", texts.len(), 25)
}

async fn appends_at_the_end_all_land(place: Arc<dyn Place>) -> Result<(), Failed> {
    const HANDLES: usize = 8;
    const EACH: usize = 25;
    let watcher = place.handle().await?;
    let key = Writer::create(&watcher, &sample::key("s1")?).await?.key;
    let mut tasks = Vec::new();
    for (number, backend) in handles(&*place, HANDLES).await?.into_iter().enumerate() {
        let key = key.clone();
        tasks.push(async move {
            let mut answers = Vec::new();
            for turn in 0..EACH {
                let commit = sample::saying(&format!("{number} {turn}"))?;
                let appended = backend.append(&key, Expected::End, vec![commit]).await?;
                answers.push(only("the answer to one commit", appended)?);
            }
            Ok(answers)
        });
    }
    let answers = together(tasks).await?;
    let texts = look::texts(&*watcher, &key).await?;
    same("how many messages", texts.len(), HANDLES * EACH)?;
    for (number, answers) in answers.into_iter().enumerate() {
        let own = format!("{number} ");
        let landed: Vec<&String> = texts.iter().filter(|text| text.starts_with(&own)).collect();
        let sent: Vec<String> = (0..EACH).map(|turn| format!("{number} {turn}")).collect();
        same("what a writer sent", landed, sent.iter().collect())?;
        let rises = answers.is_sorted_by(|a, b| a.tip.position < b.tip.position);
        ensure!(rises, "a writer's later append was answered with an earlier tip");
    }
    Ok(())
}

async fn writers_that_retry_lose_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    const HANDLES: usize = 4;
    const EACH: usize = 10;
    let watcher = place.handle().await?;
    let key = Writer::create(&watcher, &sample::key("s1")?).await?.key;
    let mut tasks = Vec::new();
    for (number, backend) in handles(&*place, HANDLES).await?.into_iter().enumerate() {
        let key = key.clone();
        tasks.push(async move {
            for turn in 0..EACH {
                loop {
                    // Who loses reads again and decides again: nothing was applied.
                    let commit = sample::saying(&format!("{number} {turn}"))?;
                    let tip = Expected::At(backend.head(&key).await?.tip);
                    match backend.append(&key, tip, vec![commit]).await {
                        Ok(_) => break,
                        Err(error) if error.kind() == ErrorKind::Conflict => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            Ok(())
        });
    }
    together(tasks).await?;
    let texts = look::texts(&*watcher, &key).await?;
    let distinct: BTreeSet<&String> = texts.iter().collect();
    same("how many messages", texts.len(), HANDLES * EACH)?;
    same("how many different messages", distinct.len(), texts.len())
}

async fn a_removal_races_like_an_append(place: Arc<dyn Place>) -> Result<(), Failed> {
    let remover = place.handle().await?;
    let appender = place.handle().await?;
    for round in 0..20 {
        let writer = Writer::saying(&remover, &format!("s{round}"), &["one"]).await?;
        let removal: Running<bool> = Box::pin(removing(Arc::clone(&remover), writer.clone()));
        let append: Running<bool> = Box::pin(appending(Arc::clone(&appender), writer.clone()));
        // Whoever is started last tends to be first.
        let is_turned = round % 2 == 1;
        let tasks = if is_turned { vec![append, removal] } else { vec![removal, append] };
        let mut applied = together(tasks).await?;
        if is_turned {
            applied.reverse();
        }
        let winners = applied.iter().filter(|applied| **applied).count();
        same("how many of the two were applied", winners, 1)?;
        let head = remover.head(&writer.key).await?;
        same("whether it is deleted", Some(&head.deleted), applied.first())?;
    }
    Ok(())
}

/// Whether a removal at the writer's tip was applied.
async fn removing(backend: Arc<dyn Backend>, writer: Writer) -> Result<bool, Failed> {
    let tombstone = sample::tombstone()?;
    match backend.remove(&writer.key, writer.tip, tombstone).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::Conflict => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether an append at the writer's tip was applied.
async fn appending(backend: Arc<dyn Backend>, writer: Writer) -> Result<bool, Failed> {
    let commits = vec![sample::saying("two")?];
    let expected = Expected::At(writer.tip);
    match backend.append(&writer.key, expected, commits).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::Deleted => Ok(false),
        Err(error) => Err(error.into()),
    }
}

async fn journals_do_not_disturb_one_another(place: Arc<dyn Place>) -> Result<(), Failed> {
    const EACH: usize = 25;
    let watcher = place.handle().await?;
    let mut tasks = Vec::new();
    for (number, backend) in handles(&*place, 8).await?.into_iter().enumerate() {
        tasks.push(async move {
            let key = sample::key(&format!("s{number}"))?;
            let mut writer = Writer::create(&backend, &key).await?;
            for turn in 0..EACH {
                writer.say(&turn.to_string()).await?;
            }
            Ok(key)
        });
    }
    let expected: Vec<String> = (0..EACH).map(|turn| turn.to_string()).collect();
    for key in together(tasks).await? {
        let texts = look::texts(&*watcher, &key).await?;
        same("the texts of one of many journals", texts, expected.clone())?;
    }
    Ok(())
}
