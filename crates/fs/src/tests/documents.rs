//! Documents whose files are changed in place.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use rustix::io::Errno;
use sessile_core::backend::{Backend as _, NewDocument, Precondition};
use sessile_core::error::{ErrorKind, Outcome};

use super::powercut::{document, put, revision_of};
use super::stage::Stage;
use crate::faults::Step;

fn file(stage: &Stage) -> PathBuf {
    stage.folder.path().join("store/spaces/default/documents/c/n.doc")
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats/documents");
    fs::read(PathBuf::from(folder).join(name)).unwrap()
}

/// Puts the document's file, with the value "old", into the layout that is replaced whole.
#[expect(clippy::disallowed_methods, reason = "nothing writes this layout for a short value")]
pub(super) fn lay_out_as_before(stage: &Stage) {
    fs::write(file(stage), fixture("single.doc")).unwrap();
}

async fn served(stage: &Stage) -> Bytes {
    stage.other().await.get(&document()).await.unwrap().bytes
}

#[tokio::test]
async fn files_of_both_layouts_are_as_the_formats_say() {
    let stage = Stage::new().await;
    put(&stage.backend, "older", None).await.unwrap();
    put(&stage.backend, "old", Some(revision_of("older"))).await.unwrap();
    assert_eq!(fs::read(file(&stage)).unwrap(), fixture("slots.doc"));
    lay_out_as_before(&stage);
    let held = stage.backend.get(&document()).await.unwrap();
    assert_eq!((held.bytes, held.recent), (Bytes::from("old"), vec![revision_of("old")]));
}

#[tokio::test]
async fn a_file_of_the_layout_before_is_changed_in_place_from_its_second_swap_on() {
    let stage = Stage::new().await;
    put(&stage.backend, "first", None).await.unwrap();
    lay_out_as_before(&stage);
    let mut before = "old".to_owned();
    for round in 0..40 {
        let earlier = stage.backend.counts();
        let value = format!("value {round}");
        put(&stage.backend, &value, Some(revision_of(&before))).await.unwrap();
        let counts = stage.backend.counts();
        assert_eq!(counts.file_syncs - earlier.file_syncs, 1, "round {round}");
        let names = u64::from(round == 0);
        assert_eq!(counts.folder_syncs - earlier.folder_syncs, names, "round {round}");
        assert_eq!(served(&stage).await, value);
        before = value;
    }
    let held = stage.backend.get(&document()).await.unwrap();
    let recent: Vec<_> =
        (24..40).rev().map(|round| revision_of(&format!("value {round}"))).collect();
    assert_eq!(held.recent, recent);
}

#[tokio::test]
async fn what_does_not_fit_or_goes_with_another_session_replaces_the_file() {
    let stage = Stage::new().await;
    let lengths = [10, 3_000, 9_000, 100, 120_000, 140_000, 10, 11];
    let mut before = None;
    let mut replaced = Vec::new();
    for (round, length) in lengths.into_iter().enumerate() {
        let value = round.to_string() + &"x".repeat(length);
        let earlier = stage.backend.counts().folder_syncs;
        put(&stage.backend, &value, before).await.unwrap();
        replaced.push(stage.backend.counts().folder_syncs > earlier);
        assert!(served(&stage).await == value, "round {round}");
        before = Some(revision_of(&value));
    }
    assert_eq!(replaced, [true, false, true, false, true, true, true, false]);
    let earlier = stage.backend.counts().folder_syncs;
    let session = Some(stage.key.id.clone());
    let new = NewDocument { bytes: Bytes::from("y"), revision: revision_of("y"), session };
    stage.backend.put(&document(), new, Precondition::Revision(before.unwrap())).await.unwrap();
    assert!(stage.backend.counts().folder_syncs > earlier);
    assert_eq!(stage.backend.get(&document()).await.unwrap().session, Some(stage.key.id.clone()));
}

