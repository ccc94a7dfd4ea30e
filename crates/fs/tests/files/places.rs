//! Roots, permissions, links, and what stands where a journal should.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use sessile_core::backend::{Backend as _, Expected, Scope};
use sessile_core::commit::Tip;
use sessile_core::error::ErrorKind;
use sessile_core::id::SessionKey;
use sessile_fs::{FsBackend, Options};

use crate::scene::{self, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn files_are_private_and_no_temporary_one_stays() {
    let scene = Scene::with_commits(&[1, 1]).await;
    for (path, _) in scene::footprint(&scene) {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
        assert!(path.extension().is_none_or(|ending| ending != "tmp"), "{}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_made_only_when_something_is_written() {
    let scene = Scene::new();
    let backend = scene.backend().await;
    assert_eq!(backend.journals(&scene.key.space, None, 10).await.unwrap(), []);
    assert_eq!(backend.head(&scene.key).await.unwrap_err().kind(), ErrorKind::Missing);
    let append = backend.append(&scene.key, Expected::End, vec![scene::messages(1, 1)]).await;
    assert_eq!(append.unwrap_err().kind(), ErrorKind::Missing);
    assert_eq!(fs::read_dir(scene.folder.path()).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_somebody_elses_is_no_store() {
    let scene = Scene::new();
    fs::create_dir(scene.root()).unwrap();
    fs::write(scene.root().join("notes.txt"), "mine").unwrap();
    let refused = FsBackend::open(scene.root(), Options::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidPlace);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_in_place_of_the_folder_or_on_the_way_to_it_is_refused() {
    let scene = Scene::new();
    fs::write(scene.root(), "mine").unwrap();
    for root in [scene.root(), scene.root().join("below")] {
        let refused = FsBackend::open(root, Options::default()).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidPlace);
        assert!(refused.hint().is_some());
    }
    assert_eq!(fs::read(scene.root()).unwrap(), b"mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_folder_can_be_made_that_is_told() {
    let scene = Scene::new();
    let backend = FsBackend::open("/proc/none/store", Options::default()).await.unwrap();
    let header = vec![scene::header(&scene.key)];
    let create = backend.append(&scene.key, Expected::At(Tip::ABSENT), header).await;
    let told = create.unwrap_err();
    assert!(matches!(told.kind(), ErrorKind::Unavailable | ErrorKind::Permission), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_within_a_store_and_a_newer_layout_are_refused() {
    let scene = Scene::with_commits(&[]).await;
    let within = scene.root().join("spaces/x");
    let refused = FsBackend::open(within, Options::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidPlace);
    let marker = scene.root().join("sessile.json");
    fs::write(&marker, r#"{"sessile":"store","format":99}"#).unwrap();
    let newer = FsBackend::open(scene.root(), Options::default()).await.unwrap_err();
    assert_eq!(newer.kind(), ErrorKind::UnknownVersion);
    assert!(newer.to_string().contains("99"), "{newer}");
    fs::write(&marker, "{}").unwrap();
    let damaged = FsBackend::open(scene.root(), Options::default()).await.unwrap_err();
    assert_eq!(damaged.kind(), ErrorKind::Corrupt);
    assert_eq!(fs::read_to_string(&marker).unwrap(), "{}");
}

#[tokio::test(flavor = "multi_thread")]
async fn spellings_of_one_place_reach_one_store() {
    let scene = Scene::with_commits(&[1]).await;
    let link = scene.folder.path().join("link");
    symlink(scene.root(), &link).unwrap();
    for spelling in [link, scene.root().join("../store/"), scene.root().join("./")] {
        let backend = FsBackend::open(spelling, Options::default()).await.unwrap();
        assert_eq!(
            backend.journals(&scene.key.space, None, 10).await.unwrap(),
            std::slice::from_ref(&scene.key.id)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_below_the_root_are_not_followed() {
    let scene = Scene::with_commits(&[1]).await;
    let canary = scene.folder.path().join("canary");
    fs::write(&canary, "alive").unwrap();
    let journal = scene.journal().with_file_name("ses_2.jsonl");
    symlink(&canary, &journal).unwrap();
    symlink(&canary, scene.journal().with_file_name("ses_3.lock")).unwrap();
    let backend = scene.backend().await;
    let linked = scene::key("ses_2");
    assert_eq!(backend.head(&linked).await.unwrap_err().kind(), ErrorKind::Permission);
    let create = |key| {
        let backend = backend.clone();
        async move {
            let commits = vec![scene::header(&key)];
            backend.append(&key, Expected::At(Tip::ABSENT), commits).await.unwrap_err().kind()
        }
    };
    assert_eq!(create(linked).await, ErrorKind::Permission);
    assert_eq!(create(scene::key("ses_3")).await, ErrorKind::Permission);
    assert_eq!(fs::read_to_string(&canary).unwrap(), "alive");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_or_another_session_where_a_journal_should_be_is_not_missing() {
    let scene = Scene::with_commits(&[1]).await;
    fs::create_dir(scene.journal().with_file_name("ses_2.jsonl")).unwrap();
    fs::copy(scene.journal(), scene.journal().with_file_name("ses_3.jsonl")).unwrap();
    let backend = scene.backend().await;
    for id in ["ses_2", "ses_3"] {
        let error = backend.head(&scene::key(id)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{id}: {error}");
    }
    let rows = backend.recent(&scene.key.space, &Scope::ALL, None, 10).await.unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows.iter().filter(|row| row.seen.is_err()).count(), 2);
    // Copied into another space it is no session there, and what is appended goes where it is one.
    let other = |id: &str| SessionKey { space: "other".parse().unwrap(), ..scene::key(id) };
    scene::create(&backend, &other("ses_9")).await;
    let copy = scene.root().join("spaces/other/sessions/ses_1.jsonl");
    fs::copy(scene.journal(), &copy).unwrap();
    let before = fs::read(&copy).unwrap();
    for backend in [&backend, &scene.backend().await] {
        let error = backend.head(&other("ses_1")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        let commit = vec![scene::messages(7, 1)];
        backend.append(&other("ses_1"), Expected::End, commit).await.unwrap_err();
        backend.append(&scene.key, Expected::End, vec![scene::messages(8, 1)]).await.unwrap();
        backend.append(&other("ses_9"), Expected::End, vec![scene::messages(9, 1)]).await.unwrap();
    }
    assert_eq!(fs::read(&copy).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_temporary_name_is_left_alone() {
    let scene = Scene::with_commits(&[]).await;
    let canary = scene.folder.path().join("canary");
    fs::write(&canary, "alive").unwrap();
    let sessions = scene.journal().parent().unwrap().to_owned();
    for number in 0..40 {
        let name = format!(".{}-{number}.tmp", std::process::id());
        symlink(&canary, sessions.join(name)).unwrap();
    }
    let backend = scene.backend().await;
    scene::create(&backend, &scene::key("ses_2")).await;
    assert_eq!(fs::read_to_string(&canary).unwrap(), "alive");
    assert_eq!(fs::read_dir(&sessions).unwrap().count(), 40 + 4);
}
