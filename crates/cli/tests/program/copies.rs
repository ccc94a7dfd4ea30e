//! Forks, and copies to another store.

use std::fs;

use serde_json::{Value, json};

use crate::held;
use crate::scene::Scene;

/// The places of the scene's store and of another one.
fn places(scene: &Scene) -> (String, String) {
    let place = |name| format!("file:{}", scene.folder().join(name).display());
    (place("store"), place("other"))
}

fn rows(scene: &Scene, args: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
    scene.done(&all, "").json()
}

fn shown(scene: &Scene, store: &str, id: &str) -> String {
    scene.done(&["--json", "--store", store, "show", id, "--events"], "").out
}

#[test]
fn a_fork_is_cut_depends_on_nothing_and_is_not_made_twice() {
    let scene = Scene::with_messages(4);
    let fork = rows(&scene, &["fork", "s", "--at", "2", "--as", "f"]).remove(0);
    assert_eq!(fork["session"], "f");
    assert_eq!(fork["forked_from"], json!({"session": "s", "seq": 2}));
    assert_eq!(rows(&scene, &["fork", "s", "--at", "2", "--as", "f"])[0], fork);
    assert_eq!(rows(&scene, &["show", "f"]).len(), 2);
    let appended = scene.done(&["--json", "append", "f"], "1").json();
    assert!(appended[0]["position"].as_u64() > fork["position"].as_u64());
    assert_eq!(rows(&scene, &["show", "s"]).len(), 4);
    assert_eq!(rows(&scene, &["info", "f"])[0]["forked_from"]["session"], "s");

    let minted = scene.done(&["fork", "s"], "").out;
    assert!(minted.starts_with("ses_"), "{minted}");
    assert_eq!(rows(&scene, &["show", minted.trim_end()]).len(), 4);
}

#[test]
fn a_fork_that_can_t_be_is_refused() {
    let scene = Scene::with_messages(2);
    scene.done(&["new", "--id", "taken"], "");
    for (args, status, kind) in [
        (&["fork", "s", "--as", "taken"][..], 4, "exists"),
        (&["fork", "s", "--as", "../x"], 2, "invalid-id"),
        (&["fork", "s", "--at", "99", "--as", "f"], 1, "refused"),
        (&["fork", "nobody", "--as", "f"], 3, "missing"),
    ] {
        let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        let run = scene.run(&all);
        assert_eq!((run.status, run.error_kind().as_str()), (status, kind), "{args:?}");
    }
    assert_eq!(rows(&scene, &["list"]).len(), 2);
}

#[test]
fn a_copy_is_the_same_session_and_copying_again_adds_nothing() {
    let scene = Scene::with_messages(3);
    let (from, to) = places(&scene);
    let first = rows(&scene, &["copy", &from, &to, "s"]).remove(0);
    let expected = json!({"session": "s", "position": 4, "commits": 4, "added": 4, "moved": false});
    assert_eq!(first, expected);
    let copy = shown(&scene, &to, "s");
    let original = shown(&scene, &from, "s");
    // The header names the file that it stands in.
    assert!(copy.lines().skip(1).eq(original.lines().skip(1)), "{copy}");
    assert_eq!(rows(&scene, &["copy", &from, &to, "s"])[0]["added"], 0);
    assert_eq!(shown(&scene, &to, "s"), copy);

    scene.done(&["append", "s"], "1");
    assert_eq!(rows(&scene, &["copy", &from, &to, "s"])[0]["added"], 1);
    assert_eq!(scene.run(&["--store", &to, "verify"]).status, 0);
}

#[test]
fn all_of_a_space_are_copied_past_those_that_can_t_be() {
    let scene = Scene::with_messages(1);
    let (from, to) = places(&scene);
    for id in ["a", "b"] {
        scene.done(&["new", "--id", id], "");
    }
    scene.done(&["--store", &to, "new", "--id", "a"], "");
    let run = scene.run(&["--json", "copy", &from, &to]);
    assert_eq!((run.status, run.error_kind().as_str()), (4, "conflict"));
    let mut copied: Vec<String> =
        run.json().iter().map(|row| row["session"].as_str().unwrap().to_owned()).collect();
    copied.sort();
    assert_eq!(copied, ["b", "s"]);
    assert_eq!(scene.run(&["--space", "other", "copy", &from, &to]).out, "");
}

