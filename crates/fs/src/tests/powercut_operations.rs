//! A power cut at each step of each operation that writes.

#![expect(clippy::print_stdout, reason = "a soak adds up how much was done")]

use crate::faults::Step;
use futures_util::stream;
use rustix::io::Errno;
use sessile_core::backend::{Backend as _, Expected};
use sessile_core::commit::{Commit, Tip};
use sessile_core::position::Seq;

use super::documents;
use super::images::Syncs;
use super::powercut::{Run, commits, messages, put, revision_of};
use super::stage::{self, Stage};
use crate::backend::FsBackend;

/// Messages that lie on more than one page.
const LONG: usize = 3_000;

async fn append(stage: &Stage, backend: &FsBackend, commit: Commit) {
    backend.append(&stage.key, Expected::End, vec![commit]).await.unwrap();
}

/// A stage whose journal a handle has left, which cut its padding off.
async fn left(count: usize) -> Stage {
    let stage = Stage::with_commits(count).await;
    stage.backend.close().await.unwrap();
    stage
}

/// Checks a run whose number of images is known not to be small.
pub(super) async fn holds(run: Run<'_>, least: usize) {
    let images = run.check(Syncs::ALL).await.unwrap_or_else(|wrong| panic!("{wrong}"));
    println!("{images} images");
    assert!(images >= least, "only {images} images");
}

#[tokio::test]
async fn appends_into_padding_survive() {
    let stage = Stage::with_commits(2).await;
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    for (id, count, bytes) in [("one", 1, 30), ("three", 3, 30), ("long", 3, LONG)] {
        append(&stage, &stage.backend, messages(id, count, bytes)).await;
        run.acknowledged().await;
    }
    holds(run, 80).await;
}

#[tokio::test]
async fn appends_that_grow_the_file_survive() {
    let stage = left(2).await;
    let visitor = stage.other().await;
    let mut run = Run::begin(&stage, visitor.clone()).await;
    // The first doesn't pad, the second does.
    for (id, count, bytes) in [("one", 1, 30), ("three", 3, LONG)] {
        append(&stage, &visitor, messages(id, count, bytes)).await;
        run.acknowledged().await;
    }
    holds(run, 140).await;
}

#[tokio::test]
async fn appends_of_a_handle_that_comes_to_padding_survive() {
    let stage = Stage::with_commits(2).await;
    let visitor = stage.other().await;
    let mut run = Run::begin(&stage, visitor.clone()).await;
    for (id, count) in [("one", 1), ("three", 3)] {
        append(&stage, &visitor, messages(id, count, 30)).await;
        run.acknowledged().await;
    }
    // Its padding is cut off, which is not synced.
    visitor.close().await.unwrap();
    run.acknowledged().await;
    holds(run, 60).await;
}

#[tokio::test]
async fn a_creation_survives() {
    let stage = Stage::new().await;
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    stage.append(Tip::ABSENT, stage::header()).await.unwrap();
    run.acknowledged().await;
    append(&stage, &stage.backend, messages("three", 3, 30)).await;
    run.acknowledged().await;
    holds(run, 300).await;
}