#[tokio::test]
async fn a_write_that_stopped_at_any_byte_leaves_the_last_value_and_is_not_applied() {
    let stage = Stage::new().await;
    put(&stage.backend, "old", None).await.unwrap();
    for bytes in (0..150).step_by(7) {
        stage.faults().cut_short(bytes);
        let error = put(&stage.backend, "new", Some(revision_of("old"))).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::NotApplied, "{bytes} bytes");
        assert_eq!(served(&stage).await, "old", "{bytes} bytes");
    }
    put(&stage.backend, "new", Some(revision_of("old"))).await.unwrap();
    assert_eq!(served(&stage).await, "new");
}

#[tokio::test]
async fn a_swap_whose_sync_failed_is_unknown_and_nothing_is_written_over_what_was_durable() {
    for value in ["new", "newer"] {
        let stage = Stage::new().await;
        put(&stage.backend, "older", None).await.unwrap();
        put(&stage.backend, "old", Some(revision_of("older"))).await.unwrap();
        stage.faults().fail(Step::SyncFile, 0, 1, Errno::IO);
        let error = put(&stage.backend, "new", Some(revision_of("old"))).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
        let in_doubt = fs::File::open(file(&stage)).unwrap();
        let earlier = stage.backend.counts().folder_syncs;
        // The same once more, or the next one: both make another file.
        let before = if value == "new" { "old" } else { "new" };
        put(&stage.backend, value, Some(revision_of(before))).await.unwrap();
        assert_eq!(stage.backend.counts().folder_syncs, earlier + 1, "{value}");
        assert_eq!(served(&stage).await, value);
        let kept = std::io::read_to_string(&in_doubt).unwrap();
        assert!(kept.contains("old") && kept.contains("new"), "{kept}");
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "it is damage because it passes by the store")]
async fn for_a_damaged_value_the_one_before_it_never_stands_in() {
    let stage = Stage::new().await;
    put(&stage.backend, "older", None).await.unwrap();
    put(&stage.backend, "old", Some(revision_of("older"))).await.unwrap();
    let whole = fs::read(file(&stage)).unwrap();
    let at = memchr::memmem::rfind(&whole, b"old").unwrap();
    let mut damaged = whole.clone();
    damaged[at] ^= 1;
    fs::write(file(&stage), &damaged).unwrap();
    let error = stage.backend.get(&document()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let refused = put(&stage.backend, "new", Some(revision_of("old"))).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Corrupt);
    assert_eq!(fs::read(file(&stage)).unwrap(), damaged);
    put(&stage.backend, "new", error.actual_revision()).await.unwrap();
    assert_eq!(served(&stage).await, "new");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_reads_beside_a_writer_sees_whole_values_and_none_older_than_what_was_acknowledged() {
    let stage = Arc::new(Stage::new().await);
    // Two pages and more, so that a reader has time to come in between.
    let value = |number: u64| format!("{number} {}", "x".repeat(20_000));
    put(&stage.backend, &value(0), None).await.unwrap();
    let acknowledged = Arc::new(AtomicU64::new(0));
    let end = 400;
    let reader = || {
        let (stage, acknowledged) = (Arc::clone(&stage), Arc::clone(&acknowledged));
        tokio::spawn(async move {
            let backend = stage.other().await;
            let mut least = 0;
            let mut reads = 0_u64;
            while least < end {
                least = acknowledged.load(Ordering::SeqCst);
                let held = backend.get(&document()).await.unwrap();
                let text = std::str::from_utf8(&held.bytes).unwrap();
                let number: u64 = text.split(' ').next().unwrap().parse().unwrap();
                assert_eq!(text, value(number));
                assert!(number >= least, "{number} after {least} was acknowledged");
                reads += 1;
            }
            reads
        })
    };
    let readers = [reader(), reader()];
    for number in 1..=end {
        let before = revision_of(&value(number - 1));
        put(&stage.backend, &value(number), Some(before)).await.unwrap();
        acknowledged.store(number, Ordering::SeqCst);
    }
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
}
