//! A power cut at each step of what removes: sessions, their documents, and what was said.

use rustix::io::Errno;
use sessile_core::backend::{Backend as _, Expected};
use sessile_core::commit::Commit;
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::limits::Limits;
use sessile_core::payload::Payload;
use sessile_core::position::Seq;
use sessile_core::time::UnixMillis;

use super::images::Syncs;
use super::life;
use super::powercut::{Run, View, document, messages, put, put_of_session, revision_of, view};
use super::powercut_operations::holds;
use super::stage::Stage;
use crate::backend::FsBackend;
use crate::faults::Step;

/// What stands in messages and in documents, and is to be gone.
const SAID: &str = "message 0";

/// A session with a message and a document of its own, by a handle that has left.
async fn stage() -> Stage {
    let stage = Stage::with_commits(1).await;
    put_of_session(&stage.backend, &SAID.repeat(9)).await.unwrap();
    stage.backend.close().await.unwrap();
    stage
}

async fn remove(stage: &Stage, backend: &FsBackend) {
    backend.remove(&stage.key, stage.tip().await, life::tombstone()).await.unwrap();
}

fn undelete() -> Commit {
    let data = Payload::parse("{}").unwrap();
    let entries = vec![NewEntry::new(UnixMillis(11), EntryType::Undelete, data)];
    let token = Token::from_digest(Digest::of(b"undelete"));
    Commit::new("undelete".parse().unwrap(), token, entries, &Limits::default()).unwrap()
}

async fn found(stage: &Stage) -> View {
    view(&stage.other().await, &stage.key).await.unwrap()
}

#[tokio::test]
async fn a_deletion_and_an_undeletion_survive() {
    let stage = stage().await;
    let visitor = stage.other().await;
    let mut run = Run::begin(&stage, visitor.clone()).await;
    remove(&stage, &visitor).await;
    run.acknowledged().await;
    assert!(found(&stage).await.is_deleted);
    visitor.append(&stage.key, Expected::End, vec![undelete()]).await.unwrap();
    run.acknowledged().await;
    assert!(!found(&stage).await.is_deleted);
    visitor.append(&stage.key, Expected::End, vec![messages("more", 2, 9)]).await.unwrap();
    run.acknowledged().await;
    holds(run, 40).await;
}

#[tokio::test]
async fn a_document_that_is_deleted_stays_so_and_one_that_comes_after_it_survives() {
    let stage = Stage::with_commits(1).await;
    put(&stage.backend, "secret", None).await.unwrap();
    let mut run = Run::begin(&stage, stage.backend.clone()).await.forgetting("secret");
    stage.backend.delete(&document(), revision_of("secret")).await.unwrap();
    run.acknowledged().await;
    assert_eq!(found(&stage).await.document, None);
    put(&stage.backend, "another", None).await.unwrap();
    run.acknowledged().await;
    holds(run, 20).await;
}

#[tokio::test]
async fn what_was_masked_is_nowhere_once_that_was_told() {
    let stage = Stage::with_commits(1).await;
    stage.backend.close().await.unwrap();
    let visitor = stage.other().await;
    let mut run = Run::begin(&stage, visitor.clone()).await.forgetting(SAID);
    visitor.mask(&stage.key, stage.tip().await, vec![Seq::new(1).unwrap()]).await.unwrap();
    run.acknowledged().await;
    holds(run, 10).await;
}

/// What may be found while a session is purged: its documents go before its journal does.
fn without_its_document(of: View) -> View {
    View { document: None, ..of }
}

/// Deletes the session by a handle that has left.
async fn removed(stage: &Stage) {
    let visitor = stage.other().await;
    remove(stage, &visitor).await;
    visitor.close().await.unwrap();
}

/// A handle that is about to purge the session, and the run that takes down what it does: of what
/// was said nothing may be left.
async fn about_to_purge<'a>(stage: &'a Stage, said: &str) -> (FsBackend, Run<'a>) {
    let purger = stage.other().await;
    let mut run = Run::begin(stage, purger.clone()).await.forgetting(said);
    run.passing(without_its_document(found(stage).await));
    (purger, run)
}

