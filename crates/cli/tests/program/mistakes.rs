//! Bad input: each mistake is named with its reason and the way out, and changes nothing.

mod mistake;
mod malformed;
mod refused;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use self::malformed::MALFORMED;
use self::mistake::Mistake;
use self::refused::IMPOSSIBLE;
use crate::held;
use crate::scene::{Scene, fixture};

/// Every file and folder below a folder, with what the files hold; but for notes that are derived
/// and renewed whenever a handle lets go of a journal.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
                all.insert(path, None);
            } else if !path.ends_with("catalog/recency") {
                let bytes = fs::read(&path).unwrap();
                all.insert(path, Some(bytes));
            }
        }
    }
    all
}

/// Files that commands are pointed at.
fn lay_out(scene: &Scene) {
    fs::write(scene.folder().join("afile"), "just text\n").unwrap();
    fs::copy(fixture("plain-messages.jsonl"), scene.folder().join("good.jsonl")).unwrap();
    fs::create_dir(scene.folder().join("folder")).unwrap();
    fs::write(scene.folder().join("folder/notes.txt"), "mine").unwrap();
}

/// Makes a mistake in text and in JSON, and checks what is told of it and that nothing changed.
fn make(scene: &Scene, mistake: &Mistake) {
    let Mistake { args, input, status, kind, names } = mistake;
    let folder = scene.folder().to_str().unwrap();
    let args: Vec<String> = args.iter().map(|arg| arg.replace("{}", folder)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let before = snapshot(scene.folder());

    let run = scene.run_with_bytes(&args, input);
    assert_eq!((run.status, run.out.as_str()), (*status, ""), "{args:?}: {}", run.err);
    let mut lines = run.err.lines().filter(|line| !line.trim().is_empty());
    let told = lines.next().unwrap();
    assert!(told.starts_with("sessile: ") || told.starts_with("error: "), "{args:?}: {told}");
    assert!(run.err.contains(names), "{args:?}: {}", run.err);
    assert!(lines.next().is_some(), "{args:?}: no way out: {}", run.err);

    let in_json: Vec<&str> = ["--json"].iter().chain(&args).copied().collect();
    let run = scene.run_with_bytes(&in_json, input);
    assert_eq!((run.status, run.out.as_str()), (*status, ""), "{args:?}: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{args:?}: {}", run.err);
    let error = &serde_json::from_str::<Value>(&run.err).unwrap()["error"];
    assert_eq!(error["kind"], *kind, "{args:?}: {error}");
    assert!(error["message"].as_str().unwrap().contains(names), "{args:?}: {error}");
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{args:?}: {error}");
    assert!(!run.err.contains("secret"), "{args:?}: {error}");

    let after = snapshot(scene.folder());
    let is_same = |path: &&PathBuf| before.get(*path) == after.get(*path);
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let changed: Vec<&PathBuf> = paths.into_iter().filter(|path| !is_same(path)).collect();
    assert_eq!(changed, Vec::<&PathBuf>::new(), "{args:?}");
}

#[test]
fn what_can_t_be_is_told_and_makes_no_store() {
    let scene = Scene::new();
    lay_out(&scene);
    for mistake in MALFORMED {
        make(&scene, mistake);
    }
    assert!(!scene.folder().join("store").exists());
}

/// A store with a session of two messages, a closed one, a deleted one, one that a request holds and
/// one that a request has held.
fn inhabited() -> Scene {
    let scene = Scene::new();
    lay_out(&scene);
    for id in ["s", "c", "d"] {
        scene.done(&["new", "--id", id], "");
    }
    scene.done(&["append", "s", "--commit-id", "first"], "{\"role\":\"user\",\"content\":\"a\"}");
    scene.done(&["append", "s"], "{\"role\":\"user\",\"content\":\"b\"}");
    scene.done(&["close", "c"], "");
    scene.done(&["delete", "d"], "");
    held::hold(&scene, "h");
    held::end(&scene, "e");
    scene
}

#[test]
fn what_can_t_be_changes_no_store() {
    let scene = inhabited();
    for mistake in MALFORMED {
        make(&scene, mistake);
    }
}

#[test]
fn what_a_session_refuses_changes_nothing() {
    let scene = inhabited();
    for mistake in IMPOSSIBLE {
        make(&scene, mistake);
    }
}

#[test]
fn mistakes_are_made_with_every_command() {
    let scene = Scene::new();
    let made: BTreeSet<&str> =
        MALFORMED.iter().chain(IMPOSSIBLE).flat_map(|mistake| mistake.args).copied().collect();
    let commands = scene.commands();
    let missing: Vec<&String> =
        commands.iter().filter(|command| !made.contains(command.as_str())).collect();
    assert_eq!(missing, ["help"]);
}
