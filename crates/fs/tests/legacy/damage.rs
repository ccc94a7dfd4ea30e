//! What can't be read is an error or a damaged row, and never an empty list or a missing session.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::sync::Arc;

use sessile_core::backend::Expected;
use sessile_core::{ErrorKind, Outcome, Space};
use sessile_engine::{Filter, Page};
use sessile_fs::LegacyBackend;
use sessile_interchange::session_files::Folder;
use sessile_memory::MemoryBackend;

use crate::scene::{self, Scene, fixture, key};

#[tokio::test]
async fn what_is_damaged_is_listed_as_damaged_and_hides_no_other() {
    let scene = Scene::of("damaged");
    let (before, store) = (scene.tree(), scene.store().await);
    let rows = scene::rows(&store).await;
    assert_eq!(rows.len(), scene.ids().len());
    for row in rows {
        let id = row.id.as_str();
        let error = fs::read_to_string(fixture("damaged").join(format!("{id}.error")));
        assert_eq!(row.damaged, error.is_ok(), "{id}");
        let Ok(error) = error else {
            assert_eq!(id, "ses_sound");
            continue;
        };
        let (file, reason) = error.trim_end().split_once(": ").unwrap();
        assert_eq!(row.problem, Some(format!("the session can't be read: {reason}")), "{id}");
        let error = store.open_session(id).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{id}");
        assert!(error.to_string().contains(file), "{error}");
        // Nothing is written on what can't be read, and nobody gets its name.
        let touch = scene::commits(&**store.backend(), "ses_sound").await.remove(0);
        let touch = touch.clone().copied(touch.token);
        let error = store.backend().append(&key(id), Expected::End, vec![touch]).await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Corrupt, Outcome::NotApplied));
        let error = store.create_as(id, sessile_engine::NewSession::new()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{id}");
    }
    assert_eq!(scene.tree(), before);
    assert!(!scene.root().exists());
}

#[tokio::test]
async fn a_file_in_place_of_a_folder_is_an_error_and_no_empty_list() {
    for of in [Folder::Sessions, Folder::Messages] {
        let scene = Scene::empty();
        fs::write(scene.old().join(of.name()), "").unwrap();
        let store = scene.store().await;
        let error = store.list(Filter::all(), Page::of(9)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{of}");
        let error = store.backend().journals(&Space::default(), None, 9).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{of}");
        let error = store.open_session("a").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{of}");
    }
}

#[tokio::test]
async fn a_folder_in_place_of_a_file_and_a_link_are_told_and_hide_no_other() {
    let scene = Scene::of("current");
    fs::create_dir(scene.old().join("sessions/folder.jsonl")).unwrap();
    symlink("/etc/hostname", scene.old().join("sessions/link.jsonl")).unwrap();
    let store = scene.store().await;
    let rows = scene::rows(&store).await;
    let damaged: Vec<&str> =
        rows.iter().filter(|row| row.damaged).map(|row| row.id.as_str()).collect();
    assert_eq!(damaged, ["folder", "link"]);
    assert_eq!(rows.len(), 6);
    let kind = async |id: &str| store.open_session(id).await.unwrap_err().kind();
    assert_eq!(kind("folder").await, ErrorKind::Corrupt);
    assert_eq!(kind("link").await, ErrorKind::Permission);
}

#[tokio::test]
async fn a_folder_that_is_gone_is_an_error_and_no_empty_list() {
    let scene = Scene::of("current");
    let store = scene.store().await;
    fs::rename(scene.old(), scene.old().with_extension("unmounted")).unwrap();
    let error = store.list(Filter::all(), Page::of(9)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let error = store.open_session("ses_18f3_1").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let error = store.create_as("ses_18f3_1", sessile_engine::NewSession::new()).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_place_that_is_no_folder_of_session_files_is_refused() {
    let scene = Scene::empty();
    let over = async |path: PathBuf| {
        let memory = Arc::new(MemoryBackend::new());
        LegacyBackend::over(memory, path, Space::default()).await.map(drop)
    };
    fs::write(scene.old().join("file"), "").unwrap();
    for name in ["absent", "file"] {
        let error = over(scene.old().join(name)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{name}");
    }
    // A store's own journals look like logs.
    let store = sessile_engine::Store::on(scene.plain().await);
    store.create_as("a", sessile_engine::NewSession::new()).await.unwrap();
    for path in ["", "spaces/default"] {
        let error = over(scene.root().join(path)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace);
        assert!(error.to_string().contains("store"), "{error}");
    }
    over(scene.old()).await.unwrap();
}

#[tokio::test]
async fn files_that_may_only_be_read_are_enough() {
    let scene = Scene::of("mixed");
    let narrow = |mode_of_folder: u32, mode_of_file: u32| {
        for folder in [scene.old().join("sessions"), scene.old().join("messages")] {
            for entry in fs::read_dir(&folder).unwrap() {
                let mode = fs::Permissions::from_mode(mode_of_file);
                fs::set_permissions(entry.unwrap().path(), mode).unwrap();
            }
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode_of_folder)).unwrap();
        }
    };
    narrow(0o555, 0o444);
    let (before, store) = (scene.tree(), scene.store().await);
    for id in scene.ids() {
        let session = store.open_session(&*id).await.unwrap();
        session.append([scene::said("More.")]).await.unwrap();
    }
    assert_eq!(scene.tree(), before);
    narrow(0o755, 0o644);
}
