//! A process that is killed right before any step of an operation: what others then find.

#![expect(clippy::print_stdout, reason = "a soak adds up how much was done")]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sessile_core::backend::{Backend as _, Expected};
use sessile_core::commit::Tip;
use sessile_core::id::Name;

use super::life::{self, LIFE, Operation};
use super::powercut::{self, View};
use super::stage;
use crate::backend::FsBackend;
use crate::faults::Step;

/// A child that does an operation and is killed before a step of it; answers whether it lived to
/// do all of them.
pub(super) fn outlives(operation: Operation, steps: usize, root: &Path) -> bool {
    lives_through(operation, ("SESSILE_TEST_STEPS", &steps.to_string()), root)
}

/// The same for one that is killed when a write of it has put down so many bytes and no more; if
/// it has fewer writes, it lives.
fn outlives_write(operation: Operation, (write, bytes): (usize, usize), root: &Path) -> bool {
    lives_through(operation, ("SESSILE_TEST_WRITE", &format!("{write} {bytes}")), root)
}

fn lives_through(operation: Operation, until: (&str, &str), root: &Path) -> bool {
    let number = LIFE.iter().position(|of_life| *of_life == operation).unwrap();
    let mut child = life::child("tests::killed::operates_as_a_child", root);
    let child = child.env("SESSILE_TEST_OPERATION", number.to_string());
    let status = child.env(until.0, until.1).status().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{operation:?}: {status}");
    status.success()
}

#[tokio::test]
#[ignore = "the child of the tests below"]
async fn operates_as_a_child() {
    let number = std::env::var("SESSILE_TEST_OPERATION").unwrap().parse::<usize>().unwrap();
    let root = PathBuf::from(std::env::var_os("SESSILE_TEST_ROOT").unwrap());
    let backend = life::open(&root).await.unwrap();
    if let Ok(until) = std::env::var("SESSILE_TEST_WRITE") {
        dies_within_a_write(&backend, LIFE[number], &until).await;
        return;
    }
    let last = std::env::var("SESSILE_TEST_STEPS").unwrap().parse::<usize>().unwrap();
    let mut steps = 0;
    backend.faults().watch(move |_| {
        if steps == last {
            dies();
        }
        steps += 1;
    });
    LIFE[number].run(&backend).await.unwrap();
}

fn dies() -> ! {
    let own = rustix::process::getpid();
    rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
    loop {
        std::thread::park();
    }
}

/// Lets a write put down so many bytes, and takes no step after it.
async fn dies_within_a_write(backend: &FsBackend, operation: Operation, until: &str) {
    let (write, bytes) = until.split_once(' ').unwrap();
    let (write, bytes): (usize, usize) = (write.parse().unwrap(), bytes.parse().unwrap());
    let (faults, cut) = (backend.clone(), Arc::new(AtomicBool::new(false)));
    let (mut writes, was_cut) = (0, Arc::clone(&cut));
    backend.faults().watch(move |step| {
        if was_cut.load(Ordering::Relaxed) {
            dies();
        }
        if matches!(step, Step::Write | Step::Add) {
            if writes == write {
                faults.faults().cut_any_short(bytes);
                was_cut.store(true, Ordering::Relaxed);
            }
            writes += 1;
        }
    });
    let done = operation.run(backend).await;
    if cut.load(Ordering::Relaxed) {
        dies();
    }
    done.unwrap();
}

/// A store on which everything was done that comes before an operation.
pub(super) async fn before(operation: Operation) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let backend = life::open(&folder.path().join("store")).await.unwrap();
    for earlier in LIFE.into_iter().take_while(|earlier| *earlier != operation) {
        earlier.run(&backend).await.unwrap();
    }
    folder
}

/// A copy of a folder and all below it.
pub(super) fn copy(from: &Path) -> tempfile::TempDir {
    fn copy_into(from: &Path, to: &Path) {
        for entry in fs::read_dir(from).unwrap() {
            let from = entry.unwrap().path();
            let to = to.join(from.file_name().unwrap());
            if from.is_dir() {
                fs::create_dir(&to).unwrap();
                copy_into(&from, &to);
            } else {
                fs::copy(&from, &to).unwrap();
            }
        }
    }
    let to = tempfile::tempdir().unwrap();
    copy_into(from, to.path());
    to
}

/// The files below a folder that were being filled when their writer died.
pub(super) fn left_over(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(left_over(&path));
        } else if path.extension().is_some_and(|ending| ending == "tmp") {
            found.push(path);
        }
    }
    found
}

async fn view(root: &Path) -> View {
    powercut::view(&life::open(root).await.unwrap(), &life::key()).await.unwrap()
}

/// Checks that only what is the store's is listed.
async fn lists_nothing_else(root: &Path, found: &View) {
    let backend = life::open(root).await.unwrap();
    let journals = backend.journals(&life::key().space, None, 9).await.unwrap();
    let sessions: Vec<_> = found.commits.iter().map(|_| life::key().id).collect();
    assert_eq!(journals, sessions);
    let collection = powercut::document().collection;
    let documents = backend.documents(&collection, None, 9).await.unwrap();
    let names: Vec<Name> = found.document.iter().map(|_| powercut::document().name).collect();
    assert_eq!(documents, names);
    let spaces = backend.spaces(None, 9).await.unwrap();
    assert!(spaces.iter().all(|space| *space == life::key().space), "{spaces:?}");
}

