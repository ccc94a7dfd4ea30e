//! A journal that was cut at any byte of its last commits.

use std::fs::OpenOptions;

use sessile_core::backend::{Backend as _, Expected, Scope};
use sessile_core::commit::Commit;
use sessile_core::entry::NewEntry;
use sessile_core::error::ErrorKind;
use sessile_core::position::Seq;

use crate::scene::{self, Scene};

/// Where each commit of a journal ends in its file, padding left out.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        if line.windows(10).any(|window| window == b",\"commit\":") {
            ends.push(at);
        }
    }
    ends
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_at_every_byte_of_the_last_two_commits_loses_no_whole_commit() {
    let scene = Scene::with_commits(&[1, 2, 3]).await;
    let whole = std::fs::read(scene.journal()).unwrap();
    let ends = ends(&whole);
    let [header, first, second, third] = ends[..] else { panic!("four commits: {ends:?}") };
    assert!(header < first);
    for cut in first..=third {
        let file = OpenOptions::new().write(true).truncate(true).open(scene.journal()).unwrap();
        std::io::Write::write_all(&mut &file, &whole[..cut]).unwrap();
        let backend = scene.backend().await;
        // A commit is whole without its line end.
        let kept = if cut + 1 >= third {
            4
        } else if cut + 1 >= second {
            3
        } else {
            2
        };
        let names = ["header", "c0", "c1", "c2"];
        assert_eq!(scene::ids(&backend, &scene.key).await, names[..kept], "cut at {cut}");
        let head = backend.head(&scene.key).await.unwrap();
        let torn = cut > ends[kept - 1];
        assert_eq!(head.tail.is_some(), torn, "cut at {cut}");
        if let Some(tail) = &head.tail {
            let end = u64::try_from(ends[kept - 1]).unwrap();
            assert_eq!(tail.offset, end, "cut at {cut}");
            assert_eq!(tail.bytes, u64::try_from(cut).unwrap() - end, "cut at {cut}");
        }

        // The next append is readable, and the fragment is kept aside byte for byte.
        let next = scene::messages(9, 2);
        if torn {
            let at = Expected::At(head.tip);
            let refused = backend.append(&scene.key, at, vec![next.clone()]).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Conflict, "cut at {cut}");
        }
        let tip = backend.head(&scene.key).await.unwrap().tip;
        backend.append(&scene.key, Expected::At(tip), vec![next]).await.unwrap();
        let ids = scene::ids(&backend, &scene.key).await;
        assert_eq!(ids.last().map(String::as_str), Some("c9"), "cut at {cut}");
        assert_eq!(ids.len(), kept + 1 + usize::from(torn), "cut at {cut}");
        let kept_aside = backend.set_aside(&scene.key).await.unwrap();
        assert_eq!(kept_aside.len(), usize::from(torn), "cut at {cut}");
        for fragment in kept_aside {
            let path = scene.root().join(fragment.kept_at.unwrap());
            assert_eq!(std::fs::read(&path).unwrap(), whole[ends[kept - 1]..cut], "cut at {cut}");
            std::fs::remove_file(path).unwrap();
        }
        assert!(backend.head(&scene.key).await.unwrap().tail.is_none());
    }
}

