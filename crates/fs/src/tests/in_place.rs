//! Appends that are made in their caller's thread, and those that are not.

use std::time::Duration;

use futures_util::FutureExt as _;
use rustix::io::Errno;
use sessile_core::backend::{Appended, Backend as _, Expected, handover};
use sessile_core::commit::Commit;
use sessile_core::entry::EntryType;
use sessile_core::error::{Error, ErrorKind, Outcome};

use super::stage::{Stage, commit, message};
use crate::backend::FsBackend;
use crate::faults::Step;
use crate::journals::MOST_AT_ONCE;
use crate::lock::Lock;
use crate::root;

/// A stage whose session has been appended to, so that it is open, on a disk of which it is known
/// how quick it is.
async fn stage(append_takes: Duration) -> Stage {
    let stage = Stage::with_commits(2).await;
    expect(&stage.backend, append_takes);
    stage
}

/// Has the next appends be expected to take so long.
fn expect(backend: &FsBackend, append_takes: Duration) {
    for _ in 0..100 {
        backend.pace().note(append_takes);
    }
}

/// Appends in a thread that is spare: what it came to if it was done there, else nothing, and it is
/// done on another thread until this returns.
async fn append(stage: &Stage, commit: Commit) -> Option<Result<Vec<Appended>, Error>> {
    let mut appending = stage.backend.append(&stage.key, Expected::End, vec![commit]);
    if let Some(done) = handover::spare(|| appending.as_mut().now_or_never()) {
        return Some(done);
    }
    appending.await.unwrap();
    None
}

const QUICK: Duration = Duration::from_micros(50);
const SLOW: Duration = Duration::from_millis(50);

#[tokio::test]
async fn it_is_made_there_if_the_thread_is_spare_and_the_disk_quick() {
    let stage = stage(QUICK).await;
    let done = append(&stage, message(7)).await.unwrap().unwrap();
    assert_eq!(stage.tip().await, done[0].tip);
    expect(&stage.backend, SLOW);
    assert!(append(&stage, message(8)).await.is_none());
    expect(&stage.backend, QUICK);
    let mut appending = stage.backend.append(&stage.key, Expected::End, vec![message(9)]);
    assert!(appending.as_mut().now_or_never().is_none(), "the thread is not offered");
    appending.await.unwrap();
    assert_eq!(stage.ids().await, ["header", "c0", "c1", "c7", "c8", "c9"]);
}

#[tokio::test]
async fn nobody_waits_for_a_lock_there() {
    let stage = stage(QUICK).await;
    let key = &stage.key;
    let folder = stage.backend.root().sessions(key).unwrap();
    let mut lock = Lock::open(folder, root::lock_name(key)).unwrap();
    let held = lock.hold(Duration::ZERO).unwrap();
    let mut appending = stage.backend.append(key, Expected::End, vec![message(7)]);
    assert!(handover::spare(|| appending.as_mut().now_or_never()).is_none());
    assert_eq!(stage.ids().await, ["header", "c0", "c1"]);
    drop(held);
    appending.await.unwrap();
    assert_eq!(stage.ids().await, ["header", "c0", "c1", "c7"]);
}

#[tokio::test]
async fn what_takes_more_than_a_write_is_made_elsewhere() {
    let stage = stage(QUICK).await;
    let long = format!("\"{}\"", "x".repeat(MOST_AT_ONCE));
    let long = commit("c7", EntryType::Message, &long);
    assert!(append(&stage, long).await.is_none(), "it is long");
    // Another handle has nothing open yet.
    let other = stage.other().await;
    expect(&other, QUICK);
    let mut first = other.append(&stage.key, Expected::End, vec![message(8)]);
    assert!(handover::spare(|| first.as_mut().now_or_never()).is_none());
    first.await.unwrap();
    expect(&other, QUICK);
    let second = other.append(&stage.key, Expected::End, vec![message(9)]);
    assert!(handover::spare(|| second.now_or_never()).is_some());
    assert_eq!(stage.ids().await, ["header", "c0", "c1", "c7", "c8", "c9"]);
}

#[tokio::test]
async fn a_sync_that_fails_there_leaves_the_outcome_unknown_and_the_commit_is_recognised() {
    let stage = stage(QUICK).await;
    stage.faults().fail(Step::SyncFile, 0, 1, Errno::IO);
    let commit = message(7);
    let error = append(&stage, commit.clone()).await.unwrap().unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    let done = append(&stage, commit).await.unwrap().unwrap();
    assert!(done[0].replayed);
    assert_eq!(stage.ids().await, ["header", "c0", "c1", "c7"]);
}

#[tokio::test]
async fn a_journal_that_is_gone_is_missing_there_too() {
    let stage = stage(QUICK).await;
    std::fs::remove_file(root::journal_path(stage.backend.path(), &stage.key)).unwrap();
    let error = append(&stage, message(7)).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Missing);
    let again = stage.backend.append(&stage.key, Expected::End, vec![message(8)]).await;
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Missing);
}
