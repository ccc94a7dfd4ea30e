//! Names that stand although they may not stay, and names that are refused for a moment.

use bytes::Bytes;
use rustix::io::Errno;
use sessile_core::backend::{
    Backend as _, Collection, DocKey, Expected, NewDocument, Precondition,
};
use sessile_core::commit::Tip;
use sessile_core::digest::{Digest, Token};
use sessile_core::error::Outcome;
use sessile_core::id::Space;
use sessile_core::position::Seq;
use sessile_core::revision::Revision;

use super::stage::{self, Stage};
use crate::faults::Step;

fn document() -> DocKey {
    let collection = Collection { space: Space::default(), name: "c".parse().unwrap() };
    DocKey { collection, name: "n".parse().unwrap() }
}

/// A value that is too long to be changed in place.
fn value(text: &str) -> NewDocument {
    let revision = Revision::new(Token::from_digest(Digest::of(text.as_bytes())));
    NewDocument { bytes: Bytes::from(text.repeat(50_000)), revision, session: None }
}

#[tokio::test]
async fn a_name_whose_folder_can_not_be_synced_has_an_unknown_outcome() {
    let stage = Stage::with_commits(2).await;
    let key = document();
    let put = |text, precondition| stage.backend.put(&key, value(text), precondition);
    put("one", Precondition::Absent).await.unwrap();
    let expected = Precondition::Revision(value("one").revision);
    stage.faults().fail(Step::SyncFolder, 0, 1, Errno::IO);
    assert_eq!(put("two", expected).await.unwrap_err().outcome(), Outcome::Unknown);
    put("two", expected).await.unwrap();
    assert_eq!(stage.backend.get(&document()).await.unwrap().bytes, value("two").bytes);

    let tip = stage.tip().await;
    let seqs = vec![Seq::new(1).unwrap()];
    stage.faults().fail(Step::SyncFolder, 0, 1, Errno::IO);
    let masked = stage.backend.mask(&stage.key, tip, seqs.clone()).await;
    assert_eq!(masked.unwrap_err().outcome(), Outcome::Unknown);
    stage.backend.mask(&stage.key, tip, seqs).await.unwrap();
    assert_eq!(stage.ids().await.len(), 3);
}

#[tokio::test]
async fn a_creation_whose_folder_can_not_be_synced_is_unknown_and_recognised() {
    let sound = Stage::new().await;
    sound.append(Tip::ABSENT, stage::header()).await.unwrap();
    // The store's own folders are synced first; the journal's name comes last.
    let before = u32::try_from(sound.backend.counts().folder_syncs - 1).unwrap();
    let stage = Stage::new().await;
    let creation = stage::header();
    stage.faults().fail(Step::SyncFolder, before, 1, Errno::IO);
    let error = stage.append(Tip::ABSENT, creation.clone()).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
    let again = stage.append(Tip::ABSENT, creation).await.unwrap();
    assert!(again.replayed);
    assert_eq!(stage.ids().await, ["header"]);
}

#[tokio::test]
async fn a_replacement_that_is_refused_for_a_moment_is_made_and_one_that_stays_refused_changes_nothing()
 {
    for (times, succeeds) in [(2, true), (u32::MAX, false)] {
        let stage = Stage::with_commits(1).await;
        let key = document();
        let put = |text, precondition| stage.backend.put(&key, value(text), precondition);
        put("one", Precondition::Absent).await.unwrap();
        let expected = Precondition::Revision(value("one").revision);
        // The temporary file gets its name; putting it in place is refused.
        stage.faults().fail(Step::Name, 1, times, Errno::BUSY);
        assert_eq!(put("two", expected).await.is_ok(), succeeds);
        stage.faults().mend();
        let held = stage.backend.get(&document()).await.unwrap().bytes;
        assert_eq!(held, value(if succeeds { "two" } else { "one" }).bytes);
        assert!(stage.other().await.get(&document()).await.is_ok());
        let next = Precondition::Revision(stage.backend.get(&document()).await.unwrap().revision);
        put("three", next).await.unwrap();
    }
}

#[tokio::test]
async fn a_torn_tail_that_can_not_be_kept_aside_is_not_cut() {
    for step in [Step::Name, Step::Write, Step::SyncFile, Step::SyncFolder, Step::Truncate] {
        let stage = Stage::with_commits(2).await;
        let journal = stage.folder.path().join("store/spaces/default/sessions/s.jsonl");
        // What it writes to tell that it has the journal open is behind it then.
        let other = stage.other().await;
        other.append(&stage.key, Expected::End, vec![stage::message(6)]).await.unwrap();
        let bytes = std::fs::read(&journal).unwrap();
        let end = bytes.iter().rposition(|byte| *byte != b'\n').unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&journal).unwrap();
        file.set_len(u64::try_from(end - 30).unwrap()).unwrap();
        other.faults().fail(step, 0, 1, Errno::NOSPC);
        let refused = other.append(&stage.key, Expected::End, vec![stage::message(7)]).await;
        assert_eq!(refused.unwrap_err().outcome(), Outcome::NotApplied, "{step:?}");
        let torn = std::fs::read(&journal).unwrap();
        assert!(bytes.starts_with(&torn) && torn.len() == end - 30, "{step:?}: nothing was cut");
        other.append(&stage.key, Expected::End, vec![stage::message(7)]).await.unwrap();
        let ids = stage.ids().await;
        assert_eq!(ids.last().map(String::as_str), Some("c7"), "{step:?}");
    }
}
