//! Masks: what is acknowledged as masked is never served again, and never held.

use std::time::Duration;

use futures_util::StreamExt as _;
use object_store::ObjectStoreExt as _;
use sessile_core::backend::{Backend as _, Span};
use sessile_core::error::ErrorKind;
use tokio::time::{self, Instant};

use super::stage::{
    Stage, elsewhere, hasty, ids, kind, merging, message, messages, object_behind, options,
    position, quiet, seq,
};
use crate::backend::ObjectBackend;

/// What a message of a number is told by, wherever it stands.
fn secret(number: usize) -> String {
    format!("\"{number} ")
}

async fn mask(stage: &Stage, backend: &ObjectBackend, seqs: &[u64]) {
    let tip = stage.tip().await;
    let seqs = seqs.iter().copied().map(seq).collect();
    backend.mask(&stage.key, tip, seqs).await.unwrap();
}

/// Whether anything below the session's folder holds a text.
async fn is_held(stage: &Stage, text: &str) -> bool {
    for name in stage.names().await {
        let path = format!("{}/{name}", stage.keys.folder()).as_str().into();
        let bytes = stage.store.inner.get(&path).await.unwrap().bytes().await.unwrap();
        if String::from_utf8_lossy(&bytes).contains(text) {
            return true;
        }
    }
    false
}

/// Whether a handle serves a text, from the beginning or from the middle.
async fn is_served(stage: &Stage, backend: &ObjectBackend, text: &str) -> bool {
    let back = Span::Back { before: position(1_000), max_bytes: u64::MAX };
    for span in [Span::ALL, Span::From(seq(3)), back] {
        let mut commits = backend.read(&stage.key, span).await.unwrap();
        while let Some(commit) = commits.next().await {
            if commit.unwrap().entries.iter().any(|it| it.data.as_str().contains(text)) {
                return true;
            }
        }
    }
    false
}

#[tokio::test]
async fn what_is_masked_is_served_by_no_handle_however_much_it_keeps() {
    let stage = Stage::new().await;
    let writer = stage.handle(merging(4));
    stage.create(&writer).await;
    for number in 1..40 {
        stage.append(&writer, vec![message(number)]).await.unwrap();
        quiet().await;
    }
    let readers = [stage.handle(options()), stage.handle(merging(4)), stage.handle(merging(2))];
    for reader in &readers {
        assert!(is_served(&stage, reader, &secret(8)).await);
    }
    let begun = readers[0].read(&stage.key, Span::ALL).await.unwrap();
    mask(&stage, &writer, &[8, 20]).await;
    quiet().await;
    drop(begun);
    for reader in readers.iter().chain([&writer, &stage.handle(options())]) {
        for number in [8, 20] {
            assert!(!is_served(&stage, reader, &secret(number)).await);
        }
        assert!(is_served(&stage, reader, &secret(9)).await);
    }
    assert!(!is_held(&stage, &secret(8)).await && !is_held(&stage, &secret(20)).await);
    // What was merged before is merged anew.
    assert_eq!(
        stage.ranges().await,
        ["0-3", "4-7", "8-11", "12-15", "16-19", "20-23", "24-27", "28-31", "32-35", "36-39"]
    );
    let fresh = stage.handle(merging(4));
    assert_eq!(stage.read(&fresh, Span::ALL).await.len(), 40);
    assert!(fresh.counts().gets < 25, "{:?}", fresh.counts());
}

#[tokio::test]
async fn a_range_that_was_left_over_from_before_a_mask_is_not_served() {
    let (stage, _) = Stage::with_messages(15).await;
    let session = stage.session(merging(4));
    crate::ranges::merge(&session, 7, super::stage::salt()).await.unwrap();
    let name = stage.names().await[0].clone();
    let path = format!("{}/{name}", stage.keys.folder()).as_str().into();
    let old = stage.store.inner.get(&path).await.unwrap().bytes().await.unwrap();
    mask(&stage, &stage.handle(options()), &[5]).await;
    quiet().await;
    // A writer that was stalled puts it back, and ends before it looks.
    stage.store.inner.put(&path, old.into()).await.unwrap();
    let reader = stage.handle(merging(4));
    assert!(!is_served(&stage, &reader, &secret(4)).await);
    assert!(is_served(&stage, &reader, &secret(5)).await);
}