#[test]
fn a_move_deletes_the_source_once_it_is_there() {
    let scene = Scene::with_messages(2);
    let (from, to) = places(&scene);
    let moved = rows(&scene, &["copy", &from, &to, "--move"]).remove(0);
    assert_eq!((&moved["session"], &moved["moved"]), (&json!("s"), &json!(true)));
    assert_eq!(scene.run(&["show", "s"]).status, 3);
    assert_eq!(rows(&scene, &["--store", &to, "show", "s"]).len(), 2);
    // Who was not answered asks again.
    let again = rows(&scene, &["copy", &from, &to, "s", "--move"]).remove(0);
    assert_eq!((&again["added"], &again["moved"]), (&json!(0), &json!(true)));
    assert_eq!(scene.run(&["copy", &from, &to, "s"]).status, 3);
    assert_eq!(scene.done(&["copy", &from, &to, "--move"], "").out, "");
}

#[test]
fn a_move_that_ended_once_the_source_was_deleted_is_completed_by_the_same_command() {
    for id in [&["s"][..], &[]] {
        let scene = Scene::new();
        let (from, to) = places(&scene);
        held::hold(&scene, "s");
        held::hold(&scene, "gone");
        scene.done(&["delete", "gone"], "");
        let args: Vec<&str> = [&["copy", &from, &to, "--move"], id].concat();
        scene.done(&args, "");
        let info = || scene.done(&["--json", "--store", &to, "info", "s"], "").json().remove(0);
        assert_eq!(info()["admission"], "idle");
        // The last commit of the copy ends the request: without it all is as it was before.
        let journal = scene.folder().join("other/spaces/default/sessions/s.jsonl");
        let text = fs::read_to_string(&journal).unwrap();
        let (at, _) = text.rmatch_indices("{\"seq\":").nth(1).unwrap();
        let (before, last) = text.split_at(at);
        assert!(last.contains("interrupted") && last.contains("\"claim\""), "{last}");
        fs::write(&journal, before).unwrap();
        fs::remove_dir_all(scene.folder().join("other/spaces/default/catalog")).unwrap();
        assert_eq!(info()["active"]["request"], "r1");
        assert_eq!(scene.run(&["show", "s"]).status, 3);

        let moved = rows(&scene, &args);
        assert_eq!(moved.len(), 1, "{moved:?}");
        assert_eq!((&moved[0]["session"], &moved[0]["added"]), (&json!("s"), &json!(0)));
        assert_eq!(info()["admission"], "idle");
        scene.done(&["--store", &to, "append", "s"], "1");
        scene.done(&["--store", &to, "verify", "s"], "");
        // It lives on there, and is asked for once more.
        held::hold_again(&scene, "other", "s");
        assert_eq!(rows(&scene, &["copy", &from, &to, "s", "--move"])[0]["added"], 0);
        assert!(rows(&scene, &["copy", &from, &to, "--move"]).is_empty());
        assert_eq!(info()["active"]["request"], "r2");
    }
}

#[test]
fn a_store_is_not_moved_onto_itself_and_a_bad_place_is_refused() {
    let scene = Scene::with_messages(1);
    let (from, to) = places(&scene);
    for (args, status, kind) in [
        (&["copy", &from, &from, "s", "--move"][..], 1, "refused"),
        (&["copy", &from, "ftp://x", "s"], 2, "invalid-place"),
        (&["copy", &from, &to, "nobody"], 3, "missing"),
        (&["copy", &from], 2, "usage"),
    ] {
        let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        let run = scene.run(&all);
        assert_eq!((run.status, run.error_kind().as_str()), (status, kind), "{args:?}");
    }
    assert_eq!(rows(&scene, &["show", "s"]).len(), 1);
}