/// Writes as somebody does who comes later.
async fn write_later(root: &Path, found: &View) {
    let backend = life::open(root).await.unwrap();
    let (expected, commit) = match found.commits {
        Some(_) => (Expected::End, powercut::messages("later", 1, 10)),
        None => (Expected::At(Tip::ABSENT), stage::header()),
    };
    backend.append(&life::key(), expected, vec![commit]).await.unwrap();
    let revision = found.document.as_ref().map(|(_, revision)| *revision);
    powercut::put(&backend, "later", revision).await.unwrap();
}

#[tokio::test]
async fn a_writer_that_is_killed_before_any_step_leaves_the_old_or_the_new_and_nothing_that_stays()
{
    use Operation::{Create, Mask, Outgrow, Put, Replace, Rewrite};
    for operation in [Create, Put, Replace, Outgrow, Mask, Rewrite] {
        let start = before(operation).await;
        let old = view(&start.path().join("store")).await;
        let done = copy(start.path());
        assert!(outlives(operation, usize::MAX, &done.path().join("store")));
        let new = view(&done.path().join("store")).await;
        assert_ne!(old, new, "{operation:?}");
        // Of kills: those before the new state, those with a file that was being filled.
        let (mut old_ones, mut half_made, mut steps) = (0, 0, 0);
        loop {
            let place = copy(start.path());
            let root = place.path().join("store");
            if outlives(operation, steps, &root) {
                break;
            }
            let left = left_over(place.path());
            let found = view(&root).await;
            let told = format!("{operation:?} killed before step {steps}, which left {left:?}");
            assert!(found == old || found == new, "{told}: {found:#?}");
            old_ones += usize::from(found == old);
            half_made += usize::from(!left.is_empty());
            // A link may stand beside the name that it was made from; a rename takes that away. The
            // catalog is written anew when the journal is there.
            let is_of_catalog =
                |path: &PathBuf| path.components().any(|part| part.as_os_str() == "catalog");
            let is_clean = operation == Create || left.iter().all(is_of_catalog);
            assert!(is_clean || found == old, "{told}: {found:#?}");
            lists_nothing_else(&root, &found).await;
            assert_eq!(left_over(place.path()), left, "{told}: who reads removes nothing");
            write_later(&root, &found).await;
            assert_eq!(left_over(place.path()), [""; 0].map(PathBuf::from), "{told}");
            steps += 1;
        }
        println!("{steps} kills");
        if operation == Replace {
            // In place: before the folders above are synced, which each process does once, and
            // before it is written. Its sync and the mark come after that.
            assert_eq!((half_made, old_ones, steps), (0, 5, 7));
            continue;
        }
        // Before it is written, before it is synced, before it is named.
        assert!(half_made >= 3, "{operation:?}: {half_made} of {steps}");
        // Only the folder's sync comes after the name, and the mark of what is durable.
        assert!(old_ones < steps && old_ones >= 3, "{operation:?}: {old_ones} of {steps}");
    }
}

/// How much of a write is there when its writer is killed; the second is within a line.
const WRITTEN: [usize; 3] = [1, 50, 4_096];

#[tokio::test]
async fn a_writer_that_is_killed_in_the_middle_of_any_write_leaves_the_old_or_the_new() {
    use Operation::{Close, Create, Mask, Outgrow, Put, Remove, Replace, Rewrite};
    let mut kills = 0;
    for operation in [Create, Put, Replace, Outgrow, Mask, Rewrite, Close, Remove] {
        let start = before(operation).await;
        let old = view(&start.path().join("store")).await;
        let done = copy(start.path());
        assert!(outlives(operation, usize::MAX, &done.path().join("store")));
        let new = view(&done.path().join("store")).await;
        let mut writes = 0;
        'of_all: loop {
            for bytes in WRITTEN {
                let place = copy(start.path());
                let root = place.path().join("store");
                if outlives_write(operation, (writes, bytes), &root) {
                    break 'of_all;
                }
                kills += 1;
                let found = view(&root).await;
                let told = format!("{operation:?} killed in write {writes} after {bytes} bytes");
                // Half of a line in the catalog changes no page.
                assert!(found == old || found == new, "{told}: {found:#?}");
                lists_nothing_else(&root, &found).await;
                if !found.is_deleted {
                    write_later(&root, &found).await;
                    assert_eq!(left_over(place.path()), [""; 0].map(PathBuf::from), "{told}");
                }
            }
            writes += 1;
        }
        // Of the journal or the document; and of the catalog, where it is of a journal.
        let least = if matches!(operation, Put | Replace | Outgrow) { 1 } else { 2 };
        assert!(writes >= least, "{operation:?}: {writes} writes");
    }
    println!("{kills} kills");
}
