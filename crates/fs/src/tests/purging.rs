//! A purge that stops half-way, and what lies beside a session that is deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use sessile_core::backend::{Backend as _, Expected, Head, Scope};
use sessile_core::commit::Tip;
use sessile_core::error::{Error, ErrorKind};

use super::killed::{before, copy, left_over, outlives};
use super::life::{self, Operation};
use super::powercut::{messages, revision_of};
use super::stage;
use crate::backend::FsBackend;
use crate::faults::Step;
use crate::record::{Act, Inode};

/// Everything below a folder with its bytes.
fn footprint(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(below).unwrap() {
            let path = entry.unwrap().path();
            let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            folders.extend(path.is_dir().then(|| path.clone()));
            found.insert(path.strip_prefix(folder).unwrap().to_owned(), bytes);
        }
    }
    found
}

/// A store with one session, which is deleted, has documents in two collections, two fragments
/// that repairs set aside, and left-over files of writers that died.
async fn deleted() -> tempfile::TempDir {
    let folder = before(Operation::Remove).await;
    let root = folder.path().join("store");
    let backend = life::open(&root).await.unwrap();
    // One document was deleted; one more of the session's in its place.
    Operation::PutAnother.run(&backend).await.unwrap();
    Operation::Repair.run(&backend).await.unwrap();
    Operation::Remove.run(&backend).await.unwrap();
    let space = root.join("spaces/default");
    for (name, beside) in [
        ("sessions/s.jsonl", "sessions/.1-7.tmp"),
        ("sessions/s.jsonl", "sessions/.999999-0.tmp"),
        ("documents/c/n.doc", "documents/c/.1-8.tmp"),
    ] {
        fs::copy(space.join(name), space.join(beside)).unwrap();
    }
    folder
}

/// The one row of a listing, by another process.
async fn listed(root: &Path) -> Result<Head, Error> {
    let backend = life::open(root).await.unwrap();
    let key = life::key();
    let journals = backend.journals(&key.space, None, 9).await.unwrap();
    assert_eq!(journals, std::slice::from_ref(&key.id));
    let mut rows = backend.recent(&key.space, &Scope::ALL, None, 9).await.unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0).seen.map(|seen| seen.into_head().unwrap())
}

/// Checks that a session is deleted for whoever asks, whatever is left of it.
async fn is_deleted(root: &Path, told: &str) {
    let head = listed(root).await.unwrap_or_else(|error| panic!("{told}: {error}"));
    assert!(head.deleted, "{told}");
    let backend = life::open(root).await.unwrap();
    let key = life::key();
    let again = backend.append(&key, Expected::At(Tip::ABSENT), vec![stage::header()]).await;
    let more = backend.append(&key, Expected::End, vec![messages("more", 1, 9)]).await;
    for refused in [again, more] {
        let kind = refused.unwrap_err().kind();
        assert!(matches!(kind, ErrorKind::Deleted | ErrorKind::Conflict), "{told}: {kind:?}");
    }
}

/// What an undisturbed purge leaves.
async fn purged(start: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let place = copy(start);
    let root = place.path().join("store");
    life::open(&root).await.unwrap().purge(&life::key()).await.unwrap();
    let mut left = footprint(&root);
    // What listing is spared looks by holds nothing of what was said.
    let catalog = left.remove(Path::new("spaces/default/catalog/recency")).unwrap();
    assert!(!String::from_utf8(catalog).unwrap().contains("xxxx"));
    let files: Vec<_> =
        left.iter().filter(|(_, bytes)| !bytes.is_empty()).map(|(path, _)| path.clone()).collect();
    assert_eq!(files, ["sessile.json", "spaces/default/sessions/s.jsonl"].map(PathBuf::from));
    assert!(!left.contains_key(Path::new("spaces/default/set-aside/s")), "{left:#?}");
    left
}

fn same_as(left: &BTreeMap<PathBuf, Vec<u8>>, root: &Path, told: &str) {
    let mut found = footprint(root);
    // Who is not there any more may have left a file in the catalog that tells so.
    found.retain(|path, _| path.parent() != Some(Path::new("spaces/default/catalog")));
    assert_eq!(found, *left, "{told}");
}

/// The folders whose names changed after they were synced last.
fn not_durable(acts: &[Act]) -> Vec<Inode> {
    let mut changed = BTreeSet::new();
    for act in acts {
        match act {
            Act::Make { folder, .. }
            | Act::Link { folder, .. }
            | Act::Rename { folder, .. }
            | Act::Remove { folder, .. } => {
                changed.insert(*folder);
            }
            Act::SyncFolder { folder } => {
                changed.remove(folder);
            }
            Act::Write { .. } | Act::Cut { .. } | Act::SyncFile { .. } => {}
        }
    }
    changed.into_iter().collect()
}

