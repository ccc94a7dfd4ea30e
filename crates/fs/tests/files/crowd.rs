//! A store of very many sessions: what opening it, holding all of them and listing a page costs.

#![expect(clippy::print_stdout, reason = "the child tells its parent, and people are told figures")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use futures_util::StreamExt as _;
use sessile_engine::{Filter, NewSession, Options, Page, Session, Store};
use sessile_fs::FsBackend;

use crate::scene::Scene;

/// How many bytes of folds a store keeps here.
const CACHE: usize = 1 << 20;

/// What a session that is held and cold may take of memory.
const HEADER_BYTES: u64 = 4 << 10;

/// How many sessions there are; the assertions are the same.
fn sessions() -> u64 {
    let is_soaking = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    if is_soaking { 100_000 } else { 2_000 }
}

async fn open(root: &Path) -> (FsBackend, Store) {
    let backend = FsBackend::open(root, sessile_fs::Options::default()).await.unwrap();
    let store = Store::with(Arc::new(backend.clone()), Options::default().residency(1, CACHE));
    (backend, store)
}

/// Makes so many sessions of one owner among those of others, a few messages each.
async fn fill(root: &Path, sessions: u64) {
    let (_, store) = open(root).await;
    let made = futures_util::stream::iter(0..sessions).for_each_concurrent(16, |number| {
        let store = store.clone();
        async move {
            let owner = if number % 8 == 0 { "ours" } else { "theirs" };
            let new = NewSession::new().title("A session").project("shop").owner(owner);
            let session = store.create_as(format!("s{number:06}"), new).await.unwrap();
            session.append(["x".repeat(300), "y".repeat(300)]).await.unwrap();
        }
    });
    made.await;
    assert_eq!(store.status().hot_sessions, 1);
    store.close().await.unwrap();
}

/// How many bytes of memory the process has.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    resident.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_sessions_is_opened_held_and_listed_by_what_is_used_of_it() {
    let (small, large) = (Scene::new(), Scene::new());
    fill(&small.root(), sessions() / 10).await;
    fill(&large.root(), sessions()).await;

    // Opening the store reads no session, and a page what stands on it.
    let mut costs = Vec::new();
    for scene in [&small, &large] {
        let (backend, store) = open(&scene.root()).await;
        assert!(backend.counts().opens <= 4, "{:?}", backend.counts());
        assert_eq!((store.status().sessions, store.status().cached_sessions), (0, 0));
        let mut opens = Vec::new();
        for filter in [Filter::all(), Filter::all().owner("ours")] {
            let before = backend.counts().opens;
            let listing = store.list(filter, Page::of(20)).await.unwrap();
            assert_eq!(listing.sessions.len(), 20);
            opens.push(backend.counts().opens - before);
        }
        costs.push(opens);
    }
    println!("files opened for a page, and for one of an owner: {costs:?}");
    // The catalog is read once; nothing else is opened, whoever's sessions there are.
    assert_eq!(costs, [[1, 0], [1, 0]]);

    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crowd::holds_all_of_them_as_a_child", "--ignored", "--nocapture"])
        .env("SESSILE_TEST_STORE", large.root())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let bytes = said.lines().find_map(|line| line.split_once("bytes a header: ")).unwrap().1;
    let bytes: u64 = bytes.trim().parse().unwrap();
    println!("bytes a header: {bytes}");
    assert!(bytes <= HEADER_BYTES, "{bytes} bytes");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn holds_all_of_them_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_STORE").unwrap();
    let (_, store) = open(Path::new(&root)).await;
    // What the first ones take once is none of what each takes.
    let mut held: Vec<Session> = Vec::new();
    for number in 0..500 {
        held.push(store.open_session(format!("s{number:06}")).await.unwrap());
    }
    let before = resident_bytes();
    for number in 500..sessions() {
        held.push(store.open_session(format!("s{number:06}")).await.unwrap());
        let status = store.status();
        assert!(status.cache_bytes <= CACHE && status.hot_sessions == 0, "{status:?}");
    }
    let status = store.status();
    assert_eq!(u64::try_from(status.sessions).unwrap(), sessions());
    let grown = resident_bytes().saturating_sub(before);
    println!("bytes a header: {}", grown / (sessions() - 500));
    for session in held.iter().step_by(97) {
        assert_eq!(session.info().messages, 2);
        assert_eq!(session.info().title().as_deref(), Some("A session"));
    }
}
