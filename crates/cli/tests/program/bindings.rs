//! Importing bindings.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::scene::Scene;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bindings").join(name);
    fs::read_to_string(path).unwrap()
}

/// A folder of conversations, with the bindings of some contexts.
fn conversations(scene: &Scene, files: &[(&str, &str)]) -> PathBuf {
    let root = scene.folder().join("conversations");
    for (context, text) in files {
        let folder = root.join("record").join(context);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("harness-session.json"), text).unwrap();
    }
    root
}

fn told(rows: &[Value]) -> Vec<(String, Value, bool)> {
    let told = |row: &Value| {
        (
            row["context"].as_str().unwrap().to_owned(),
            row["added"].clone(),
            row["skipped"].is_null(),
        )
    };
    rows.iter().map(told).collect()
}

#[test]
fn a_folder_is_taken_over_once_and_what_can_not_be_read_is_told_and_spoils_nothing() {
    let scene = Scene::new();
    let sound = fixture("sound.json");
    let known = fixture("unknown-members.json");
    let files = [("a", &*sound), ("b", "{"), ("c", r#"{"type":"another.tool"}"#), ("d", &*known)];
    let root = conversations(&scene, &files);
    fs::create_dir(root.join("record/no-file")).unwrap();
    let args = ["--json", "import", root.to_str().unwrap(), "--from", "bindings"];
    let rows = scene.done(&args, "").json();
    let row =
        |context: &str, added: u64, is_taken: bool| (context.to_owned(), json!(added), is_taken);
    assert_eq!(
        told(&rows),
        [row("a", 1, true), row("b", 0, false), row("c", 0, false), row("d", 1, true)]
    );
    assert_eq!((&rows[0]["record"], &rows[0]["format"]), (&"record".into(), &"bindings".into()));
    let again = scene.done(&["--json", "import", root.to_str().unwrap()], "").json();
    assert_eq!(
        told(&again),
        [row("a", 0, true), row("b", 0, false), row("c", 0, false), row("d", 0, true)]
    );
    // Their bytes are kept as they were, members that are not known included.
    let kept = scene.folder().join("store/spaces/default/documents/bindings~2frecord/d.doc");
    let kept = fs::read_to_string(kept).unwrap();
    assert!(kept.contains(known.trim_end()), "{kept}");
}

#[test]
fn what_is_bound_otherwise_is_a_conflict_and_the_others_are_taken() {
    let scene = Scene::new();
    let sound = fixture("sound.json");
    let root = conversations(&scene, &[("a", &*sound)]);
    let root = root.to_str().unwrap();
    scene.done(&["import", root], "");
    let other = fixture("unknown-members.json");
    conversations(&scene, &[("a", &*other), ("z", &*sound)]);
    let run = scene.run(&["--json", "import", root]);
    assert_eq!((run.status, run.error_kind().as_str()), (4, "conflict"));
    let taken: Vec<_> =
        told(&run.json()).into_iter().map(|(context, added, _)| (context, added)).collect();
    assert_eq!(taken, [("a".to_owned(), json!(0)), ("z".to_owned(), json!(1))]);
    let run = scene.run(&["--json", "import", root, "--as", "s"]);
    assert_eq!((run.status, run.error_kind().as_str()), (2, "usage"));
}

#[test]
fn a_folder_without_bindings_is_refused() {
    let scene = Scene::new();
    let folder = scene.folder().join("empty");
    fs::create_dir(&folder).unwrap();
    let run = scene.run(&["--json", "import", folder.to_str().unwrap()]);
    assert_eq!((run.status, run.error_kind().as_str()), (1, "refused"));
    assert!(run.err.contains("harness-session.json"), "{}", run.err);
}

#[test]
fn a_folder_of_which_no_binding_can_be_read_is_corrupt() {
    let scene = Scene::new();
    let root = conversations(&scene, &[("a", "{"), ("b", "")]);
    let args = ["--json", "import", root.to_str().unwrap()];
    let run = scene.run(&args);
    assert_eq!((run.status, run.error_kind().as_str()), (5, "corrupt"), "{}", run.err);
    assert_eq!(run.json().len(), 2, "each is told");
    // Another tool's file is none that is damaged.
    conversations(&scene, &[("a", r#"{"type":"another.tool"}"#)]);
    assert_eq!(scene.done(&args, "").json().len(), 2);
}