/// A commit whose entries bring the numbers that they had elsewhere.
fn copied(number: usize, from: u64, count: usize) -> Commit {
    let commit = scene::messages(number, count);
    let numbers = (from..).map_while(Seq::new);
    let entries = commit
        .entries()
        .iter()
        .cloned()
        .zip(numbers)
        .map(|(entry, seq)| NewEntry { seq: Some(seq), ..entry });
    scene::commit(&format!("c{number}"), entries.collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_was_cut_at_any_byte_goes_on_where_it_was_cut() {
    let scene = Scene::with_commits(&[1]).await;
    let (first, second) = (copied(7, 4, 2), copied(8, 9, 3));
    let tip = scene.backend().await.head(&scene.key).await.unwrap().tip;
    let before = {
        let backend = scene.backend().await;
        let both = vec![first.clone(), second.clone()];
        let before = ends(&std::fs::read(scene.journal()).unwrap())[1];
        backend.append(&scene.key, Expected::At(tip), both).await.unwrap();
        before
    };
    let whole = std::fs::read(scene.journal()).unwrap();
    let ends = ends(&whole);
    for cut in before..ends[3] {
        std::fs::write(scene.journal(), &whole[..cut]).unwrap();
        let backend = scene.backend().await;
        let head = backend.head(&scene.key).await.unwrap();
        let left = if cut + 1 < ends[2] {
            vec![first.clone(), second.clone()]
        } else if cut + 1 < ends[3] {
            vec![second.clone()]
        } else {
            vec![]
        };
        if !left.is_empty() {
            backend.append(&scene.key, Expected::At(head.tip), left).await.unwrap();
        }
        let ids = scene::ids(&backend, &scene.key).await;
        assert_eq!(ids, ["header", "c0", "c7", "c8"], "cut at {cut}");
        for fragment in backend.set_aside(&scene.key).await.unwrap() {
            let path = scene.root().join(fragment.kept_at.unwrap());
            assert!(whole[..cut].ends_with(&std::fs::read(&path).unwrap()), "cut at {cut}");
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_does_not_go_on_over_what_somebody_else_has_begun() {
    let scene = Scene::with_commits(&[1]).await;
    let tip = scene.backend().await.head(&scene.key).await.unwrap().tip;
    let other = copied(6, 4, 2);
    scene.backend().await.append(&scene.key, Expected::At(tip), vec![other]).await.unwrap();
    let whole = std::fs::read(scene.journal()).unwrap();
    std::fs::write(scene.journal(), &whole[..ends(&whole)[2] - 9]).unwrap();
    let backend = scene.backend().await;
    let at = Expected::At(backend.head(&scene.key).await.unwrap().tip);
    let refused = backend.append(&scene.key, at, vec![copied(7, 4, 2)]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert!(scene::ids(&backend, &scene.key).await[2].starts_with("repaired-"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_at_the_end_repairs_and_goes_on_in_one_write() {
    let scene = Scene::with_commits(&[1, 1]).await;
    let whole = std::fs::read(scene.journal()).unwrap();
    let cut = ends(&whole)[2] - 20;
    let file = OpenOptions::new().write(true).open(scene.journal()).unwrap();
    file.set_len(u64::try_from(cut).unwrap()).unwrap();
    let backend = scene.backend().await;
    let before = backend.counts();
    backend.append(&scene.key, Expected::End, vec![scene::messages(9, 1)]).await.unwrap();
    let after = backend.counts();
    // The fragment, the append, and what tells others that it is open.
    assert_eq!(after.writes - before.writes, 2 + 1);
    let commits = scene::read(&backend, &scene.key).await;
    let ids: Vec<_> = commits.iter().map(|c| c.as_ref().unwrap().id.to_string()).collect();
    assert_eq!(ids[..2], ["header", "c0"]);
    assert!(ids[2].starts_with("repaired-"), "{ids:?}");
    assert_eq!(ids[3], "c9");
}

#[tokio::test(flavor = "multi_thread")]
async fn looking_at_a_torn_journal_changes_no_byte() {
    let scene = Scene::with_commits(&[1, 1]).await;
    let whole = std::fs::read(scene.journal()).unwrap();
    let file = OpenOptions::new().write(true).open(scene.journal()).unwrap();
    file.set_len(u64::try_from(ends(&whole)[2] - 9).unwrap()).unwrap();
    let before = scene::footprint(&scene);
    let backend = scene.backend().await;
    scene::read(&backend, &scene.key).await;
    backend.head(&scene.key).await.unwrap();
    backend.set_aside(&scene.key).await.unwrap();
    backend.recent(&scene.key.space, &Scope::ALL, None, 10).await.unwrap();
    assert!(scene::footprint(&scene) == before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_torn_journal_is_read_without_its_lock_file_too() {
    let scene = Scene::with_commits(&[1, 1]).await;
    let whole = std::fs::read(scene.journal()).unwrap();
    let file = OpenOptions::new().write(true).open(scene.journal()).unwrap();
    file.set_len(u64::try_from(ends(&whole)[2] - 9).unwrap()).unwrap();
    // As for a reader that may not open it.
    std::fs::remove_file(scene.journal().with_extension("lock")).unwrap();
    let backend = scene.backend().await;
    assert_eq!(scene::ids(&backend, &scene.key).await, ["header", "c0"]);
    assert!(backend.head(&scene.key).await.unwrap().tail.is_some());
    assert!(!scene.journal().with_extension("lock").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_glued_to_half_a_record_is_still_read() {
    // Half an entry without a line end, as another program's crash leaves it.
    let scene = Scene::with_commits(&[1, 1, 1]).await;
    let mut bytes = std::fs::read(scene.journal()).unwrap();
    let end = *ends(&bytes).last().unwrap();
    bytes.truncate(end);
    bytes.extend_from_slice(b"{\"seq\":4,\"at\":1,\"type\":\"mess");
    let file = OpenOptions::new().write(true).truncate(true).open(scene.journal()).unwrap();
    std::io::Write::write_all(&mut &file, &bytes).unwrap();
    let backend = scene.backend().await;
    backend.append(&scene.key, Expected::End, vec![scene::messages(9, 1)]).await.unwrap();
    let ids = scene::ids(&scene.backend().await, &scene.key).await;
    assert_eq!(ids.last().map(String::as_str), Some("c9"));
    let text = std::fs::read_to_string(scene.journal()).unwrap();
    for line in text.lines().filter(|line| !line.is_empty()) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}
