//! Reading back from the end: what it serves, and what it costs.

use std::fs;

use futures_util::StreamExt as _;
use sessile_core::backend::{Backend as _, Expected, Span};
use sessile_core::commit::StoredCommit;
use sessile_core::error::{DamagePlace, Error};
use sessile_core::position::Position;
use sessile_fs::FsBackend;

use crate::processes;
use crate::scene::{self, Scene};

/// A commit by its position and how many bytes it counts, or where it is damaged.
type Told = Result<(Position, u64), DamagePlace>;

fn told(item: Result<StoredCommit, Error>) -> Told {
    let commit = item.map_err(|error| error.damage().unwrap())?;
    Ok((commit.tip().position, commit.span_bytes()))
}

async fn collected(backend: &FsBackend, scene: &Scene, span: Span) -> Vec<Told> {
    backend.read(&scene.key, span).await.unwrap().map(told).collect().await
}

/// The last of all that end at or before a position and fit, but at least one, and the damage
/// among them.
fn last(all: &[Told], before: Position, max_bytes: u64) -> Vec<Told> {
    let until = all.iter().rposition(|item| item.is_ok_and(|(position, _)| position <= before));
    let mut last: Vec<Told> = Vec::new();
    let mut bytes = 0;
    for item in all[..until.map_or(0, |at| at + 1)].iter().rev() {
        bytes += item.map_or(0, |(_, bytes)| bytes);
        if bytes > max_bytes && last.iter().any(Result::is_ok) {
            break;
        }
        last.insert(0, *item);
    }
    last
}

/// Short commits, one that is longer than any block, short ones, some of which are damaged.
async fn uneven() -> Scene {
    let sizes = [&[1; 300][..], &[2_000, 2, 6_000], &[3; 400]].concat();
    let scene = Scene::with_commits(&sizes).await;
    let mut bytes = fs::read(scene.journal()).unwrap();
    for word in ["\"c20\"", "\"c21\"", "\"c301\"", "\"c500\""] {
        let at = memchr::memmem::find(&bytes, word.as_bytes()).unwrap();
        bytes[at + 1] ^= 1;
    }
    fs::write(scene.journal(), bytes).unwrap();
    scene
}

#[tokio::test(flavor = "multi_thread")]
async fn it_serves_what_reading_on_serves_of_the_end() {
    let scene = uneven().await;
    let backend = scene.backend().await;
    let all = collected(&backend, &scene, Span::ALL).await;
    assert_eq!(all.iter().filter(|item| item.is_err()).count(), 3);
    for before in all.iter().filter_map(|item| Some(item.ok()?.0)).step_by(53) {
        for max_bytes in [0, 1_000, 100_000, 2_000_000, u64::MAX] {
            let span = Span::Back { before, max_bytes };
            let mut back = collected(&backend, &scene, span).await;
            let mut expected = last(&all, before, max_bytes);
            // Damage beside them may be told here or to who reads on.
            for items in [&mut back, &mut expected] {
                items.drain(..items.iter().position(Result::is_ok).unwrap());
                items.truncate(items.iter().rposition(Result::is_ok).unwrap() + 1);
            }
            assert_eq!(back, expected, "{max_bytes} bytes before {before}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_reads_each_byte_once_however_far_back_it_goes() {
    let scene = Scene::new();
    let backend = scene.backend().await;
    scene::create(&backend, &scene.key).await;
    for batch in 0..60 {
        let commits = (0..200).map(|number| scene::messages(batch * 200 + number, 1)).collect();
        backend.append(&scene.key, Expected::End, commits).await.unwrap();
    }
    backend.close().await.unwrap();
    let child = processes::child(&scene, "", "back::reads_back_as_a_child");
    assert!(child.wait_with_output().unwrap().status.success());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above: the system counts bytes by process"]
async fn reads_back_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    let key = scene::key("ses_1");
    let backend = FsBackend::open(&root, sessile_fs::Options::default()).await.unwrap();
    let head = backend.head(&key).await.unwrap();
    let journal = std::path::Path::new(&root).join("spaces/default/sessions/ses_1.jsonl");
    let bytes = fs::metadata(journal).unwrap().len();
    let before = crate::catalog::bytes_read();
    let span = Span::Back { before: head.tip.position, max_bytes: 500_000 };
    let commits = backend.read(&key, span).await.unwrap().count().await;
    assert!(commits > 3_000, "{commits}");
    let read = crate::catalog::bytes_read() - before;
    let framed = bytes * u64::try_from(commits).unwrap() / 12_000;
    assert!(read < framed * 3 / 2, "{read} bytes read for about {framed}");
}
