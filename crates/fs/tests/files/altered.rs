//! Journals of which bytes were changed and lines lost, doubled or moved: what is served of them was
//! written, whole and in order.

use std::fs;

use proptest::prelude::*;
use sessile_core::backend::{Backend as _, Expected, Span};
use sessile_core::commit::StoredCommit;
use tokio::runtime::Builder;

use crate::scene::{self, Scene};

/// What happens to a journal; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Change {
    Flip(usize, u8),
    Put(usize, Vec<u8>),
    Cut(usize),
    Drop(usize),
    Swap(usize, usize),
    Repeat(usize, usize),
    Zero(usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = any::<usize>;
    let bytes = proptest::collection::vec(any::<u8>(), 0..9);
    let one = prop_oneof![
        4 => (at(), 0..8_u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        2 => (at(), bytes).prop_map(|(at, bytes)| Change::Put(at, bytes)),
        1 => at().prop_map(Change::Cut),
        2 => at().prop_map(Change::Drop),
        2 => (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
        2 => (at(), at()).prop_map(|(from, to)| Change::Repeat(from, to)),
        1 => (at(), 1..5_000_usize).prop_map(|(at, length)| Change::Zero(at, length)),
    ];
    proptest::collection::vec(one, 1..4)
}

impl Change {
    fn of(&self, journal: Vec<u8>) -> Vec<u8> {
        let mut journal = journal;
        let size = journal.len().max(1);
        let mut lines: Vec<Vec<u8>> =
            journal.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let count = lines.len().max(1);
        match self {
            _ if journal.is_empty() => return journal,
            Self::Flip(at, bit) => journal[at % size] ^= 1 << bit,
            Self::Put(at, bytes) => {
                let at = at % size;
                drop(journal.splice(at..at, bytes.iter().copied()));
            }
            Self::Cut(at) => journal.truncate(at % size),
            Self::Zero(at, length) => {
                let at = at % size;
                let end = (at + length).min(size);
                journal[at..end].fill(0);
            }
            Self::Drop(line) => drop(lines.remove(line % count)),
            Self::Swap(one, other) => lines.swap(one % count, other % count),
            Self::Repeat(from, to) => lines.insert(to % count, lines[from % count].clone()),
        }
        match self {
            Self::Drop(_) | Self::Swap(..) | Self::Repeat(..) => lines.concat(),
            _ => journal,
        }
    }
}

/// What is served, and whether damage was told.
async fn served(scene: &Scene) -> (Vec<StoredCommit>, bool) {
    use futures_util::StreamExt as _;
    let Ok(read) = scene.backend().await.read(&scene.key, Span::ALL).await else {
        return (Vec::new(), true);
    };
    let read: Vec<_> = read.collect().await;
    let is_damaged = read.iter().any(Result::is_err);
    (read.into_iter().flatten().collect(), is_damaged)
}

/// A commit with all that a caller sees of it.
fn told(commit: &StoredCommit) -> String {
    let data: Vec<_> = commit.entries.iter().map(|entry| (entry.seq, &entry.data)).collect();
    format!("{} {:?} {data:?}", commit.id, commit.token)
}

async fn holds(changes: Vec<Change>) -> Result<(), TestCaseError> {
    let scene = Scene::with_commits(&[1, 3, 1, 30, 2, 1]).await;
    let (whole, _) = served(&scene).await;
    let whole: Vec<String> = whole.iter().map(told).collect();
    let mut journal = fs::read(scene.journal()).unwrap();
    let end = journal.iter().rposition(|byte| *byte != b'\n').unwrap() + 2;
    journal.truncate(end);
    for change in &changes {
        journal = change.of(journal);
    }
    fs::write(scene.journal(), &journal).unwrap();
    let (found, is_damaged) = served(&scene).await;
    let found: Vec<String> = found.iter().map(told).collect();
    // In the order in which they were written, each at most once, and none that was not.
    let mut rest = whole.iter();
    for commit in &found {
        prop_assert!(rest.any(|written| written == commit), "{commit}");
    }
    // A hole is told; what is missing at the end may have been torn.
    prop_assert!(is_damaged || whole.starts_with(&found), "a hole is passed over");
    prop_assert!(is_damaged || !found.is_empty(), "nothing is served as all there is");
    let next = vec![scene::messages(99, 1)];
    let appended = scene.backend().await.append(&scene.key, Expected::End, next).await;
    let (after, _) = served(&scene).await;
    let after: Vec<String> = after.iter().map(told).collect();
    prop_assert!(after.starts_with(&found), "an append changes what was there");
    prop_assert_eq!(after.iter().any(|it| it.starts_with("c99 ")), appended.is_ok());
    Ok(())
}

/// Many where minutes are to do.
fn cases() -> u32 {
    if std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1") { 1_000 } else { 96 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn of_a_journal_that_was_altered_only_what_was_written_is_served_and_a_hole_is_told(
        changes in changes(),
    ) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(holds(changes))?;
    }
}
