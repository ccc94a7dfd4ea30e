//! Which commits a read serves.

use std::sync::Arc;

use futures_util::StreamExt as _;
use sessile_core::backend::Span;
use sessile_core::{Backend, Position, Seq, SessionKey, StoredCommit};

use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::look;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new("read/from_any_seq_on", &["ReadsAreExact", "ORD-6"], |place| {
        Box::pin(from_any_seq_on(place))
    }),
    Case::new(
        "read/from_the_middle_of_a_commit_serves_it_whole",
        &["ReadsAreExact", "CommitsAreAtomic"],
        |place| Box::pin(from_the_middle_of_a_commit(place)),
    ),
    Case::new("read/from_beyond_the_end_is_nothing", &["ReadsAreExact"], |place| {
        Box::pin(from_beyond_the_end(place))
    }),
    Case::new(
        "read/back_from_anywhere_by_any_number_of_bytes",
        &["ReadsAreExact", "ORD-6"],
        |place| Box::pin(back_from_anywhere(place)),
    ),
    Case::new("read/back_serves_at_least_one_commit", &["ReadsAreExact"], |place| {
        Box::pin(back_serves_at_least_one(place))
    }),
    Case::new(
        "read/back_ends_before_a_commit_it_would_cut",
        &["ReadsAreExact", "CommitsAreAtomic"],
        |place| Box::pin(back_ends_before_a_commit(place)),
    ),
    Case::new("read/back_skips_nothing_that_is_too_large", &["ReadsAreExact"], |place| {
        Box::pin(back_skips_nothing(place))
    }),
    Case::new(
        "read/pages_back_neither_repeat_nor_skip_while_others_append",
        &["ReadsAreExact", "ORD-7"],
        |place| Box::pin(pages_back(place)),
    ),
    Case::new("read/a_stream_may_be_left_at_any_point", &["ReadsAreExact"], |place| {
        Box::pin(a_stream_may_be_left(place))
    }),
];

/// A journal of commits of one to four entries of various sizes, with gaps between numbers.
async fn uneven(backend: &Arc<dyn Backend>) -> Result<(SessionKey, Vec<StoredCommit>), Failed> {
    let mut writer = Writer::create(backend, &sample::key("s1")?).await?;
    for (number, sizes) in [
        (1, &[1][..]),
        (2, &[5, 5, 5]),
        (9, &[40]),
        (10, &[0, 200, 0, 3]),
        (20, &[7, 7]),
        (22, &[1]),
    ] {
        let mut entries = Vec::new();
        for size in sizes {
            entries.push(sample::message(&"x".repeat(*size))?);
        }
        if let Some(first) = entries.first_mut() {
            first.seq = Some(look::seq(number)?);
        }
        writer.append(&sample::commit(entries)?).await?;
    }
    let commits = look::read(&**backend, &writer.key, Span::ALL).await?;
    same("how many commits", commits.len(), 7)?;
    Ok((writer.key, commits))
}

fn end_of(commits: &[StoredCommit]) -> u64 {
    commits.last().map_or(0, |last| last.tip().position.number())
}

fn back(before: u64, max_bytes: u64) -> Span {
    Span::Back { before: Position::new(before).unwrap_or(Position::START), max_bytes }
}

