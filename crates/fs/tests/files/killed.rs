//! Processes that do everything at once on one store, killed at random moments and started again.

#![expect(clippy::print_stdout, reason = "a soak adds up how much was done")]

mod notes;
mod work;

use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::process::Child;
use std::thread;
use std::time::Duration;

use sessile_core::backend::Backend as _;
use sessile_core::error::ErrorKind;

use self::notes::Notes;
use self::work::{DOCUMENTS, SHARED};
use crate::many::{catalog, listed};
use crate::processes;
use crate::scene::{self, Scene};

/// How many processes work at once: one for each document.
const WORKERS: usize = DOCUMENTS.len();

/// How often one is killed.
fn kills() -> usize {
    let soaks = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    if soaks { 600 } else { 25 }
}

/// A number below a bound, that nobody chose.
fn below(bound: u64) -> u64 {
    RandomState::new().build_hasher().finish() % bound
}

fn started(scene: &Scene, worker: usize, life: usize) -> Child {
    processes::child(scene, &format!("w{worker}.{life}"), "killed::works_as_a_child")
}

#[tokio::test(flavor = "multi_thread")]
async fn whenever_processes_are_killed_what_was_told_stands_once_and_what_was_removed_stays_so() {
    let scene = Scene::new();
    let backend = scene.backend().await;
    for id in SHARED {
        scene::create(&backend, &scene::key(id)).await;
    }
    let mut working: Vec<Child> = (0..WORKERS).map(|worker| started(&scene, worker, 0)).collect();
    for life in 1..=kills() {
        thread::sleep(Duration::from_millis(2 + below(60)));
        let worker = usize::try_from(below(4)).unwrap();
        working[worker].kill().unwrap();
        assert!(!working[worker].wait().unwrap().success());
        working[worker] = started(&scene, worker, life);
    }
    fs::write(work::end(&scene.root()), "").unwrap();
    for mut child in working {
        assert!(child.wait().unwrap().success());
    }
    let told = look(&scene).await;
    println!("{} kills: {told} commits were told", kills());
}

/// Holds what is there against what was noted; answers how many commits were told.
async fn look(scene: &Scene) -> usize {
    let notes = Notes::read(&fs::read_to_string(work::notes(&scene.root())).unwrap());
    let backend = scene.backend().await;
    for id in SHARED {
        let stands = scene::ids(&backend, &scene::key(id)).await;
        notes.check_journal(id, &stands).unwrap();
    }
    for name in DOCUMENTS {
        let held = match backend.get(&work::document(name)).await {
            Ok(document) => Some(String::from_utf8(document.bytes.to_vec()).unwrap()),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Missing, "{error}");
                None
            }
        };
        notes.check_document(name, held.as_deref()).unwrap();
    }
    for id in notes.made() {
        let head = backend.head(&scene::key(id)).await;
        notes.check_session(id, head.as_ref().ok().map(|head| head.deleted)).unwrap();
    }
    // What the catalog says is what the journals say.
    let by_catalog = listed(scene).await;
    fs::remove_file(catalog(scene)).unwrap();
    assert_eq!(listed(scene).await, by_catalog);
    notes.told()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn works_as_a_child() {
    work::go_on().await;
}
