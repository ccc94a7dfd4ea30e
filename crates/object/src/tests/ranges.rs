//! Merged ranges: they cost and save requests, and change nothing of what is read.

use object_store::ObjectStoreExt as _;
use sessile_core::backend::{Backend as _, Span};
use sessile_core::commit::StoredCommit;

use super::stage::{
    Item, Stage, elsewhere, merging, message, messages, object_behind, options, position, quiet,
    seq,
};
use crate::backend::ObjectBackend;

/// A journal of commits of several sizes, some together in an object.
async fn written(every: u64, objects: usize) -> (Stage, ObjectBackend) {
    let stage = Stage::new().await;
    let backend = stage.handle(merging(every));
    stage.create(&backend).await;
    for number in 0..objects {
        let commits = match number % 5 {
            0 => vec![messages(3 * number, 4)],
            3 => (0..3).map(|at| message(3 * number + at)).collect(),
            _ => vec![message(3 * number)],
        };
        stage.append(&backend, commits).await.unwrap();
        quiet().await;
    }
    (stage, backend)
}

fn items<'c>(commits: impl IntoIterator<Item = &'c StoredCommit>) -> Vec<Item> {
    commits.into_iter().map(|commit| Ok(commit.id.to_string())).collect()
}

/// What is read back from a position, by the words of the contract.
fn back(commits: &[StoredCommit], before: u64, max_bytes: u64) -> Vec<Item> {
    let ended = commits.iter().take_while(|it| it.tip().position <= position(before));
    let ended: Vec<&StoredCommit> = ended.collect();
    let mut first = ended.len();
    let mut bytes = 0;
    while let Some(commit) = first.checked_sub(1).map(|before| ended[before]) {
        bytes += commit.span_bytes();
        if bytes > max_bytes && first < ended.len() {
            break;
        }
        first -= 1;
    }
    items(ended[first..].iter().copied())
}

