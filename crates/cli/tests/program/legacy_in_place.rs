//! Session files of an older layout that are read where they lie.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::scene::Scene;

const SESSIONS: &str = "../../fixtures/session-files/mixed";

/// A copy of the fixture in the folder of a scene.
fn older(scene: &Scene) -> PathBuf {
    let (from, to) = (Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSIONS), "old");
    let to = scene.folder().join(to);
    for folder in ["sessions", "messages"] {
        fs::create_dir_all(to.join(folder)).unwrap();
        for entry in fs::read_dir(from.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, to.join(folder).join(path.file_name().unwrap())).unwrap();
        }
    }
    to
}

/// Each file with its mode and bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let below = |name: &str| fs::read_dir(folder.join(name)).unwrap();
    let paths = ["sessions", "messages"].into_iter().flat_map(below).map(|it| it.unwrap().path());
    let seen = |path: &Path| {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        (mode, fs::read(path).unwrap())
    };
    paths.map(|path| (path.clone(), seen(&path))).collect()
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[test]
fn older_sessions_are_listed_shown_and_written_to_and_their_files_stay() {
    let scene = Scene::new();
    let old = older(&scene);
    let before = tree(&old);
    let root = scene.folder().join("in-place");
    let url = format!("file:{}?legacy={}", root.display(), old.display());
    let run = |args: &[&str], input: &str| {
        scene.done(&[&["--json", "--store", &*url], args].concat(), input).json()
    };
    let all = ["ses_appended", "ses_appended_touched", "ses_touched"];
    let mut listed = run(&["list"], "");
    listed.sort_by_key(|row| row["id"].to_string());
    assert_eq!(ids(&listed), all);
    let shown = run(&["show", "ses_appended"], "");
    assert!(shown.len() > 1);
    assert_eq!(run(&["verify", "ses_appended"], "")[0]["sound"], true);
    assert!(!root.exists(), "reading made a store");
    // The first write takes it over, and is the last of its messages.
    let said = "{\"role\":\"user\",\"content\":\"More.\"}\n";
    run(&["append", "ses_appended"], said);
    let after = run(&["show", "ses_appended"], "");
    assert_eq!(after[..shown.len()], shown);
    assert_eq!(after.last().unwrap()["data"], serde_json::from_str::<Value>(said).unwrap());
    let mut again = run(&["list"], "");
    again.sort_by_key(|row| row["id"].to_string());
    assert_eq!(ids(&again), all);
    // The store has it without its files too.
    let alone = format!("file:{}", root.display());
    let alone = scene.done(&["--json", "--store", &*alone, "show", "ses_appended"], "").json();
    assert_eq!(alone, after);
    // What is deleted and purged does not come back.
    run(&["delete", "ses_touched"], "");
    run(&["purge", "ses_touched"], "");
    let mut left = run(&["list"], "");
    left.sort_by_key(|row| row["id"].to_string());
    assert_eq!(ids(&left), &all[..2]);
    assert_eq!(scene.run(&["--store", &url, "show", "ses_touched"]).status, 3);
    assert_eq!(tree(&old), before);
}

#[test]
fn a_folder_of_older_files_that_is_not_there_is_told() {
    let scene = Scene::new();
    let url = format!("file:{}?legacy=/absent/folder", scene.folder().join("store").display());
    let run = scene.run(&["--json", "--store", &url, "list"]);
    assert_eq!((run.status, run.error_kind().as_str()), (2, "invalid-place"));
    let url = format!("file:{}?other=1", scene.folder().join("store").display());
    let run = scene.run(&["--json", "--store", &url, "list"]);
    assert_eq!((run.status, run.error_kind().as_str()), (2, "invalid-place"));
}
