//! Several processes on one journal; the children are this test program, started again.

use std::process::{Child, Command};

use sessile_core::backend::{Backend as _, Expected};
use sessile_core::entry::EntryType;

use crate::scene::{self, Scene};

const COMMITS: usize = 500;

pub(crate) fn child(scene: &Scene, name: &str, test: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--quiet"])
        .env("SESSILE_TEST_ROOT", scene.root())
        .env("SESSILE_TEST_NAME", name)
        .spawn()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_appending_five_hundred_commits_each_lose_and_duplicate_nothing() {
    let scene = Scene::new();
    scene::create(&scene.backend().await, &scene.key).await;
    let names = ["a", "b"];
    let children = names.map(|name| child(&scene, name, "processes::appends_as_a_child"));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let ids = scene::ids(&scene.backend().await, &scene.key).await;
    for name in names {
        let own: Vec<_> = ids.iter().filter(|id| id.starts_with(name)).collect();
        let expected: Vec<_> = (0..COMMITS).map(|number| format!("{name}-{number}")).collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>());
    }
    assert_eq!(ids.len(), 1 + 2 * COMMITS);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn appends_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    let name = std::env::var("SESSILE_TEST_NAME").unwrap();
    let backend = sessile_fs::FsBackend::open(root, sessile_fs::Options::default()).await.unwrap();
    for number in 0..COMMITS {
        let entry = scene::entry(EntryType::Message, &number);
        let commit = scene::commit(&format!("{name}-{number}"), vec![entry]);
        backend.append(&scene::key("ses_1"), Expected::End, vec![commit]).await.unwrap();
    }
}