#[tokio::test]
async fn a_purge_that_fails_at_any_step_is_finished_by_purging_again() {
    let start = deleted().await;
    let left = purged(start.path()).await;
    let mut failures = Vec::new();
    for step in [Step::Name, Step::Write, Step::SyncFile, Step::SyncFolder] {
        for after in 0.. {
            let place = copy(start.path());
            let root = place.path().join("store");
            let backend = life::open(&root).await.unwrap();
            backend.faults().record.begin();
            backend.faults().fail(step, after, u32::MAX, Errno::IO);
            let Err(error) = backend.purge(&life::key()).await else { break };
            let told = format!("{step:?} failed after {after}: {error}");
            assert_eq!(error.kind(), ErrorKind::Unavailable, "{told}");
            is_deleted(&root, &told).await;
            let mut acts = backend.faults().record.acts();
            backend.faults().mend();
            // By whoever has it open, or by whoever comes.
            let is_same = after % 2 == 0;
            let backend: FsBackend =
                if is_same { backend } else { life::open(&root).await.unwrap() };
            backend.faults().record.begin();
            backend.purge(&life::key()).await.unwrap_or_else(|error| panic!("{told}: {error}"));
            is_deleted(&root, &told).await;
            same_as(&left, &root, &told);
            acts.extend(backend.faults().record.acts());
            assert_eq!(not_durable(&acts), [0; 0], "{told}: {acts:#?}");
            failures.push(step);
        }
    }
    let times = |step| failures.iter().filter(|failed| **failed == step).count();
    // Two documents, two fragments and their folder, three left-over files, the new journal's
    // name twice.
    assert!(times(Step::Name) >= 2 + 3 + 3 + 2, "{failures:?}");
    assert!(times(Step::SyncFolder) >= 5, "{failures:?}");
    assert!(times(Step::Write) >= 1 && times(Step::SyncFile) >= 1, "{failures:?}");
}

#[tokio::test]
async fn a_purge_that_is_killed_before_any_step_is_finished_by_purging_again() {
    let start = deleted().await;
    let left = purged(start.path()).await;
    for steps in 0.. {
        let place = copy(start.path());
        let root = place.path().join("store");
        let is_over = outlives(Operation::Purge, steps, &root);
        let told = format!("killed before step {steps}");
        is_deleted(&root, &told).await;
        if is_over {
            assert!(steps > 15, "{told}");
            break;
        }
        life::open(&root).await.unwrap().purge(&life::key()).await.unwrap();
        is_deleted(&root, &told).await;
        same_as(&left, &root, &told);
    }
}

#[tokio::test]
async fn nothing_beside_a_deleted_session_brings_it_back_and_a_purge_leaves_nothing_of_the_stores()
{
    let start = deleted().await;
    let root = start.path().join("store");
    let sessions = root.join("spaces/default/sessions");
    // What other programs leave beside a file that they changed.
    let backups = ["s.jsonl.bak", "s.jsonl~", "s.bak", ".s.jsonl.swp", "s.tmp", "s.jsonl.tmp"];
    for name in backups {
        fs::copy(sessions.join("s.jsonl"), sessions.join(name)).unwrap();
    }
    // A handle that has been there before: what is left over since then it has not seen.
    let writer = life::open(&root).await.unwrap();
    let more = writer.append(&life::key(), Expected::End, vec![messages("more", 1, 9)]).await;
    assert_eq!(more.unwrap_err().kind(), ErrorKind::Deleted);
    for number in 0..3 {
        let name = format!(".1-{number}.tmp");
        fs::copy(sessions.join("s.jsonl"), sessions.join(name)).unwrap();
    }
    let before = footprint(start.path());
    assert_eq!(left_over(start.path()).len(), 1 + 3 + 2);
    assert!(listed(&root).await.unwrap().deleted);
    let reader = life::open(&root).await.unwrap();
    assert!(reader.head(&life::key()).await.unwrap().deleted);
    let spaces = reader.spaces(None, 9).await.unwrap();
    assert_eq!(spaces, [life::key().space]);
    assert_eq!(footprint(start.path()), before, "listing changes nothing");

    writer.purge(&life::key()).await.unwrap();
    let after = footprint(&sessions);
    let names: Vec<_> = after.keys().map(|name| name.to_str().unwrap()).collect();
    let mut expected = vec!["s.jsonl", "s.lock"];
    expected.extend(backups);
    expected.sort_unstable();
    assert_eq!(names, expected, "what is not the store's is nobody's to remove");
    let bytes = |name: &str| before.get(&Path::new("store/spaces/default/sessions").join(name));
    for name in backups {
        assert_eq!(after.get(Path::new(name)), bytes(name), "{name}");
    }
    is_deleted(&root, "after a purge").await;
    let revision = revision_of("new");
    assert_eq!(
        reader.delete(&super::powercut::document(), revision).await.unwrap_err().kind(),
        ErrorKind::Missing
    );
}

#[tokio::test]
async fn a_mask_leaves_no_file_of_a_dead_writer_that_holds_what_was_masked() {
    let start = before(Operation::Mask).await;
    let root = start.path().join("store");
    let sessions = root.join("spaces/default/sessions");
    let backend = life::open(&root).await.unwrap();
    let more = vec![messages("more", 1, 9)];
    backend.append(&life::key(), Expected::End, more).await.unwrap();
    fs::copy(sessions.join("s.jsonl"), sessions.join(".1-7.tmp")).unwrap();
    Operation::Mask.run(&backend).await.unwrap();
    assert_eq!(left_over(start.path()), [""; 0].map(PathBuf::from));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "it is damage because it passes by the store")]
async fn a_damaged_document_goes_with_its_session_if_it_says_so_and_else_is_told_and_kept() {
    let start = deleted().await;
    let root = start.path().join("store");
    let file = root.join("spaces/default/documents/c/n.doc");
    let whole = fs::read(&file).unwrap();
    let backend = life::open(&root).await.unwrap();

    let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap();
    fs::write(&file, &whole[..first_line]).unwrap();
    let error = backend.purge(&life::key()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("n.doc"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), &whole[..first_line]);
    is_deleted(&root, "after a purge that was refused").await;

    fs::write(&file, &whole[..=first_line]).unwrap();
    assert!(
        matches!(backend.get(&super::powercut::document()).await, Err(error) if error.kind() == ErrorKind::Corrupt)
    );
    backend.purge(&life::key()).await.unwrap();
    assert!(!file.exists());
}
