//! A journal that lost whole pages, as a power cut may take them out of order.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;

use futures_util::StreamExt as _;
use sessile_core::Seq;
use sessile_core::backend::{Backend as _, Expected, Scope, Span};
use sessile_core::error::ErrorKind;

use crate::scene::{self, Scene};

const PAGE: usize = 4 << 10;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_zeros_is_served_around_or_reported_and_never_half_served() {
    let sizes = [1, 40, 170, 1, 120, 60];
    let scene = Scene::with_commits(&sizes).await;
    let whole = std::fs::read(scene.journal()).unwrap();
    let written = scene::read(&scene.backend().await, &scene.key).await;
    let written: Vec<_> = written.into_iter().map(Result::unwrap).collect();
    let content = whole.iter().rposition(|byte| *byte != b'\n').unwrap() + 1;
    assert!(content > 8 * PAGE, "several pages: {content}");
    // The first page holds the header, without which nothing is readable.
    for page in 1..=content / PAGE {
        let file = OpenOptions::new().write(true).open(scene.journal()).unwrap();
        file.write_all_at(&whole, 0).unwrap();
        file.set_len(u64::try_from(whole.len()).unwrap()).unwrap();
        let zeros = vec![0; PAGE.min(whole.len() - page * PAGE)];
        file.write_all_at(&zeros, u64::try_from(page * PAGE).unwrap()).unwrap();

        let backend = scene.backend().await;
        let read = scene::read(&backend, &scene.key).await;
        let head = backend.head(&scene.key).await.unwrap();
        let mut served = Vec::new();
        let mut damaged = Vec::new();
        for commit in read {
            match commit {
                Ok(commit) => served.push(commit),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Corrupt);
                    damaged.push(error.damage().unwrap().seq);
                }
            }
        }
        assert!(served.iter().all(|commit| written.contains(commit)), "page {page}");
        // Every commit that was acknowledged is served, or lies in reported damage, or is the
        // last one, which nothing later vouches for.
        for commit in &written {
            let reported =
                damaged.iter().any(|seq| commit.entries.iter().any(|entry| entry.seq >= *seq));
            let tail = head.tail.is_some() && commit.tip().position > head.tip.position;
            assert!(
                served.contains(commit) || reported || tail,
                "page {page} {} {} {damaged:?} {:?} {:?}",
                commit.first_seq(),
                commit.tip().position,
                head.tip,
                head.tail
            );
        }
        assert!(served.len() < written.len(), "page {page} holds something");

        // What is left can be built upon.
        backend.append(&scene.key, Expected::End, vec![scene::messages(9, 1)]).await.unwrap();
        let after = scene::read(&scene.backend().await, &scene.key).await;
        let last = after.last().unwrap().as_ref().unwrap();
        assert_eq!(last.id.as_str(), "c9", "page {page}");
        let seqs: Vec<_> = after
            .iter()
            .filter_map(|commit| commit.as_ref().ok())
            .flat_map(|commit| commit.entries.iter().map(|entry| entry.seq))
            .collect();
        assert!(seqs.is_sorted_by(|a, b| a < b), "page {page}: no number twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_begins_within_damage_tells_of_it() {
    let scene = Scene::with_commits(&[1, 40, 40, 40, 120, 60]).await;
    let file = OpenOptions::new().write(true).open(scene.journal()).unwrap();
    file.write_all_at(&vec![0; 2 * PAGE], u64::try_from(2 * PAGE).unwrap()).unwrap();
    let backend = scene.backend().await;
    let read = scene::read(&backend, &scene.key).await;
    let at = read.iter().position(Result::is_err).unwrap();
    let place = read[at].as_ref().unwrap_err().damage().unwrap();
    let next = read[at + 1].as_ref().unwrap().first_seq();
    let mut tried = 0;
    for number in place.seq.number()..=next.number() {
        let span = Span::From(Seq::new(number).unwrap());
        let first = backend.read(&scene.key, span).await.unwrap().next().await.unwrap();
        match first {
            Err(error) => assert_eq!((error.damage(), number < next.number()), (Some(place), true)),
            Ok(commit) => assert_eq!((commit.first_seq(), number), (next, next.number())),
        }
        tried += 1;
    }
    assert!(tried > 40, "{tried}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_header_is_corrupt_and_nothing_is_cut_or_set_aside() {
    let scene = Scene::with_commits(&[1, 1]).await;
    let file = OpenOptions::new().write(true).open(scene.journal()).unwrap();
    for (bytes, offset) in [(&b"\0"[..], 5), (&[0; 64], 0)] {
        file.write_all_at(bytes, offset).unwrap();
        let before = scene::footprint(&scene);
        let backend = scene.backend().await;
        let head = backend.head(&scene.key).await.unwrap_err();
        assert_eq!(head.kind(), ErrorKind::Corrupt);
        let append = backend.append(&scene.key, Expected::End, vec![scene::messages(9, 1)]).await;
        assert_eq!(append.unwrap_err().kind(), ErrorKind::Corrupt);
        let rows = backend.recent(&scene.key.space, &Scope::ALL, None, 10).await.unwrap();
        assert_eq!(rows.len(), 1, "listed, not hidden");
        assert!(rows[0].seen.is_err());
        assert!(scene::footprint(&scene) == before);
    }
}
