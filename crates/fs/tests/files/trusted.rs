//! What is believed of a catalog without asking each journal, and what ends that.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sessile_core::backend::{Backend as _, Recent, Scope, Seen};
use sessile_core::{ErrorKind, UnixMillis};
use sessile_engine::{Clock, Filter, NewSession, Options, Page, Store};
use sessile_fs::FsBackend;

use crate::many::{catalog, newest_first, store, write};
use crate::processes;
use crate::scene::{self, Scene};

/// The ids of a page of a handle.
async fn ids(backend: &FsBackend, limit: usize) -> Vec<String> {
    let space = scene::key("any").space;
    let page = backend.recent(&space, &Scope::ALL, None, limit).await.unwrap();
    page.into_iter().map(|row: Recent| row.recency.id.to_string()).collect()
}

/// A clock that never tells one time twice, so that what is newest is known.
#[derive(Debug)]
struct Steps;

static TOLD: AtomicU64 = AtomicU64::new(1_790_000_000_000);

impl Clock for Steps {
    fn now(&self) -> UnixMillis {
        UnixMillis(TOLD.fetch_add(1, Ordering::Relaxed))
    }
}

fn over(backend: &FsBackend) -> Store {
    Store::with(Arc::new(backend.clone()), Options::default().clock(Arc::new(Steps)))
}

