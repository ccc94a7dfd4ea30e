//! Closing, deleting, taking that back, and purging.

use serde_json::json;

use crate::scene::Scene;

fn step(scene: &Scene, command: &str) -> serde_json::Value {
    scene.done(&["--json", command, "s"], "").json().remove(0)
}

fn fails(scene: &Scene, args: &[&str]) -> (i32, String) {
    let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
    let run = scene.run_with(&all, "{}");
    assert_eq!(run.out, "", "{args:?}: data although it failed");
    (run.status, run.error_kind())
}

#[test]
fn a_closed_session_takes_no_messages_and_closing_twice_is_closing_once() {
    let scene = Scene::with_messages(1);
    let closed = json!({"session": "s", "lifecycle": "closed", "position": 3});
    assert_eq!(step(&scene, "close"), closed);
    assert_eq!(step(&scene, "close"), closed);
    assert_eq!(fails(&scene, &["append", "s"]), (4, "closed".to_owned()));
    assert_eq!(fails(&scene, &["rewind", "s", "--to", "0"]), (4, "closed".to_owned()));
    scene.done(&["title", "s", "still"], "");
    assert_eq!(
        scene.done(&["--json", "list", "--state", "closed"], "").json()[0]["title"],
        "still"
    );
}

#[test]
fn a_deletion_can_be_taken_back_until_it_is_purged() {
    let scene = Scene::with_messages(2);
    let before = scene.done(&["--json", "show", "s"], "").out;
    assert_eq!(fails(&scene, &["purge", "s"]), (4, "conflict".to_owned()));
    let deleted = json!({"session": "s", "lifecycle": "deleted", "position": null});
    assert_eq!(step(&scene, "delete"), deleted);
    assert_eq!(step(&scene, "delete"), deleted);
    for args in [&["info", "s"][..], &["show", "s"], &["append", "s"], &["title", "s", "x"]] {
        assert_eq!(fails(&scene, args), (3, "deleted".to_owned()), "{args:?}");
    }
    assert_eq!(fails(&scene, &["new", "--id", "s"]).0, 3);

    assert_eq!(step(&scene, "undelete")["lifecycle"], "active");
    assert_eq!(step(&scene, "undelete")["lifecycle"], "active");
    assert_eq!(scene.done(&["--json", "show", "s"], "").out, before);

    step(&scene, "delete");
    assert_eq!(step(&scene, "purge"), deleted);
    assert_eq!(step(&scene, "purge"), deleted);
    assert_eq!(step(&scene, "delete"), deleted);
    for args in [&["undelete", "s"][..], &["info", "s"], &["new", "--id", "s"]] {
        assert_eq!(fails(&scene, args), (3, "deleted".to_owned()), "{args:?}");
    }
    let left = std::fs::read(scene.journal("s")).unwrap_or_default();
    assert!(!left.windows(9).any(|window| window == b"message 0"), "it is still there");
}

#[test]
fn who_never_was_is_missing() {
    let scene = Scene::new();
    for command in ["close", "delete", "undelete", "purge"] {
        assert_eq!(fails(&scene, &[command, "nobody"]), (3, "missing".to_owned()), "{command}");
        assert_eq!(fails(&scene, &[command, "../x"]), (2, "invalid-id".to_owned()), "{command}");
    }
    assert_eq!(scene.done(&["list"], "").out, "");
}