#[tokio::test]
async fn a_creation_that_another_handle_left_half_done_survives() {
    let mut lost = Vec::new();
    // What is named in a folder, in the order in which the folders are synced.
    let named = ["store", "sessile.json", "spaces", "default", "sessions", "s.jsonl"];
    for (after, name) in (0..).zip(named) {
        let stage = Stage::new().await;
        let creation = stage::header();
        let mut run = Run::begin(&stage, stage.backend.clone()).await;
        stage.faults().fail(Step::SyncFolder, after, 1, Errno::IO);
        stage.append(Tip::ABSENT, creation.clone()).await.unwrap_err();
        let other = stage.other().await;
        run.hand_over(other.clone());
        let at = Expected::At(Tip::ABSENT);
        other.append(&stage.key, at, vec![creation]).await.unwrap();
        run.acknowledged().await;
        if let Err(wrong) = run.check(Syncs::ALL).await {
            lost.push(format!("{name}: {wrong}"));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[tokio::test]
async fn a_rewrite_survives() {
    let stage = left(3).await;
    let visitor = stage.other().await;
    append(&stage, &visitor, messages("long", 3, LONG)).await;
    append(&stage, &visitor, messages("last", 1, 30)).await;
    let mut run = Run::begin(&stage, visitor.clone()).await;
    let mut rewritten = commits(&visitor, &stage.key).await.unwrap();
    rewritten.remove(1);
    let rewritten = Box::pin(stream::iter(rewritten.into_iter().map(Ok)));
    visitor.rewrite(&stage.key, stage.tip().await, rewritten).await.unwrap();
    run.acknowledged().await;
    append(&stage, &visitor, messages("three", 3, 30)).await;
    run.acknowledged().await;
    holds(run, 100).await;
}

#[tokio::test]
async fn a_mask_survives() {
    let stage = left(1).await;
    let visitor = stage.other().await;
    append(&stage, &visitor, messages("long", 3, LONG)).await;
    let mut run = Run::begin(&stage, visitor.clone()).await;
    visitor.mask(&stage.key, stage.tip().await, vec![Seq::new(1).unwrap()]).await.unwrap();
    run.acknowledged().await;
    append(&stage, &visitor, messages("three", 3, 30)).await;
    run.acknowledged().await;
    holds(run, 160).await;
}

#[tokio::test]
async fn documents_that_are_put_first_and_swapped_in_place_survive() {
    let stage = Stage::with_commits(1).await;
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    let mut before = None;
    for value in ["first ", "second ", "third ", "fourth "].map(|value| value.repeat(LONG / 8)) {
        put(&stage.backend, &value, before).await.unwrap();
        run.acknowledged().await;
        before = Some(revision_of(&value));
    }
    holds(run, 250).await;
}

#[tokio::test]
async fn a_document_that_outgrows_its_slot_or_gets_too_long_for_one_survives() {
    let stage = Stage::with_commits(1).await;
    put(&stage.backend, "old", None).await.unwrap();
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    let mut before = revision_of("old");
    for value in ["long ".repeat(LONG), "too long ".repeat(5 * LONG), "short".to_owned()] {
        put(&stage.backend, &value, Some(before)).await.unwrap();
        run.acknowledged().await;
        before = revision_of(&value);
    }
    holds(run, 100).await;
}

#[tokio::test]
async fn a_document_that_another_handle_left_half_swapped_survives() {
    for step in [Step::Write, Step::SyncFile] {
        for value in ["new", &"long ".repeat(LONG)] {
            let stage = Stage::with_commits(1).await;
            put(&stage.backend, "older", None).await.unwrap();
            put(&stage.backend, "old", Some(revision_of("older"))).await.unwrap();
            let mut run = Run::begin(&stage, stage.backend.clone()).await;
            stage.faults().cut_short(100);
            stage.faults().fail(step, 0, 1, Errno::IO);
            put(&stage.backend, value, Some(revision_of("old"))).await.unwrap_err();
            let other = stage.other().await;
            run.hand_over(other.clone());
            put(&other, value, Some(revision_of("old"))).await.unwrap();
            run.acknowledged().await;
            put(&other, "last", Some(revision_of(value))).await.unwrap();
            run.acknowledged().await;
            holds(run, 60).await;
        }
    }
}

#[tokio::test]
async fn a_document_in_a_file_of_the_layout_before_survives_its_first_swap() {
    let stage = Stage::with_commits(1).await;
    put(&stage.backend, "old", None).await.unwrap();
    documents::lay_out_as_before(&stage);
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    for (value, before) in [("new", "old"), ("newer", "new")] {
        put(&stage.backend, value, Some(revision_of(before))).await.unwrap();
        run.acknowledged().await;
    }
    holds(run, 100).await;
}

/// What of the last line of a torn tail is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Torn {
    CutOff,
    Zeros,
}

/// A stage whose last commit is torn, durably, and the bytes that are there of it.
async fn with_torn_tail(bytes: usize, torn: Torn) -> (Stage, Vec<u8>) {
    let stage = left(2).await;
    append(&stage, &stage.other().await, messages("torn", 3, bytes)).await;
    let journal = stage.folder.path().join("store/spaces/default/sessions/s.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&journal).unwrap();
    let size = whole.len() - 40;
    file.set_len(u64::try_from(size).unwrap()).unwrap();
    if torn == Torn::Zeros {
        file.set_len(u64::try_from(whole.len()).unwrap()).unwrap();
    }
    let begin = memchr::memmem::rfind(&whole, br#"{"seq":3,"#).unwrap();
    (stage, whole[begin..size].to_vec())
}

#[tokio::test]
async fn a_repair_survives_and_loses_no_byte_of_what_was_torn() {
    for (bytes, how) in [(30, Torn::CutOff), (LONG, Torn::CutOff), (LONG, Torn::Zeros)] {
        let (stage, torn) = with_torn_tail(bytes, how).await;
        let visitor = stage.other().await;
        let mut run = Run::begin(&stage, visitor.clone()).await.keeping(torn);
        for (id, count) in [("one", 1), ("three", 3)] {
            append(&stage, &visitor, messages(id, count, 30)).await;
            run.acknowledged().await;
        }
        holds(run, 180).await;
    }
}

const NO_FILE_IS_SYNCED: Syncs = Syncs { files: false, ..Syncs::ALL };

#[tokio::test]
async fn without_a_files_sync_a_lost_commit_is_found() {
    let stage = Stage::with_commits(2).await;
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    append(&stage, &stage.backend, messages("one", 1, 30)).await;
    run.acknowledged().await;
    let wrong = run.check(NO_FILE_IS_SYNCED).await.unwrap_err();
    assert!(wrong.starts_with("lost or half"), "{wrong}");
    assert!(wrong.contains("after step 2 of 2: SyncFile"), "{wrong}");
}

#[tokio::test]
async fn without_a_files_sync_a_hollow_or_a_lost_document_is_found() {
    for (value, told) in [(&*"long ".repeat(LONG), "looked: document c/n"), ("new", "lost or half")]
    {
        let stage = Stage::with_commits(1).await;
        put(&stage.backend, "old", None).await.unwrap();
        let mut run = Run::begin(&stage, stage.backend.clone()).await;
        put(&stage.backend, value, Some(revision_of("old"))).await.unwrap();
        run.acknowledged().await;
        let wrong = run.check(NO_FILE_IS_SYNCED).await.unwrap_err();
        assert!(wrong.starts_with(told), "{wrong}");
    }
}

#[tokio::test]
async fn without_a_files_sync_a_lost_fragment_is_found() {
    let (stage, torn) = with_torn_tail(LONG, Torn::CutOff).await;
    let visitor = stage.other().await;
    let mut run = Run::begin(&stage, visitor.clone()).await.keeping(torn);
    append(&stage, &visitor, messages("one", 1, 30)).await;
    run.acknowledged().await;
    let wrong = run.check(NO_FILE_IS_SYNCED).await.unwrap_err();
    assert!(wrong.starts_with("what was torn is nowhere"), "{wrong}");
}

#[tokio::test]
async fn without_a_folders_sync_a_lost_creation_is_found() {
    let stage = Stage::new().await;
    put(&stage.backend, "old", None).await.unwrap();
    let mut run = Run::begin(&stage, stage.backend.clone()).await;
    stage.append(Tip::ABSENT, stage::header()).await.unwrap();
    run.acknowledged().await;
    let wrong = run.check(Syncs { folders: false, ..Syncs::ALL }).await.unwrap_err();
    assert!(wrong.starts_with("lost or half"), "{wrong}");
}
