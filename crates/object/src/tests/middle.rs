//! Reading from the middle, where what stands there misleads whoever looks for an entry.

use sessile_core::backend::Span;
use sessile_core::commit::StoredCommit;

use super::stage::{
    Item, Stage, damaged, elsewhere, merging, message, messages, object_behind, options, position,
    seq,
};

/// What is read from a number on is the end of what is read from the beginning on.
async fn reads_alike_from_everywhere(stage: &Stage) {
    let all = stage.all().await;
    let commits = stage.commits().await;
    let end = commits.last().unwrap().tip().position.number();
    for reader in [stage.handle(options()), stage.handle(merging(4))] {
        for from in 0..end {
            let ends: Vec<&StoredCommit> =
                commits.iter().filter(|it| it.tip().position.number() > from).collect();
            let read = stage.read(&reader, Span::From(seq(from))).await;
            // Damage right before the first commit is told where it may have held the entry.
            let told: Vec<Item> = read.iter().filter(|it| it.is_ok()).cloned().collect();
            let ids: Vec<Item> = ends.iter().map(|it| Ok(it.id.to_string())).collect();
            assert_eq!(told, ids, "from {from}");
            assert!(all.ends_with(&read), "from {from}: {read:?} of {all:?}");
        }
        for before in 0..=end {
            let ended = commits.iter().filter(|it| it.tip().position.number() <= before);
            let ids: Vec<Item> = ended.map(|it| Ok(it.id.to_string())).collect();
            for max_bytes in [u64::MAX, 0, 90] {
                let span = Span::Back { before: position(before), max_bytes };
                let read = stage.read(&reader, span).await;
                let whole: Vec<Item> = read.iter().filter(|it| it.is_ok()).cloned().collect();
                assert!(ids.ends_with(&whole), "{max_bytes} before {before}");
                assert_eq!(whole.is_empty(), ids.is_empty(), "{max_bytes} before {before}");
                assert!(max_bytes < u64::MAX || whole.len() == ids.len(), "before {before}");
            }
        }
    }
}

/// A journal of forty objects, each of some entries.
async fn forty() -> Stage {
    let stage = Stage::new().await;
    let writer = stage.handle(options());
    stage.create(&writer).await;
    for number in 0..39 {
        stage.append(&writer, vec![messages(number, 1 + number % 3)]).await.unwrap();
    }
    stage
}

#[tokio::test]
async fn a_sound_journal() {
    let stage = forty().await;
    reads_alike_from_everywhere(&stage).await;
    assert_eq!(stage.commits().await.len(), 40);
}

#[tokio::test]
async fn gaps_in_numbers_and_objects_of_many_entries() {
    let stage = Stage::new().await;
    let writer = stage.handle(options());
    let mut tip = stage.create(&writer).await;
    for number in 0..12_usize {
        let commits = match number % 3 {
            0 => vec![messages(number, 25)],
            1 => (0..4).map(|_| message(number)).collect(),
            // A copy keeps its numbers, and what was left out stays so.
            _ => {
                let at = tip.position.number() + 40;
                let given = messages(number, 2);
                let entries = given.entries().iter().zip(at..).map(|(entry, at)| {
                    sessile_core::NewEntry { seq: Some(seq(at)), ..entry.clone() }
                });
                let limits = sessile_core::Limits::default();
                let (id, token) = (given.id().clone(), given.token());
                vec![sessile_core::Commit::new(id, token, entries.collect(), &limits).unwrap()]
            }
        };
        tip = stage.append_at(&writer, tip, commits).await.unwrap().last().unwrap().tip;
    }
    reads_alike_from_everywhere(&stage).await;
    assert!(stage.commits().await.len() > 20);
}

#[tokio::test]
async fn an_object_that_claims_a_smaller_or_a_greater_number() {
    for digit in [b'0', b'9'] {
        for at in [7, 20, 38] {
            let stage = forty().await;
            let mut bytes = stage.log(at).await.to_vec();
            let first = stage.commits().await[usize::try_from(at).unwrap()].first_seq().number();
            assert_eq!(&bytes[..7], b"{\"seq\":");
            bytes[7] = digit;
            stage.put_log(at, bytes).await;
            reads_alike_from_everywhere(&stage).await;
            assert!(stage.all().await.contains(&damaged(first)), "{at} is damaged");
        }
    }
}

#[tokio::test]
async fn copies_and_strangers_between_the_objects() {
    let stage = Stage::new().await;
    let mut writer = stage.handle(options());
    stage.create(&writer).await;
    let mut next = 1;
    let mut strangers = Vec::new();
    for number in 0..30 {
        let stranger = match number % 5 {
            1 => Some(stage.log(next / 2).await.to_vec()),
            3 => Some(object_behind(elsewhere(2 * next), &message(90))),
            4 => Some(object_behind(elsewhere(next / 3), &message(91))),
            _ => None,
        };
        if let Some(stranger) = stranger {
            strangers.push(next);
            stage.put_log(next, stranger).await;
            writer = stage.handle(options());
            next += 1;
        }
        stage.append(&writer, vec![messages(number, 1 + number % 2)]).await.unwrap();
        next += 1;
    }
    assert_eq!(stage.commits().await.len(), 31);
    assert_eq!(stage.set_aside(&stage.handle(options())).await, strangers);
    reads_alike_from_everywhere(&stage).await;
}