#[tokio::test]
async fn a_purge_survives_and_nothing_of_the_session_is_left_once_that_was_told() {
    let stage = stage().await;
    removed(&stage).await;
    let (purger, mut run) = about_to_purge(&stage, SAID).await;
    purger.purge(&stage.key).await.unwrap();
    run.acknowledged().await;
    holds(run, 10).await;
}

#[tokio::test]
async fn a_purge_of_what_repairs_have_kept_survives() {
    let stage = stage().await;
    let visitor = stage.other().await;
    visitor.append(&stage.key, Expected::End, vec![messages("torn", 2, 30)]).await.unwrap();
    visitor.close().await.unwrap();
    stage.tear();
    let visitor = stage.other().await;
    visitor.append(&stage.key, Expected::End, vec![messages("more", 1, 9)]).await.unwrap();
    remove(&stage, &visitor).await;
    visitor.close().await.unwrap();
    let (purger, mut run) = about_to_purge(&stage, "xxxxxxxxx").await;
    purger.purge(&stage.key).await.unwrap();
    run.acknowledged().await;
    holds(run, 15).await;
}

#[tokio::test]
async fn a_purge_that_another_handle_left_half_done_survives() {
    let mut failures = 0;
    for step in [Step::Name, Step::Write, Step::SyncFile, Step::SyncFolder] {
        for after in 0.. {
            let stage = stage().await;
            removed(&stage).await;
            let (purger, mut run) = about_to_purge(&stage, SAID).await;
            purger.faults().fail(step, after, u32::MAX, Errno::IO);
            if purger.purge(&stage.key).await.is_ok() {
                break;
            }
            let other = stage.other().await;
            run.hand_over(other.clone());
            other.purge(&stage.key).await.unwrap();
            run.acknowledged().await;
            holds(run, 5).await;
            failures += 1;
        }
    }
    // Two names of the document's and the journal's files, a write, and four syncs.
    assert!(failures >= 7, "{failures}");
}

#[tokio::test]
async fn what_a_removal_has_left_is_found() {
    let stage = stage().await;
    let visitor = stage.other().await;
    // The header stays, whatever is removed.
    let mut run = Run::begin(&stage, visitor.clone()).await.forgetting("created_at");
    remove(&stage, &visitor).await;
    run.acknowledged().await;
    let wrong = run.check(Syncs::ALL).await.unwrap_err();
    assert!(wrong.contains("was to be gone"), "{wrong}");
}

const NO_FOLDER_IS_SYNCED: Syncs = Syncs { folders: false, ..Syncs::ALL };

#[tokio::test]
async fn without_a_folders_sync_a_purge_that_leaves_what_was_said_is_found() {
    let stage = stage().await;
    removed(&stage).await;
    let (purger, mut run) = about_to_purge(&stage, SAID).await;
    purger.purge(&stage.key).await.unwrap();
    run.acknowledged().await;
    let wrong = run.check(NO_FOLDER_IS_SYNCED).await.unwrap_err();
    assert!(wrong.starts_with("lost or half"), "{wrong}");
}

#[tokio::test]
async fn without_a_folders_sync_a_document_that_comes_back_is_found() {
    let stage = Stage::with_commits(1).await;
    put(&stage.backend, SAID, None).await.unwrap();
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    stage.backend.delete(&document(), revision_of(SAID)).await.unwrap();
    run.acknowledged().await;
    let wrong = run.check(NO_FOLDER_IS_SYNCED).await.unwrap_err();
    assert!(wrong.starts_with("lost or half"), "{wrong}");
}

#[tokio::test]
async fn without_a_files_sync_a_deletion_that_is_lost_is_found() {
    let stage = stage().await;
    let visitor = stage.other().await;
    let mut run = Run::begin(&stage, visitor.clone()).await;
    remove(&stage, &visitor).await;
    run.acknowledged().await;
    let wrong = run.check(Syncs { files: false, ..Syncs::ALL }).await.unwrap_err();
    assert!(wrong.starts_with("lost or half"), "{wrong}");
}
