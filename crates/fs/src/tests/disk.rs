//! Disks that are full, that fail to sync, that write half.

use rustix::io::Errno;
use sessile_core::backend::{Backend as _, Expected};
use sessile_core::commit::Tip;
use sessile_core::error::{ErrorKind, Outcome};

use super::stage::{self, Stage};
use crate::faults::Step;

/// What the filesystem may be asked to fail with, step by step.
const STEPS: [Step; 5] =
    [Step::Write, Step::SyncFile, Step::SyncFolder, Step::Name, Step::Truncate];

#[tokio::test]
async fn a_disk_that_was_full_for_a_while_loses_nothing_that_was_acknowledged() {
    for step in STEPS {
        for after in 0..14 {
            let stage = Stage::new().await;
            stage.faults().fail(step, after, 3, Errno::NOSPC);
            let mut tip = Tip::ABSENT;
            let mut acknowledged = Vec::new();
            // Each commit is sent, the same under the same token, until it is taken.
            for commit in [stage::header()].into_iter().chain((0..6).map(stage::message)) {
                let mut failures = 0;
                let appended = loop {
                    match stage.append(tip, commit.clone()).await {
                        Ok(appended) => break appended,
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::Unavailable, "{step:?} {after}");
                            assert!(error.may_retry(), "{step:?} {after}: {error}");
                            failures += 1;
                            assert!(failures <= 3, "{step:?} {after}: the disk has space again");
                        }
                    }
                };
                tip = appended.tip;
                acknowledged.push(commit.id().to_string());
                assert_eq!(stage.ids().await, acknowledged, "{step:?} {after}");
            }
            // A name that could not be removed is, by the next handle that writes.
            let next = vec![stage::message(9)];
            stage.other().await.append(&stage.key, Expected::End, next).await.unwrap();
            assert_eq!(stage.left_over(), [""; 0], "{step:?} {after}");
        }
    }
}

#[tokio::test]
async fn a_write_that_was_cut_short_at_any_byte_is_not_applied() {
    let stage = Stage::with_commits(2).await;
    let length = 400;
    for bytes in (0..length).step_by(7) {
        let tip = stage.tip().await;
        let before = stage.ids().await;
        stage.faults().cut_short(bytes);
        // Without space for the rest either, which is asked for once more without padding.
        stage.faults().fail(Step::Write, 1, 2, Errno::NOSPC);
        let sent = stage.append(tip, stage::message(bytes + 10)).await;
        stage.faults().mend();
        match sent {
            Ok(_) => assert_eq!(stage.ids().await.len(), before.len() + 1, "{bytes} bytes"),
            Err(error) => {
                assert_eq!(error.outcome(), Outcome::NotApplied, "{bytes} bytes");
                assert_eq!(stage.ids().await, before, "{bytes} bytes");
                assert_eq!(stage.other().await.head(&stage.key).await.unwrap().tail, None);
            }
        }
        let tip = stage.tip().await;
        stage.append(tip, stage::message(bytes + 1_000)).await.unwrap();
    }
}

#[tokio::test]
async fn a_write_that_can_not_be_cut_back_has_an_unknown_outcome() {
    for step in [Step::Truncate, Step::SyncFile] {
        let stage = Stage::with_commits(2).await;
        let tip = stage.tip().await;
        stage.faults().cut_short(20);
        stage.faults().fail(Step::Write, 1, 2, Errno::NOSPC);
        stage.faults().fail(step, 0, 1, Errno::IO);
        let error = stage.append(tip, stage::message(7)).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{step:?}");
        stage.faults().mend();
        // The half is set aside, which moves the end; then the same commit is taken once.
        let commit = stage::message(8);
        let moved = stage.append(tip, commit.clone()).await;
        if moved.is_err() {
            stage.append(stage.tip().await, commit).await.unwrap();
        }
        let ids = stage.ids().await;
        assert_eq!(ids.last().map(String::as_str), Some("c8"), "{step:?}");
        assert!(!ids.contains(&"c7".to_owned()), "{step:?}: half a commit is none");
    }
}

#[tokio::test]
async fn a_sync_that_failed_leaves_the_outcome_unknown_and_the_commit_is_recognised() {
    for step in [Step::SyncFile, Step::SyncFolder] {
        let stage = Stage::with_commits(2).await;
        let (other, tip) = (stage.other().await, stage.tip().await);
        let commit = stage::message(7);
        other.faults().fail(step, 1, 1, Errno::IO);
        if step == Step::SyncFolder {
            other.faults().mend();
            other.faults().fail(step, 0, 1, Errno::IO);
        }
        let sent = other.append(&stage.key, Expected::At(tip), vec![commit.clone()]).await;
        assert_eq!(sent.unwrap_err().outcome(), Outcome::Unknown, "{step:?}");
        let before = other.counts();
        let again = other.append(&stage.key, Expected::At(tip), vec![commit]).await.unwrap();
        let after = other.counts();
        assert_eq!(stage.ids().await.iter().filter(|id| *id == "c7").count(), 1, "{step:?}");
        assert!(after.file_syncs > before.file_syncs, "{step:?}: told again only when synced");
        assert_eq!(again.len(), 1);
    }
}

#[tokio::test]
async fn a_place_that_is_read_only_can_be_read_and_refuses_before_anything_is_there() {
    let stage = Stage::with_commits(2).await;
    stage.faults().fail(Step::Name, 0, u32::MAX, Errno::ROFS);
    stage.faults().fail(Step::Write, 0, u32::MAX, Errno::ROFS);
    assert_eq!(stage.ids().await.len(), 3);
    assert_eq!(stage.backend.journals(&stage.key.space, None, 9).await.unwrap().len(), 1);
    let empty = Stage::new().await;
    empty.faults().fail(Step::Name, 0, u32::MAX, Errno::ROFS);
    let refused = empty.append(Tip::ABSENT, stage::header()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Permission);
    assert_eq!(refused.outcome(), Outcome::NotApplied);
    assert_eq!(std::fs::read_dir(empty.folder.path()).unwrap().count(), 0);
    let tip = stage.tip().await;
    let append = stage.append(tip, stage::message(7)).await.unwrap_err();
    assert_eq!(append.kind(), ErrorKind::Permission);
}
