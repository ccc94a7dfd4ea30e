//! What opening, reading back, loading and compacting ask of the file.

use std::fs;
use std::sync::Arc;

use futures_util::StreamExt as _;
use sessile_core::Seq;
use sessile_core::backend::{Backend as _, Expected, Span};
use sessile_engine::{From, NewSession, RawMessage, Session, Store};
use sessile_fs::{FsBackend, Options};

use crate::catalog::bytes_read;
use crate::processes;
use crate::scene::{self, Scene};

/// What the end of a journal is read in, and what tells of its header and of what was added.
const AN_END: u64 = (128 + 4 + 1) << 10;

async fn opened(root: impl AsRef<std::path::Path>) -> (FsBackend, Store) {
    let backend = FsBackend::open(root, Options::default()).await.unwrap();
    (backend.clone(), Store::on(Arc::new(backend)))
}

fn said(number: usize) -> String {
    format!("{number} {}", "said ".repeat(100 + number % 300))
}

/// A session of so many messages, four a commit, that its writer has closed.
async fn closed(scene: &Scene, messages: usize) {
    let (_, store) = opened(scene.root()).await;
    let session = store.create_as("ses_1", NewSession::new().title("t")).await.unwrap();
    for first in (0..messages).step_by(4) {
        session.append((first..messages.min(first + 4)).map(said)).await.unwrap();
    }
    store.close().await.unwrap();
}

async fn last(session: &Session, count: usize) -> Vec<RawMessage> {
    let last = session.transcript::<RawMessage>(From::last(count)).await.unwrap();
    last.all().await.unwrap()
}

fn in_a_child(scene: &Scene, test: &str) {
    let child = processes::child(scene, "", test);
    assert!(child.wait_with_output().unwrap().status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_and_the_last_messages_read_the_end_once_however_long_the_session_is() {
    for messages in [20, 100, 401, 4_000] {
        let scene = Scene::new();
        closed(&scene, messages).await;
        in_a_child(&scene, "ends::opens_and_reads_the_last_as_a_child");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above: the system counts bytes by process"]
async fn opens_and_reads_the_last_as_a_child() {
    let (backend, store) = opened(std::env::var_os("SESSILE_TEST_ROOT").unwrap()).await;
    let (read, opens) = (bytes_read(), backend.counts().opens);
    let session = store.open_session("ses_1").await.unwrap();
    let messages = last(&session, 50).await;
    let expected = session.info().messages.min(50);
    assert_eq!(u64::try_from(messages.len()).unwrap(), expected);
    let (read, opens) = (bytes_read() - read, backend.counts().opens - opens);
    assert_eq!(opens, 1);
    assert!(read <= AN_END, "{read} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn loading_everything_reads_the_file_once() {
    let scene = Scene::new();
    closed(&scene, 4_000).await;
    in_a_child(&scene, "ends::loads_everything_as_a_child");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above: the system counts bytes by process"]
async fn loads_everything_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    let journal = std::path::Path::new(&root).join("spaces/default/sessions/ses_1.jsonl");
    let size = fs::metadata(journal).unwrap().len();
    let (_, store) = opened(root).await;
    let before = bytes_read();
    let session = store.open_session("ses_1").await.unwrap();
    let messages = session.transcript::<String>(From::start()).await.unwrap().all().await.unwrap();
    assert!(messages.iter().enumerate().all(|(number, text)| *text == said(number)));
    assert_eq!(messages.len(), 4_000);
    let read = bytes_read() - before;
    assert!(read <= size + AN_END + 1_024, "{read} bytes of {size}");
}

#[tokio::test(flavor = "multi_thread")]
async fn compacting_again_reads_nothing_of_what_it_stands_for() {
    let scene = Scene::new();
    closed(&scene, 4_000).await;
    in_a_child(&scene, "ends::compacts_as_a_child");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above: the system counts bytes by process"]
async fn compacts_as_a_child() {
    let (_, store) = opened(std::env::var_os("SESSILE_TEST_ROOT").unwrap()).await;
    let session = store.open_session("ses_1").await.unwrap();
    session.append(["one more"]).await.unwrap();
    session.compact(From::last(100), ["the rest"]).await.unwrap();
    for number in 0..20 {
        session.append([said(number)]).await.unwrap();
        let before = bytes_read();
        session.compact(From::last(100), ["the rest"]).await.unwrap();
        let read = bytes_read() - before;
        // What a writer looks for beyond its end.
        assert!(read <= 9 << 10, "{read} bytes");
    }
    let kept = last(&session, 100).await;
    let view = session.view(sessile_engine::Window::last(1_000)).await.unwrap();
    assert_eq!(view.window, kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_looked_sees_whatever_others_change_then() {
    let scene = Scene::with_commits(&[3; 40]).await;
    let (reader, writer) = (scene.backend().await, scene.backend().await);
    let heads = async || {
        let (seen, fresh) = (reader.head(&scene.key).await, scene.backend().await);
        let (seen, is) = (seen.unwrap(), fresh.head(&scene.key).await.unwrap());
        assert_eq!((seen.tip, &seen.change), (is.tip, &is.change));
        let [read, expected] = [&reader, &fresh].map(async |backend| {
            let span = Span::Back { before: seen.tip.position, max_bytes: 2_000 };
            let commits = backend.read(&scene.key, span).await.unwrap();
            commits.map(Result::unwrap).collect::<Vec<_>>().await
        });
        assert_eq!(read.await, expected.await);
        seen
    };
    let first = heads().await;
    assert_eq!(heads().await.change, first.change);
    writer.append(&scene.key, Expected::End, vec![scene::messages(99, 2)]).await.unwrap();
    let second = heads().await;
    assert_ne!(second.tip, first.tip);
    writer.mask(&scene.key, second.tip, vec![Seq::new(100).unwrap()]).await.unwrap();
    let third = heads().await;
    assert_eq!(third.tip, second.tip);
    assert_ne!(third.change, second.change);
    // Its padding is given back, and somebody puts a copy in its place.
    writer.close().await.unwrap();
    heads().await;
    let copy = scene.journal().with_extension("copy");
    fs::copy(scene.journal(), &copy).unwrap();
    fs::rename(&copy, scene.journal()).unwrap();
    heads().await;
    fs::remove_file(scene.journal()).unwrap();
    let error = reader.head(&scene.key).await.unwrap_err();
    assert_eq!(error.kind(), sessile_core::ErrorKind::Missing);
}