fn bytes_of(commit: &StoredCommit) -> u64 {
    let bytes: usize = commit.entries.iter().map(|entry| entry.data.len() + 64).sum();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// What the contract says about reading back, in its own words.
fn expected_back(commits: &[StoredCommit], before: u64, max_bytes: u64) -> Vec<StoredCommit> {
    let mut served: Vec<StoredCommit> = Vec::new();
    let mut bytes = 0;
    for commit in commits.iter().rev() {
        if commit.tip().position.number() > before {
            continue;
        }
        bytes += bytes_of(commit);
        if !served.is_empty() && bytes > max_bytes {
            break;
        }
        served.insert(0, commit.clone());
    }
    served
}

async fn serves(
    backend: &dyn Backend,
    key: &SessionKey,
    span: Span,
    expected: &[StoredCommit],
) -> Result<(), Failed> {
    let served = look::read(backend, key, span).await?;
    let firsts = |commits: &[StoredCommit]| -> Vec<u64> {
        commits.iter().map(|it| it.first_seq().number()).collect()
    };
    let what = format!("the first numbers of the commits of {span:?}");
    same(&what, firsts(&served), firsts(expected))?;
    ensure!(served == expected, "a commit of {span:?} differs");
    Ok(())
}

async fn from_any_seq_on(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let (key, commits) = uneven(&backend).await?;
    let reader = place.handle().await?;
    for number in 0..end_of(&commits) {
        let after = commits.iter().filter(|it| it.tip().position.number() > number);
        let expected: Vec<StoredCommit> = after.cloned().collect();
        let span = Span::From(look::seq(number)?);
        serves(&*reader, &key, span, &expected).await?;
    }
    Ok(())
}

async fn from_the_middle_of_a_commit(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let (key, commits) = uneven(&backend).await?;
    let expected = commits.get(2..).unwrap_or_default();
    for number in [3, 4] {
        serves(&*backend, &key, Span::From(look::seq(number)?), expected).await?;
    }
    Ok(())
}

async fn from_beyond_the_end(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let (key, commits) = uneven(&backend).await?;
    let end = end_of(&commits);
    for number in [end, end + 1, 1 << 40, (1 << 53) - 2] {
        serves(&*backend, &key, Span::From(look::seq(number)?), &[]).await?;
    }
    Ok(())
}

async fn back_from_anywhere(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let (key, commits) = uneven(&backend).await?;
    let reader = place.handle().await?;
    let last_two: u64 = commits.iter().rev().take(2).map(bytes_of).sum();
    let sizes = [0, 1, last_two - 1, last_two, last_two + 1, 600, u64::MAX];
    for before in 0..=end_of(&commits) + 2 {
        for max_bytes in sizes {
            let expected = expected_back(&commits, before, max_bytes);
            serves(&*reader, &key, back(before, max_bytes), &expected).await?;
        }
    }
    serves(&*reader, &key, back((1 << 53) - 1, u64::MAX), &commits).await
}

async fn back_serves_at_least_one(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let (key, commits) = uneven(&backend).await?;
    let mut rest = commits.as_slice();
    while let Some((last, before)) = rest.split_last() {
        for max_bytes in [0, bytes_of(last)] {
            let span = back(end_of(rest), max_bytes);
            serves(&*backend, &key, span, std::slice::from_ref(last)).await?;
        }
        rest = before;
    }
    Ok(())
}

async fn back_ends_before_a_commit(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let (key, commits) = uneven(&backend).await?;
    // The header's commit ends at 1, and none ends before.
    serves(&*backend, &key, back(0, u64::MAX), &[]).await?;
    let expected = commits.get(..2).unwrap_or_default();
    for before in [2, 3, 4] {
        serves(&*backend, &key, back(before, u64::MAX), expected).await?;
    }
    let expected = commits.get(..4).unwrap_or_default();
    for before in [10, 11, 12, 13] {
        serves(&*backend, &key, back(before, u64::MAX), expected).await?;
    }
    Ok(())
}

async fn back_skips_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let large = "x".repeat(10_000);
    let writer = Writer::saying(&backend, "s1", &["a", &large, "b", "c"]).await?;
    let commits = look::read(&*backend, &writer.key, Span::ALL).await?;
    let expected = commits.get(3..).unwrap_or_default();
    let span = back(end_of(&commits), 5_000);
    serves(&*backend, &writer.key, span, expected).await
}

async fn pages_back(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for number in 0..120 {
        writer.say(&format!("{number:03}")).await?;
    }
    let reader = place.handle().await?;
    let newest = reader.head(&writer.key).await?.tip.position;
    let mut before = newest;
    let mut pages = Vec::new();
    for round in 0.. {
        let span = Span::Back { before, max_bytes: 50 * (5 + 64) };
        let page = look::read(&*reader, &writer.key, span).await?;
        let Some(first) = page.first().and_then(|commit| commit.entries.first()) else {
            break;
        };
        before = Position::new(first.seq.number()).unwrap_or(Position::START);
        pages.insert(0, page);
        ensure!(round < 100, "the pages back do not reach the beginning");
        for number in 0..10 {
            writer.say(&format!("new {round} {number}")).await?;
        }
    }
    let walked = pages.concat();
    let expected: Vec<String> = (0..120).map(|number| format!("{number:03}")).collect();
    same("the texts by pages", look::texts_of(&walked)?, expected)?;
    ensure!(pages.len() > 2, "everything came in {} pages", pages.len());
    let from = newest.seq().unwrap_or(Seq::FIRST);
    let newer = look::read(&*reader, &writer.key, Span::From(from)).await?;
    let newer = look::texts_of(&newer)?;
    ensure!(
        !newer.is_empty() && newer.iter().all(|text| text.starts_with("new ")),
        "what came meanwhile is not what follows the first page"
    );
    Ok(())
}

async fn a_stream_may_be_left(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let (key, commits) = uneven(&backend).await?;
    for count in 0..commits.len() {
        let stream = backend.read(&key, Span::ALL).await?;
        let taken: Vec<_> = stream.take(count).collect().await;
        let taken = taken.into_iter().collect::<Result<Vec<_>, _>>()?;
        ensure!(
            commits.starts_with(&taken) && taken.len() == count,
            "the first {count} commits of a stream that was left are others"
        );
    }
    serves(&*backend, &key, Span::ALL, &commits).await
}