#[tokio::test]
async fn a_journal_reads_equal_with_and_without_ranges_from_everywhere() {
    for every in [2, 4] {
        let (stage, backend) = written(every, 127).await;
        assert!(!stage.ranges().await.is_empty());
        let commits = stage.commits().await;
        assert_eq!(commits.len(), 1 + 127 + 2 * 25);
        let end = commits.last().unwrap().tip().position.number();
        let fresh = stage.handle(merging(every));
        for from in 0..=end + 1 {
            let behind = commits.iter().filter(|it| it.tip().position.number() > from);
            let expected = items(behind);
            let cold = stage.handle(merging(every));
            let readers =
                if from % 16 == 0 { vec![&fresh, &backend, &cold] } else { vec![&fresh, &backend] };
            for reader in readers {
                let read = stage.read(reader, Span::From(seq(from))).await;
                assert_eq!(read, expected, "from {from}, merged by {every}");
            }
        }
        let plain = stage.handle(options());
        for before in 0..=end + 1 {
            for max_bytes in [0, 1, 130, 1_000, 7_000, u64::MAX] {
                let span = Span::Back { before: position(before), max_bytes };
                let expected = back(&commits, before, max_bytes);
                for reader in [&fresh, &plain] {
                    let read = stage.read(reader, span).await;
                    assert_eq!(read, expected, "{max_bytes} bytes before {before}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_long_journal_takes_few_requests_and_superseded_ranges_are_deleted() {
    let stage = Stage::new().await;
    let backend = stage.handle(merging(8));
    stage.create(&backend).await;
    for number in 0..1_030_usize {
        stage.append(&backend, vec![message(number)]).await.unwrap();
        quiet().await;
    }
    // 1,031 objects, by eights, and these by twelves.
    let large = (0..10).map(|at| (96 * at, 96 * at + 95));
    let small = (0..8).map(|at| (960 + 8 * at, 967 + 8 * at));
    let expected: Vec<String> =
        large.chain(small).map(|(from, to)| format!("{from}-{to}")).collect();
    assert_eq!(stage.ranges().await, expected);
    let fresh = stage.handle(merging(8));
    assert_eq!(stage.read(&fresh, Span::ALL).await.len(), 1_031);
    let counts = fresh.counts();
    // The marker, the mark twice, the first object, 11 around the end of the ranges, and these; a
    // list of all, and one of what is behind the ranges.
    assert!(counts.gets <= 33 && counts.lists <= 2, "{counts:?}");
    assert_eq!((counts.puts, counts.deletes), (0, 0));
    assert_eq!(stage.read(&fresh, Span::From(seq(900))).await.len(), 131);
    assert!(fresh.counts().gets - counts.gets <= 20, "{:?}", fresh.counts());
}

#[tokio::test]
async fn a_range_that_was_tampered_with_is_not_served_and_the_log_is() {
    let (stage, _) = written(4, 39).await;
    let expected = stage.all().await;
    for name in stage.names().await.iter().filter(|name| name.starts_with("base/")) {
        let path = format!("{}/{name}", stage.keys.folder()).as_str().into();
        let bytes = stage.store.inner.get(&path).await.unwrap().bytes().await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        stage.store.inner.put(&path, text.replace('x', "y").into()).await.unwrap();
    }
    let fresh = stage.handle(merging(4));
    assert_eq!(stage.read(&fresh, Span::ALL).await, expected);
    assert!(expected.iter().all(Result::is_ok));
}

#[tokio::test]
async fn ranges_that_lie_by_their_names_are_passed_over() {
    let (stage, _) = written(4, 39).await;
    let expected = stage.all().await;
    let lies = [(0, 39), (3, 17), (8, 11), (0, 4_000), (40, 40), (u64::MAX - 1, u64::MAX)];
    for (from, to) in lies {
        let path = stage.keys.range(from, to, "0123456789abcdef");
        stage.store.inner.put(&path, "junk".into()).await.unwrap();
    }
    for from in [0, 1, 7, 30, 60] {
        let expected = stage.read(&stage.handle(options()), Span::From(seq(from))).await;
        let read = stage.read(&stage.handle(merging(4)), Span::From(seq(from))).await;
        assert_eq!(read, expected, "from {from}");
    }
    assert_eq!(stage.read(&stage.handle(merging(4)), Span::ALL).await, expected);
}

#[tokio::test]
async fn ranges_that_are_deleted_while_they_are_read_cost_requests_only() {
    let (stage, _) = written(2, 63).await;
    let expected = stage.all().await;
    let plain = stage.handle(merging(2));
    stage.read(&plain, Span::ALL).await;
    let reader = stage.handle(merging(2));
    let reading = reader.read(&stage.key, Span::ALL).await.unwrap();
    // Known as there are, and gone when they are asked for.
    for name in stage.names().await.iter().filter(|name| name.starts_with("base/")) {
        let path = format!("{}/{name}", stage.keys.folder()).as_str().into();
        stage.store.inner.delete(&path).await.unwrap();
    }
    let read: Vec<_> = futures_util::StreamExt::collect(reading).await;
    assert_eq!(read.len(), expected.len());
    assert!(read.iter().all(Result::is_ok));
    assert!(reader.counts().gets > plain.counts().gets, "{:?}", reader.counts());
}

#[tokio::test]
async fn nothing_is_merged_over_an_object_off_the_chain_or_a_damaged_one() {
    let (stage, backend) = Stage::with_messages(2).await;
    stage.put_log(3, object_behind(elsewhere(3), &message(90))).await;
    let merger = stage.handle(merging(4));
    for number in 3..20 {
        stage.append(&merger, vec![message(number)]).await.unwrap();
        quiet().await;
        if number == 9 {
            // Number 11 comes to complete what this one is in.
            stage.damage_log(10).await;
        }
    }
    assert_eq!(stage.ranges().await, ["4-7", "12-15", "16-19"]);
    let expected = stage.all().await;
    for reader in [&backend, &merger, &stage.handle(merging(4))] {
        assert_eq!(stage.read(reader, Span::ALL).await, expected);
    }
}

#[tokio::test]
async fn a_range_that_another_handle_made_as_well_is_merged_on() {
    let (stage, _) = written(2, 23).await;
    assert_eq!(stage.ranges().await, ["0-23"]);
    let merged = stage.names().await;
    let path = format!("{}/{}", stage.keys.folder(), merged[0]).as_str().into();
    stage.store.inner.delete(&path).await.unwrap();
    let session = stage.session(merging(2));
    let salt = super::stage::salt();
    for _ in 0..2 {
        crate::ranges::merge(&session, 23, salt).await.unwrap();
        assert_eq!(stage.ranges().await, ["0-23"]);
        assert_eq!(stage.names().await, merged);
    }
    // Of those that it needs, one is there already.
    crate::ranges::merge_one(&session, 22, 23, salt).await.unwrap();
    stage.store.inner.delete(&path).await.unwrap();
    crate::ranges::merge(&session, 23, salt).await.unwrap();
    assert_eq!(stage.names().await, merged);
}
