//! What an append costs, and what it leaves in the file.

use futures_util::StreamExt as _;
use sessile_core::backend::{Backend as _, Expected, Span};
use sessile_core::position::{Position, Seq};

use crate::scene::{self, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn an_append_to_an_open_session_is_one_write_and_one_flush() {
    let scene = Scene::with_commits(&[1]).await;
    let backend = scene.backend().await;
    backend.append(&scene.key, Expected::End, vec![scene::messages(1, 1)]).await.unwrap();
    let mut tip = backend.head(&scene.key).await.unwrap().tip;
    let before = backend.counts();
    for number in 2..=101 {
        tip = scene::append(&backend, &scene.key, tip, scene::messages(number, 3)).await.tip;
    }
    let after = backend.counts();
    assert_eq!(after.writes - before.writes, 100);
    assert_eq!(after.file_syncs - before.file_syncs, 100);
    assert_eq!(after.folder_syncs, before.folder_syncs);
    assert_eq!(after.name_changes, before.name_changes);
    assert_eq!(after.truncations, before.truncations);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_commits_at_once_are_one_write_and_one_flush() {
    let scene = Scene::with_commits(&[1]).await;
    let backend = scene.backend().await;
    backend.append(&scene.key, Expected::End, vec![scene::messages(1, 1)]).await.unwrap();
    let before = backend.counts();
    let commits = (2..12).map(|number| scene::messages(number, 2)).collect();
    let appended = backend.append(&scene.key, Expected::End, commits).await.unwrap();
    assert_eq!(appended.len(), 10);
    let after = backend.counts();
    assert_eq!(after.writes - before.writes, 1);
    assert_eq!(after.file_syncs - before.file_syncs, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_to_a_padded_file_changes_no_size() {
    let scene = Scene::with_commits(&[1]).await;
    let size = || std::fs::metadata(scene.journal()).unwrap().len();
    let padded = size();
    assert_eq!(padded, 64 << 10);
    let backend = scene.backend().await;
    backend.append(&scene.key, Expected::End, vec![scene::messages(1, 50)]).await.unwrap();
    assert_eq!(size(), padded);
    backend.close().await.unwrap();
    let trimmed = std::fs::read(scene.journal()).unwrap();
    assert!(trimmed.ends_with(b"\"}\n"));
    assert_eq!(scene::ids(&backend, &scene.key).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visit_adds_no_padding_and_a_handle_that_stays_does() {
    let scene = Scene::with_commits(&[1]).await;
    scene.backend().await.close().await.unwrap();
    let handle = scene.backend().await;
    handle.append(&scene.key, Expected::End, vec![scene::messages(1, 1)]).await.unwrap();
    handle.close().await.unwrap();
    let size = || std::fs::metadata(scene.journal()).unwrap().len();
    let text = size();
    let handle = scene.backend().await;
    handle.append(&scene.key, Expected::End, vec![scene::messages(2, 1)]).await.unwrap();
    assert!(text < size() && size() < 4 << 10, "{text} {}", size());
    handle.append(&scene.key, Expected::End, vec![scene::messages(3, 1)]).await.unwrap();
    assert_eq!(size(), 64 << 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_added_meanwhile_is_written_again_with_the_own_commit() {
    let scene = Scene::with_commits(&[1]).await;
    let [a, b] = [scene.backend().await, scene.backend().await];
    for (number, handle) in [(1, &a), (2, &b)] {
        handle.append(&scene.key, Expected::End, vec![scene::messages(number, 1)]).await.unwrap();
    }
    for round in 0..10 {
        for (number, handle) in [(10 + 2 * round, &a), (11 + 2 * round, &b)] {
            let before = handle.counts();
            let commits = vec![scene::messages(number, 1)];
            handle.append(&scene.key, Expected::End, commits).await.unwrap();
            let after = handle.counts();
            assert_eq!(
                (after.writes, after.file_syncs),
                (before.writes + 1, before.file_syncs + 1)
            );
        }
    }
    let commits = scene::read(&a, &scene.key).await;
    let commits: Vec<_> = commits.into_iter().map(Result::unwrap).collect();
    for pair in commits[4..].windows(2) {
        // Nothing in the file says that the other's commit is durable when this one is written.
        assert_eq!(pair[1].synced.number(), pair[0].first_seq().number());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn handles_that_come_for_one_commit_each_make_the_one_before_durable_first() {
    let scene = Scene::with_commits(&[1]).await;
    for number in 1..=20 {
        let handle = scene.backend().await;
        let before = handle.counts();
        handle.append(&scene.key, Expected::End, vec![scene::messages(number, 1)]).await.unwrap();
        let after = handle.counts();
        // And the one that tells others that it is open.
        assert_eq!(after.writes - before.writes, 2 + 1);
        assert!(after.bytes_written - before.bytes_written < 2 << 10, "the cost does not grow");
        handle.close().await.unwrap();
    }
    let commits = scene::read(&scene.backend().await, &scene.key).await;
    for pair in commits[2..].windows(2) {
        let [before, after] = [&pair[0], &pair[1]].map(|commit| commit.as_ref().unwrap());
        assert_eq!(after.synced, before.tip().position);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_told_again_and_nothing_is_done_twice() {
    let scene = Scene::with_commits(&[1]).await;
    let backend = scene.backend().await;
    let tip = backend.head(&scene.key).await.unwrap().tip;
    let commits = vec![scene::messages(1, 2), scene::messages(2, 1)];
    let at = Expected::At(tip);
    let first = backend.append(&scene.key, at, commits.clone()).await.unwrap();
    for handle in [backend, scene.backend().await] {
        let again = handle.append(&scene.key, at, commits.clone()).await.unwrap();
        assert!(again.iter().all(|appended| appended.replayed));
        assert_eq!(
            again.iter().map(|a| a.tip).collect::<Vec<_>>(),
            first.iter().map(|a| a.tip).collect::<Vec<_>>()
        );
        assert_eq!(scene::ids(&handle, &scene.key).await.len(), 4);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seq_is_found_in_a_long_journal_without_reading_it_all() {
    let scene = Scene::new();
    let backend = scene.backend().await;
    scene::create(&backend, &scene.key).await;
    for batch in 0..30 {
        let commits = (0..100).map(|number| scene::messages(batch * 100 + number, 2)).collect();
        backend.append(&scene.key, Expected::End, commits).await.unwrap();
    }
    for seq in [0, 1, 2, 3, 1_000, 3_001, 5_999, 6_000, 6_001] {
        let span = Span::From(Seq::new(seq).unwrap());
        let first = backend.read(&scene.key, span).await.unwrap().next().await;
        match first {
            Some(commit) => {
                let commit = commit.unwrap();
                assert!(commit.first_seq().number() <= seq);
                assert!(commit.tip().position.number() > seq);
            }
            None => assert_eq!(seq, 6_001),
        }
        let before = Position::new(seq).unwrap();
        let span = Span::Back { before, max_bytes: 1 };
        let back: Vec<_> = backend.read(&scene.key, span).await.unwrap().collect().await;
        assert_eq!(back.len(), usize::from(seq > 0), "before {seq}");
        for commit in back {
            let position = commit.unwrap().tip().position.number();
            assert!(position <= seq && position + 2 > seq, "{position} before {seq}");
        }
    }
}
