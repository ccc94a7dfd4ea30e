//! Each file imported, exported to its own format, and imported again: the same messages.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scene::{Scene, fixture};

/// Names the folder with further sample files, where there is one.
const SAMPLES: &str = "SESSILE_SAMPLES";

/// All files and folders of a folder that are no notes.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_none_or(|ending| ending != "md")).collect();
    paths.sort();
    paths
}

/// Imports a file; answers the sessions and how many lines of it were skipped.
fn import(scene: &Scene, path: &Path, from: Option<&str>) -> (Vec<String>, usize) {
    let mut args = vec!["--json", "import", path.to_str().unwrap()];
    if let Some(from) = from {
        args.extend(["--from", from]);
    }
    let rows = scene.done(&args, "").json();
    let skipped = rows.iter().filter_map(|row| row["skipped"].as_array()).map(Vec::len).sum();
    let sessions = rows.iter().filter_map(|row| row["session"].as_str());
    (sessions.map(str::to_owned).collect(), skipped)
}

/// The messages of a session, byte for byte.
fn messages(scene: &Scene, id: &str) -> Vec<String> {
    let shown = scene.done(&["--json", "show", id], "").out;
    let data = shown.lines().map(|line| line.split_once("\"data\":").unwrap().1.to_owned());
    data.collect()
}

/// Whether a file has to be told its format: its program has no format of its own here.
fn from(path: &Path) -> Option<&'static str> {
    let run = Scene::new().run(&["--json", "import", path.to_str().unwrap()]);
    (run.status == 1).then_some("jsonl")
}

/// Checks one file or folder; answers how many messages it has.
fn round_trip(path: &Path) -> usize {
    let scene = Scene::new();
    let from = from(path);
    let (sessions, skipped) = import(&scene, path, from);
    let (again, skipped_again) = import(&scene, path, from);
    assert_eq!((&again, skipped_again), (&sessions, skipped), "{}", path.display());
    let mut count = 0;
    for (number, id) in sessions.iter().enumerate() {
        let said = messages(&scene, id);
        let file = scene.folder().join(format!("export-{number}"));
        scene.done(&["export", id, "-o", file.to_str().unwrap()], "");
        let other = Scene::new();
        let (copies, lost) = import(&other, &file, from);
        assert_eq!(lost, 0, "{}: nothing that was exported is unreadable", path.display());
        // A branch of its own is a session of its own; of the others that follow from its lines
        // there is none in a file of one chain.
        assert_eq!(messages(&other, copies.last().unwrap()), said, "{} {id}", path.display());
        count += said.len();
    }
    count
}

#[test]
fn what_is_exported_to_its_own_format_is_imported_as_the_same_messages() {
    for path in entries(&fixture("")) {
        assert!(round_trip(&path) > 0, "{}", path.display());
    }
}

#[test]
#[ignore = "reads the folder that SESSILE_SAMPLES names"]
fn the_samples_of_this_machine_come_back_as_the_same_messages() {
    let folder = PathBuf::from(std::env::var_os(SAMPLES).unwrap());
    let counts: Vec<(PathBuf, usize)> =
        entries(&folder).into_iter().map(|path| (path.clone(), round_trip(&path))).collect();
    // Of programs without a format of their own here every line is an event.
    let silent = counts.iter().filter(|(_, count)| *count == 0).count();
    assert!(counts.len() > silent * 8, "{counts:?}");
}
