//! Importing and exporting snapshots.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::scene::Scene;

const FILES: [&str; 4] =
    ["v1/boundary.json", "v2/boundary.json", "v2/indeterminate.json", "own/run.json"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/snapshots").join(name)
}

#[test]
fn a_snapshot_comes_back_byte_for_byte_and_is_taken_over_once() {
    for file in FILES {
        let scene = Scene::new();
        let path = fixture(file);
        let path = path.to_str().unwrap();
        let text = fs::read_to_string(path).unwrap();
        let row = scene.done(&["--json", "import", path], "").json().remove(0);
        let id = row["session"].as_str().unwrap();
        let expected = json!({
            "source": path, "format": "snapshot", "session": id, "messages": 0, "added": 1,
        });
        assert_eq!(row, expected, "{file}");
        assert_eq!(scene.done(&["export", id, "--to", "snapshot"], "").out, text, "{file}");
        let again = scene.done(&["--json", "import", path, "--from", "snapshot"], "").json();
        assert_eq!((&again[0]["session"], &again[0]["added"]), (&id.into(), &0.into()), "{file}");
        let told = scene.done(&["import", path], "").out;
        assert_eq!(told, format!("{id}: the snapshot is there already\n"));
        assert_eq!(scene.done(&["--json", "list"], "").json().len(), 1, "{file}");
        let out = scene.folder().join("run.json");
        let args = ["--json", "export", id, "--to", "snapshot", "-o", out.to_str().unwrap()];
        let row = scene.done(&args, "").json().remove(0);
        assert_eq!((&row["format"], &row["bytes"]), (&"snapshot".into(), &text.len().into()));
        assert_eq!(fs::read_to_string(&out).unwrap(), text, "{file}");
        assert_eq!(scene.run(&args).error_kind(), "exists", "{file}");
    }
}

#[test]
fn an_id_of_another_session_is_a_conflict_and_nothing_is_changed() {
    let scene = Scene::with_messages(1);
    let (one, other) = (fixture("v2/boundary.json"), fixture("v2/ended.json"));
    let (one, other) = (one.to_str().unwrap(), other.to_str().unwrap());
    scene.done(&["import", one, "--as", "run"], "");
    let before = scene.done(&["export", "run", "--to", "snapshot"], "").out;
    for (path, id) in [(one, "s"), (other, "run")] {
        let run = scene.run(&["--json", "import", path, "--as", id]);
        assert_eq!((run.status, run.error_kind().as_str()), (4, "conflict"), "{id}");
        assert!(run.err.contains("--as"), "{}", run.err);
    }
    assert_eq!(scene.done(&["export", "run", "--to", "snapshot"], "").out, before);
    let run = scene.run(&["--json", "export", "s", "--to", "snapshot"]);
    assert_eq!((run.status, run.error_kind().as_str()), (3, "missing"));
}

#[test]
fn a_damaged_snapshot_is_refused_by_its_place_and_makes_no_session() {
    let scene = Scene::new();
    let damaged = fixture("damaged/turn-unknown.json");
    let damaged = damaged.to_str().unwrap();
    let run = scene.run(&["--json", "import", damaged, "--from", "snapshot"]);
    assert_eq!((run.status, run.error_kind().as_str()), (5, "corrupt"));
    assert!(run.err.contains("turns[0]"), "{}", run.err);
    let run = scene.run(&["--json", "import", damaged]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("snapshot"), "{}", run.err);
    let unknown = fixture("damaged/version-999.json");
    let args = ["--json", "import", unknown.to_str().unwrap(), "--from", "snapshot"];
    assert_eq!(scene.run(&args).error_kind(), "unknown-version");
    assert_eq!(scene.done(&["list"], "").out, "");
}
