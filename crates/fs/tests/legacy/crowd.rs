//! Takeovers at the same time, and those that were cut short.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use sessile_core::backend::Expected;
use sessile_core::{Position, Space, StoredCommit, Tip};
use sessile_engine::{Filter, Page, Store};
use sessile_fs::{FsBackend, LegacyBackend, Options};

use crate::scene::{self, Scene, key};

const MESSAGES: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_write_first_at_the_same_time_take_it_over_once() {
    let scene = Scene::of("mixed");
    let before = scene.tree();
    let children: Vec<_> = (0..4)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "crowd::writes_as_a_child", "--ignored", "--quiet"])
                .env("SESSILE_TEST_ROOT", scene.root())
                .env("SESSILE_TEST_OLD", scene.old())
                .env("SESSILE_TEST_NAME", number.to_string())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = scene.store().await;
    assert_eq!(scene::listed(&store).await, scene.ids());
    for id in scene.ids() {
        let found = scene::messages(&store.open_session(&*id).await.unwrap()).await;
        let old = scene.messages(&id);
        assert_eq!(found[..old.len()], old, "{id}");
        for number in 0..4 {
            let own = |text: &&String| text.contains(&format!("p{number}-"));
            let own: Vec<&String> = found.iter().filter(own).collect();
            let wanted: Vec<String> = (0..MESSAGES)
                .map(|at| scene::said(&format!("p{number}-{at}")).as_str().to_owned())
                .collect();
            assert_eq!(own, wanted.iter().collect::<Vec<_>>(), "{id}");
        }
        assert_eq!(found.len(), old.len() + 4 * MESSAGES, "{id}");
        assert_eq!(scene::imports(&**store.backend(), &id).await.len(), 1, "{id}");
    }
    assert_eq!(scene.tree(), before);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn writes_as_a_child() {
    let path = |name| PathBuf::from(std::env::var_os(name).unwrap());
    let name = std::env::var("SESSILE_TEST_NAME").unwrap();
    let plain = FsBackend::open(path("SESSILE_TEST_ROOT"), Options::default()).await.unwrap();
    let old = path("SESSILE_TEST_OLD");
    let backend = LegacyBackend::over(Arc::new(plain), old, Space::default()).await.unwrap();
    let store = Store::on(Arc::new(backend));
    let rows = store.list(Filter::all(), Page::of(9)).await.unwrap().sessions;
    for row in rows {
        let session = store.open_session(row.id.clone()).await.unwrap();
        for at in 0..MESSAGES {
            session.append([scene::said(&format!("p{name}-{at}"))]).await.unwrap();
        }
    }
}

#[tokio::test]
async fn handles_that_were_opened_before_go_on_after_another_took_it_over() {
    let scene = Scene::of("older").in_memory();
    let (one, two) = (scene.store().await, scene.store().await);
    let first = one.open_session("ses_lines").await.unwrap();
    let second = two.open_session("ses_lines").await.unwrap();
    first.append([scene::said("First.")]).await.unwrap();
    second.append([scene::said("Second.")]).await.unwrap();
    first.append([scene::said("Third.")]).await.unwrap();
    let mut wanted = scene.messages("ses_lines");
    wanted.extend(["First.", "Second.", "Third."].map(|it| scene::said(it).as_str().to_owned()));
    assert_eq!(scene::messages(&second).await, wanted);
}

#[tokio::test]
async fn a_takeover_that_stopped_between_commits_shows_the_session_whole_and_is_completed() {
    let text = "x".repeat(700_000);
    let scene = Scene::empty();
    scene.log("long", &[text.as_str(); 9]);
    let read = scene::commits(&*scene.backend().await, "long").await;
    assert!(read.len() > 3);
    for done in 1..read.len() {
        // A backend promises of each commit alone that it is whole.
        let scene = Scene::empty().in_memory();
        scene.log("long", &[text.as_str(); 9]);
        let (before, plain) = (scene.tree(), scene.plain().await);
        let commits = read[..done].iter().map(|it| it.clone().copied(it.token)).collect();
        plain.append(&key("long"), Expected::At(Tip::ABSENT), commits).await.unwrap();
        let store = scene.store().await;
        let rows = scene::rows(&store).await;
        assert_eq!(rows.iter().map(|row| row.messages).collect::<Vec<_>>(), [9], "{done}");
        assert_eq!(scene::listed(&store).await, scene.ids());
        let session = store.open_session("long").await.unwrap();
        assert_eq!(scene::messages(&session).await, scene.messages("long"), "{done}");
        session.append([scene::said("More.")]).await.unwrap();
        let made = scene::commits(&*plain, "long").await;
        // What was durable when each was written is of no reader's.
        let same = |it: &StoredCommit| StoredCommit { synced: Position::START, ..it.clone() };
        let made: Vec<_> = made[..read.len()].iter().map(same).collect();
        assert!(made == read, "{done}");
        assert_eq!(scene::messages(&session).await.len(), 10, "{done}");
        assert_eq!(scene::listed(&scene.store().await).await, scene.ids());
        assert_eq!(scene.tree(), before);
    }
}

#[tokio::test]
async fn a_takeover_that_stopped_before_the_files_went_on_loses_nothing() {
    let text = "x".repeat(700_000);
    let scene = Scene::empty().in_memory();
    scene.log("long", &[text.as_str(); 4]);
    let first = scene::commits(&*scene.backend().await, "long").await.remove(0);
    let commit = first.clone().copied(first.token);
    let plain = scene.plain().await;
    plain.append(&key("long"), Expected::At(Tip::ABSENT), vec![commit]).await.unwrap();
    scene.log("long", &[text.as_str(); 5]);
    let store = scene.store().await;
    let rows = scene::rows(&store).await;
    let whole = rows.iter().find(|row| row.messages == 5).unwrap();
    let session = store.open_session(whole.id.clone()).await.unwrap();
    assert_eq!(scene::messages(&session).await, scene.messages("long"));
}