/// A store of so many sessions with titles, all let go of.
async fn titled(sessions: usize) -> Scene {
    let scene = Scene::new();
    let store = over(&scene.backend().await);
    for number in 0..sessions {
        let new = NewSession::new().title(format!("title {number}")).project("shop");
        store.create_as(format!("s{number:05}"), new).await.unwrap();
    }
    store.close().await.unwrap();
    scene
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_what_was_noted_opens_no_session_however_many_there_are() {
    let mut costs = Vec::new();
    for sessions in [60, 600] {
        let scene = titled(sessions).await;
        let backend = scene.backend().await;
        let store = over(&backend);
        let before = backend.counts().opens;
        for _ in 0..3 {
            let listing = store.list(Filter::all(), Page::of(50)).await.unwrap();
            let titles: Vec<_> = listing.sessions.iter().map(|row| row.title.clone()).collect();
            let expected = (0..sessions).rev().take(50).map(|it| Some(format!("title {it}")));
            assert_eq!(titles, expected.collect::<Vec<_>>());
        }
        costs.push(backend.counts().opens - before);
    }
    // The catalog, once.
    assert_eq!(costs, [1, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_does_is_seen_by_the_next_page() {
    let scene = store(20).await;
    let (reader, writer) = (scene.backend().await, scene.backend().await);
    assert_eq!(ids(&reader, 3).await, ["s019", "s018", "s017"]);
    for (number, at) in (3..9).zip(1_000..) {
        let id = format!("s{number:03}");
        for step in 0..3 {
            write(&writer, &id, at * 10 + step, 1, 20).await;
            assert_eq!(ids(&reader, 1).await, std::slice::from_ref(&id), "while it is open");
        }
        if number % 2 == 0 {
            writer.close().await.unwrap();
            assert_eq!(ids(&reader, 1).await, [id], "and when it is let go of");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalog_that_is_deleted_while_sessions_are_open_misses_no_change_of_theirs() {
    let scene = store(20).await;
    let (reader, writer) = (scene.backend().await, scene.backend().await);
    write(&writer, "s004", 1_000, 1, 20).await;
    assert_eq!(ids(&reader, 1).await, ["s004"]);
    fs::remove_file(catalog(&scene)).unwrap();
    assert_eq!(ids(&reader, 2).await, ["s004", "s019"]);
    assert_eq!(ids(&scene.backend().await, 2).await, ["s004", "s019"]);
    // It is told anew that it is open, before it is changed.
    write(&writer, "s004", 1_001, 1, 20).await;
    write(&writer, "s007", 1_002, 1, 20).await;
    for handle in [&reader, &scene.backend().await] {
        assert_eq!(ids(handle, 3).await, ["s007", "s004", "s019"]);
    }
    write(&writer, "s004", 1_003, 1, 20).await;
    assert_eq!(ids(&reader, 3).await, ["s004", "s007", "s019"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_process_did_that_was_killed_is_listed_and_what_it_had_open_is_looked_at_once() {
    let scene = store(20).await;
    let child = processes::child(&scene, "", "trusted::is_killed_as_a_child");
    assert!(!child.wait_with_output().unwrap().status.success());
    let reader = scene.backend().await;
    assert_eq!(ids(&reader, 3).await, ["s002", "s001", "s000"]);
    let mut opens = Vec::new();
    for _ in 0..2 {
        let before = reader.counts().opens;
        assert_eq!(ids(&reader, 3).await, ["s002", "s001", "s000"]);
        opens.push(reader.counts().opens - before);
    }
    // Nothing was noted by an engine, so the rows are looked at, and nothing else.
    assert_eq!(opens, [3, 3]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn is_killed_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    let backend = FsBackend::open(root, sessile_fs::Options::default()).await.unwrap();
    for number in 0..3 {
        write(&backend, &format!("s{number:03}"), 1_000 + number, 2, 20).await;
    }
    std::process::abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn journals_that_come_or_go_by_hand_do_so_for_the_next_page() {
    let [scene, other] = [store(20).await, Scene::new()];
    let foreign = other.backend().await;
    write(&foreign, "foreign", 1_000, 1, 20).await;
    foreign.close().await.unwrap();
    let journal = |scene: &Scene, id: &str| {
        scene.root().join("spaces/default/sessions").join(format!("{id}.jsonl"))
    };
    let reader = scene.backend().await;
    assert_eq!(ids(&reader, 100).await, newest_first(20));
    fs::copy(journal(&other, "foreign"), journal(&scene, "foreign")).unwrap();
    assert_eq!(ids(&reader, 2).await, ["foreign", "s019"]);
    fs::remove_file(journal(&scene, "s019")).unwrap();
    for handle in [&reader, &scene.backend().await] {
        assert_eq!(ids(handle, 2).await, ["foreign", "s018"]);
        assert_eq!(ids(handle, 100).await.len(), 20);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owners_page_opens_none_of_the_sessions_of_others() {
    let scene = Scene::new();
    let store = over(&scene.backend().await);
    for number in 0..200 {
        let owner = if number < 20 { "ours" } else { "theirs" };
        let new = NewSession::new().title("x").owner(owner);
        store.create_as(format!("s{number:03}"), new).await.unwrap();
    }
    store.close().await.unwrap();
    let backend = scene.backend().await;
    let store = over(&backend);
    let listing = store.list(Filter::all().owner("ours"), Page::of(20)).await.unwrap();
    assert_eq!(listing.sessions.len(), 20);
    assert!(listing.next.is_none());
    assert_eq!(backend.counts().opens, 1);
}

/// What a handle that knows nothing yet lists: ids and titles.
async fn rows(scene: &Scene) -> Vec<(String, Option<String>)> {
    let store = over(&scene.backend().await);
    let (mut page, mut rows) = (Page::of(70), Vec::new());
    loop {
        let listing = store.list(Filter::all(), page).await.unwrap();
        rows.extend(listing.sessions.into_iter().map(|row| (row.id.to_string(), row.title)));
        match listing.next {
            Some(cursor) => page = Page::of(70).after(cursor),
            None => return rows,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_let_go_of_tells_of_its_sessions_in_a_block_and_lines_go_on_after_it() {
    let scene = titled(600).await;
    let folded = fs::read(catalog(&scene)).unwrap();
    let second = folded.split(|byte| *byte == b'\n').nth(1).unwrap();
    assert_eq!(second.get(8..11), Some(&b"\tk\t"[..]));
    assert!(folded.len() < 600 * 70, "{} bytes", folded.len());
    let titles = |numbers: &mut dyn Iterator<Item = usize>| -> Vec<_> {
        numbers.map(|it| (format!("s{it:05}"), Some(format!("title {it}")))).collect()
    };
    let mut expected = titles(&mut (0..600).rev());
    assert_eq!(rows(&scene).await, expected);
    // Another handle changes some of them, and adds one.
    let store = over(&scene.backend().await);
    store.open_session("s00007").await.unwrap().set_title("other").await.unwrap();
    store.create_as("new", NewSession::new()).await.unwrap();
    let session = store.open_session("s00300").await.unwrap();
    session.append(["x"]).await.unwrap();
    let gone = store.open_session("s00400").await.unwrap();
    gone.delete().await.unwrap();
    drop((session, gone));
    store.close().await.unwrap();
    expected.retain(|row| !["s00300", "s00400"].contains(&&*row.0));
    let at = expected.iter().position(|row| row.0 == "s00007").unwrap();
    expected.remove(at);
    let first = [("s00300", Some("title 300")), ("new", None), ("s00007", Some("other"))];
    let first = first.map(|(id, title)| (id.to_owned(), title.map(str::to_owned)));
    expected.splice(..0, first);
    assert_eq!(rows(&scene).await, expected);
    let added = fs::read(catalog(&scene)).unwrap();
    assert!(added.starts_with(&folded) && added.len() < folded.len() + 3_000);
    // Whatever byte of the block is wrong, the journals tell the same.
    for at in (60..folded.len()).step_by(folded.len() / 9) {
        let mut altered = added.clone();
        altered[at] ^= 0x20;
        for wrong in [&altered[..], &added[..at]] {
            fs::write(catalog(&scene), wrong).unwrap();
            assert_eq!(rows(&scene).await, expected, "byte {at}");
        }
    }
    fs::remove_file(catalog(&scene)).unwrap();
    assert_eq!(rows(&scene).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_are_open_while_the_catalog_is_folded_are_let_go_of_all_the_same() {
    let scene = titled(600).await;
    let store = over(&scene.backend().await);
    let sessions = ["s00001", "s00002"];
    for id in sessions {
        store.open_session(id).await.unwrap().append(["x"]).await.unwrap();
    }
    // Another handle folds it, since a title must be gone.
    let other = over(&scene.backend().await);
    other.vacuum("s00400").await.unwrap();
    other.close().await.unwrap();
    for id in sessions {
        store.open_session(id).await.unwrap().append(["y"]).await.unwrap();
    }
    store.close().await.unwrap();
    let backend = scene.backend().await;
    let before = backend.counts().opens;
    assert_eq!(ids(&backend, 2).await, ["s00002", "s00001"]);
    // The catalog; nobody has one of them open.
    assert_eq!(backend.counts().opens - before, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_title_that_a_vacuum_drops_is_in_no_file_of_the_catalog() {
    let scene = Scene::new();
    let store = over(&scene.backend().await);
    let new = NewSession::new().title("the secret one");
    let session = store.create_as("s", new).await.unwrap();
    store.create_as("other", NewSession::new().title("another")).await.unwrap();
    store.close().await.unwrap();
    let holds = |word: &str| {
        let folder = catalog(&scene).parent().unwrap().to_owned();
        let mut files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        files.any(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).contains(word))
    };
    assert!(holds("the secret one") && holds("another"));
    drop((session, store));
    let store = over(&scene.backend().await);
    let session = store.open_session("s").await.unwrap();
    session.set_title("the public one").await.unwrap();
    store.vacuum("s").await.unwrap();
    assert!(!holds("the secret one") && holds("another"));
    store.close().await.unwrap();
    assert!(!holds("the secret one"));
    let rows = scene.backend().await.recent(&scene.key.space, &Scope::ALL, None, 9).await.unwrap();
    assert!(rows.iter().any(|row| matches!(&row.seen, Ok(Seen::Gist(_)))));
    let listing = over(&scene.backend().await).list(Filter::all(), Page::of(9)).await.unwrap();
    assert_eq!(listing.sessions[0].title.as_deref(), Some("the public one"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_read_just_now_is_not_left_out_of_a_page_of_its_project() {
    let scene = titled(5).await;
    // Nothing is noted, and one file can be opened and not read at a place.
    fs::remove_dir_all(catalog(&scene).parent().unwrap()).unwrap();
    let journal = scene.root().join("spaces/default/sessions/s00003.jsonl");
    fs::rename(&journal, scene.folder.path().join("away")).unwrap();
    assert!(Command::new("mkfifo").arg(&journal).status().unwrap().success());
    let project = Scope { project: Some("shop".parse().unwrap()), ..Scope::ALL };
    let space = &scene.key.space;
    let page = scene.backend().await.recent(space, &project, None, 9).await;
    assert_eq!(page.unwrap_err().kind(), ErrorKind::Unavailable);
    let store = over(&scene.backend().await);
    let listed = store.list(Filter::all().project("shop"), Page::of(9)).await;
    assert_eq!(listed.unwrap_err().kind(), ErrorKind::Unavailable);
    // Of all it is a row, which says why.
    let all = scene.backend().await.recent(space, &Scope::ALL, None, 9).await.unwrap();
    assert_eq!((all.len(), all.iter().filter(|row| row.seen.is_err()).count()), (5, 1));
    fs::remove_file(&journal).unwrap();
    fs::rename(scene.folder.path().join("away"), &journal).unwrap();
    let page = scene.backend().await.recent(space, &project, None, 9).await.unwrap();
    assert_eq!(page.len(), 5);
}