#[tokio::test]
async fn two_that_mask_at_once_bring_back_nothing_of_each_other() {
    for _ in 0..20 {
        let stage = Stage::new().await;
        let writer = stage.handle(options());
        stage.create(&writer).await;
        stage.append(&writer, (1..9).map(message).collect()).await.unwrap();
        let maskers: Vec<_> = (0..8).map(|_| stage.handle(options())).collect();
        for masker in &maskers {
            is_served(&stage, masker, "x").await;
        }
        let tip = stage.tip().await;
        let masking = maskers
            .iter()
            .zip(1..)
            .map(|(masker, number)| masker.mask(&stage.key, tip, vec![seq(number)]));
        let masked = futures_util::future::join_all(masking).await;
        assert!(masked.iter().any(Result::is_ok));
        for (number, masked) in (1..).zip(&masked) {
            if masked.is_ok() {
                assert!(!is_held(&stage, &secret(number)).await, "{number}");
                for reader in &maskers {
                    assert!(!is_served(&stage, reader, &secret(number)).await, "{number}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_mask_that_dies_half_way_is_completed_by_the_next() {
    let mut died = 0;
    for requests in 0.. {
        let (stage, writer) = Stage::with_messages(9).await;
        let merger = stage.session(merging(2));
        for number in [1, 3, 5, 7] {
            crate::ranges::merge(&merger, number, super::stage::salt()).await.unwrap();
        }
        let keeps = stage.handle(merging(2));
        is_served(&stage, &keeps, "x").await;
        let masker = stage.handle(hasty());
        let tip = stage.head(&masker).await.tip;
        stage.store.die_after(requests);
        let answer = masker.mask(&stage.key, tip, vec![seq(2), seq(4), seq(5)]).await;
        stage.store.die_after(None);
        quiet().await;
        let is_done = answer.is_ok();
        if !is_done {
            died += 1;
            // Nothing else is gone, and what is there can be read.
            for reader in [&keeps, &stage.handle(options())] {
                let read = stage.read(reader, Span::ALL).await;
                assert_eq!(read.len(), 10);
                assert!(read.iter().all(Result::is_ok));
            }
            mask(&stage, &stage.handle(options()), &[2, 4, 5]).await;
            quiet().await;
        }
        for number in [1, 3, 4] {
            assert!(!is_held(&stage, &secret(number)).await, "after {requests} requests");
            for reader in [&keeps, &writer, &masker, &stage.handle(merging(2))] {
                assert!(!is_served(&stage, reader, &secret(number)).await);
            }
        }
        assert!(is_served(&stage, &keeps, &secret(2)).await);
        if is_done {
            break;
        }
    }
    assert!(died > 10, "it died {died} times");
}

#[tokio::test(start_paused = true)]
async fn whoever_looks_at_any_moment_of_a_mask_serves_nothing_of_it_once_it_is_acknowledged() {
    let tick = Duration::from_millis(1);
    for moment in 0.. {
        let stage = Stage::new().await;
        let writer = stage.handle(merging(4));
        stage.create(&writer).await;
        for number in 1..14 {
            stage.append(&writer, vec![message(number)]).await.unwrap();
            quiet().await;
        }
        // One that has read all before, one that has looked, and one that comes at that moment.
        let [reads, looks, comes] = [(); 3].map(|()| stage.handle(merging(4)));
        assert!(is_served(&stage, &reads, &secret(8)).await);
        stage.head(&looks).await;
        let tip = stage.tip().await;
        stage.store.pace.take(tick);
        let masking = async {
            let begun = Instant::now();
            writer.mask(&stage.key, tip, vec![seq(8)]).await.unwrap();
            begun.elapsed()
        };
        let meanwhile = async {
            time::sleep(tick * moment).await;
            for reader in [&reads, &looks, &comes] {
                is_served(&stage, reader, &secret(8)).await;
            }
            // It knows the end that it wrote.
            stage.append(&looks, vec![message(20)]).await
        };
        let (took, appended) = tokio::join!(masking, meanwhile);
        // What is merged anew by then is.
        time::sleep(tick * 1_000).await;
        stage.store.pace.take(Duration::ZERO);
        appended.unwrap();
        for reader in [&reads, &looks, &comes, &writer, &stage.handle(merging(4))] {
            assert!(!is_served(&stage, reader, &secret(8)).await, "looked after {moment} requests");
            assert!(is_served(&stage, reader, &secret(20)).await);
        }
        if tick * moment > took {
            assert!(moment > 8, "the mask took {took:?}");
            break;
        }
    }
}

#[tokio::test]
async fn notices_are_no_part_of_a_journal_and_keep_nobody_from_finding_what_is() {
    let stage = Stage::new().await;
    let writer = stage.handle(options());
    stage.create(&writer).await;
    let mut all = vec!["header".to_owned()];
    for number in 0..40_u64 {
        let said = message(usize::try_from(number).unwrap());
        stage.append(&writer, vec![said]).await.unwrap();
        all.push(format!("m{number}"));
        if number % 3 == 1 {
            mask(&stage, &writer, &[1 + number / 2]).await;
        }
    }
    let all: Vec<_> = all.into_iter().map(Ok).collect();
    let merger = stage.session(merging(4));
    // Forty-one objects of the journal, and two for each of thirteen masks.
    for number in 0..67 {
        crate::ranges::merge(&merger, number, super::stage::salt()).await.unwrap();
    }
    assert!(stage.ranges().await.len() > 3, "{:?}", stage.ranges().await);
    for reader in [&writer, &stage.handle(options()), &stage.handle(merging(4))] {
        for (at, from) in (0..all.len()).zip(0..) {
            let read = stage.read(reader, Span::From(seq(from))).await;
            assert_eq!(read, all[at..]);
            let before = position(from + 1);
            let read = stage.read(reader, Span::Back { before, max_bytes: u64::MAX }).await;
            assert_eq!(read, all[..=at]);
        }
        assert!(stage.set_aside(reader).await.is_empty());
        let head = stage.head(reader).await;
        assert_eq!((head.tip, head.change), {
            let fresh = stage.head(&stage.handle(options())).await;
            (fresh.tip, fresh.change)
        });
    }
    // Behind the last notice it goes on, and what is damaged to look like one is damage.
    for backend in [&writer, &stage.handle(options())] {
        stage.append(backend, vec![message(90)]).await.unwrap();
    }
    assert_eq!(stage.all().await.len(), all.len() + 2);
    stage.put_log(5, "\n\n").await;
    let read = stage.all().await;
    assert!(read.iter().any(Result::is_err), "{read:?}");
}

#[tokio::test]
async fn a_stranger_that_claims_the_number_does_not_end_the_search() {
    for claims in [9, 50] {
        let (stage, _) = Stage::with_messages(4).await;
        stage.put_log(5, object_behind(elsewhere(claims), &message(90))).await;
        let writer = stage.handle(options());
        for number in 4..9 {
            stage.append(&writer, vec![message(number)]).await.unwrap();
        }
        mask(&stage, &writer, &[2, 7]).await;
        for number in [1, 6] {
            assert!(!is_held(&stage, &secret(number)).await);
        }
        let all = ["header", "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"];
        assert_eq!(stage.all().await, ids(&all));
    }
}

#[tokio::test]
async fn a_damaged_neighbour_hides_nothing_from_a_mask_and_what_it_holds_is_refused() {
    let stage = Stage::new().await;
    let writer = stage.handle(options());
    stage.create(&writer).await;
    for number in 0..20 {
        stage.append(&writer, vec![messages(number, 2)]).await.unwrap();
    }
    for number in [5, 9, 10, 14] {
        stage.damage_log(number).await;
    }
    let tip = stage.tip().await;
    // 5 holds 9 and 10, 10 holds 19 and 20.
    let masker = stage.handle(options());
    for hidden in [9, 19, 20] {
        let answer = masker.mask(&stage.key, tip, vec![seq(3), seq(hidden)]).await;
        assert_eq!(kind(answer), ErrorKind::Corrupt);
        assert!(is_held(&stage, "\"1.0\"").await, "nothing is masked");
    }
    mask(&stage, &masker, &[3, 11, 16, 23, 30, 39]).await;
    for text in ["1.0", "5.0", "7.1", "11.0", "14.1", "19.0"] {
        assert!(!is_held(&stage, &format!("\"{text}\"")).await, "{text}");
    }
    assert_eq!(stage.commits().await.len(), 21 - 4);
    let answer = masker.mask(&stage.key, tip, vec![seq(41)]).await;
    assert!(matches!(kind(answer), ErrorKind::Corrupt | ErrorKind::Refused));
}
