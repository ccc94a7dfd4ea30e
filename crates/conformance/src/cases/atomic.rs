//! Commits that appear together or not at all.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::{Expected, Span};
use sessile_core::{Backend, Commit, Position, SessionKey, StoredCommit};
use tokio::sync::mpsc;

use crate::case::Case;
use crate::failed::{Failed, ensure, only, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::together::{beside, handles};
use crate::writer::Writer;

/// How many commits are written while others read.
const COMMITS: usize = 60;

pub(super) const CASES: &[Case] = &[
    Case::new("atomic/readers_see_whole_commits", &["CommitsAreAtomic"], |place| {
        Box::pin(readers_see_whole_commits(place))
    }),
    Case::new(
        "atomic/heads_stand_between_commits",
        &["CommitsAreAtomic", "HeadsAreTrue"],
        |place| Box::pin(heads_stand_between_commits(place)),
    ),
    Case::new(
        "atomic/a_dropped_append_is_done_once_or_not_at_all",
        &["CommitsAreAtomic", "OwnTokenIsReplayed"],
        |place| Box::pin(a_dropped_append(place)),
    ),
];

/// How many entries a commit of this case has.
const fn size_of(number: usize) -> usize {
    2 + number % 5
}

/// A commit whose every entry tells which of how many it is; some are large.
fn telling(number: usize) -> Result<Commit, Failed> {
    let filler = "x".repeat(if number.is_multiple_of(7) { 20_000 } else { 10 });
    let entry = |place| sample::message(&format!("{number} {place} {filler}"));
    sample::commit((0..size_of(number)).map(entry).collect::<Result<_, _>>()?)
}

/// Fails unless these are the first commits of the case, whole and in order.
fn are_whole(commits: &[StoredCommit]) -> Result<(), Failed> {
    for (number, commit) in commits.iter().skip(1).enumerate() {
        let texts = look::texts_of(std::slice::from_ref(commit))?;
        let places: Vec<String> = texts
            .iter()
            .map(|text| text.split(" x").next().unwrap_or_default().to_owned())
            .collect();
        let expected: Vec<String> =
            (0..size_of(number)).map(|place| format!("{number} {place}")).collect();
        same("the entries of a commit", places, expected)?;
    }
    Ok(())
}

/// Reads back and forward, and fails unless both serve whole commits, and the same.
async fn read_whole(backend: Arc<dyn Backend>, key: SessionKey) -> Result<(), Failed> {
    let beyond_the_end = Position::new(1 << 40).unwrap_or(Position::START);
    let back = Span::Back { before: beyond_the_end, max_bytes: 200_000 };
    let tail = look::read(&*backend, &key, back).await?;
    let commits = look::read(&*backend, &key, Span::ALL).await?;
    are_whole(&commits)?;
    ensure!(
        commits.windows(tail.len().max(1)).any(|run| run == tail),
        "what is read back is no part of what is read forward"
    );
    Ok(())
}

async fn readers_see_whole_commits(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let key = writer.key.clone();
    let readers = handles(&*place, 4).await?.into_iter().map(|reader| {
        let key = key.clone();
        move || read_whole(Arc::clone(&reader), key.clone())
    });
    let writing = async {
        for number in 0..COMMITS {
            writer.append(&telling(number)?).await?;
        }
        Ok(())
    };
    beside(readers.collect(), writing).await?;
    let commits = look::read(&*place.handle().await?, &key, Span::ALL).await?;
    are_whole(&commits)?;
    same("how many commits", commits.len(), COMMITS + 1)
}

async fn heads_stand_between_commits(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let mut tips = vec![writer.tip];
    let (watcher, key) = (place.handle().await?, writer.key.clone());
    let (tell, mut told) = mpsc::unbounded_channel();
    let watch = move || {
        let (watcher, key, tell) = (Arc::clone(&watcher), key.clone(), tell.clone());
        async move { Ok(tell.send(watcher.head(&key).await?.tip)?) }
    };
    let writing = async {
        for number in 0..COMMITS {
            writer.append(&telling(number)?).await?;
            tips.push(writer.tip);
        }
        Ok(())
    };
    beside(vec![watch], writing).await?;
    let mut seen = Vec::new();
    while let Some(tip) = told.recv().await {
        seen.push(tip);
    }
    let rises = seen.is_sorted_by_key(|tip| tip.position);
    ensure!(rises, "the position of a journal fell while it was written");
    for tip in seen {
        ensure!(tips.contains(&tip), "no commit ended at {}", tip.position);
    }
    Ok(())
}

async fn a_dropped_append(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for number in 0..20 {
        let commit = telling(number)?;
        let append = || {
            let commits = vec![commit.clone()];
            backend.append(&writer.key, Expected::At(writer.tip), commits)
        };
        // Its future is asked once and dropped where it is not done by then.
        let _dropped = tokio::time::timeout(Duration::ZERO, append()).await;
        let appended = only("the answer to one commit", append().await?)?;
        let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
        look::stands(&commits, &commit, &appended)?;
        are_whole(&commits)?;
        same("how many commits", commits.len(), number + 2)?;
        writer.tip = appended.tip;
    }
    Ok(())
}
