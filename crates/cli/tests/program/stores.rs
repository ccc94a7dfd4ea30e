//! What is asked of a store as a whole.

use serde_json::json;

use crate::scene::Scene;

#[test]
fn spaces_are_listed_by_name() {
    let scene = Scene::new();
    assert_eq!(scene.done(&["spaces"], "").out, "");
    for space in ["b", "a", "default"] {
        scene.done(&["--space", space, "new"], "");
    }
    assert_eq!(scene.done(&["spaces"], "").out, "a\nb\ndefault\n");
    let rows = scene.done(&["--json", "spaces"], "").json();
    assert_eq!(rows, [json!({"space": "a"}), json!({"space": "b"}), json!({"space": "default"})]);
}

#[test]
fn where_there_is_nothing_people_are_told_so_and_scripts_get_nothing() {
    let scene = Scene::new();
    let (from, to) = (scene.folder().join("a"), scene.folder().join("b"));
    let (from, to) = (format!("file:{}", from.display()), format!("file:{}", to.display()));
    for args in [&["list"][..], &["spaces"], &["verify"], &["copy", &from, &to]] {
        let run = scene.done(args, "");
        assert_eq!(run.out, "", "{args:?}");
        assert!(run.err.starts_with("sessile: "), "{args:?}: {}", run.err);
        let in_json: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
        let run = scene.done(&in_json, "");
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""), "{args:?}");
    }
    assert!(scene.done(&["--space", "x", "list"], "").err.contains("space x"));
}

#[test]
fn a_place_that_is_none_is_told_by_what_gave_it() {
    let scene = Scene::new();
    for (args, given_by) in
        [(&["list"][..], "SESSILE_STORE"), (&["list", "--store", "y"], "--store")]
    {
        let output = scene.command(args).env("SESSILE_STORE", "secret").output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            told.contains(&format!("{given_by}: a place")) && !told.contains("secret"),
            "{told}"
        );
    }
}

#[test]
fn the_status_counts_the_sessions_of_a_space() {
    let scene = Scene::with_messages(3);
    for id in ["closed", "deleted"] {
        scene.done(&["new", "--id", id], "");
    }
    scene.done(&["close", "closed"], "");
    scene.done(&["delete", "deleted"], "");
    let status = scene.done(&["--json", "status"], "").json().remove(0);
    for (member, value) in [
        ("space", json!("default")),
        ("sessions", json!(2)),
        ("active", json!(1)),
        ("closed", json!(1)),
        ("damaged", json!(0)),
        ("deleted", json!(1)),
        ("messages", json!(3)),
        ("incomplete", json!(0)),
        ("durable", json!(true)),
        // The program has only just begun, and has asked.
        ("hot", json!(0)),
        ("active_cold", json!(1)),
        ("hot_target", json!(100)),
        ("cache_target", json!(64 << 20)),
    ] {
        assert_eq!(status[member], value, "{member}");
    }
    assert!(status["capabilities"].as_array().unwrap().contains(&json!("durable")));
    assert!(scene.done(&["status"], "").out.contains("2: 1 active, 1 closed"));
    assert_eq!(status["backend"], "fs");
    let memory = scene.done(&["--json", "--store", "memory:", "status"], "").json();
    assert_eq!(memory[0]["backend"], "memory");
    let other = scene.done(&["--json", "--space", "other", "status"], "").json();
    assert_eq!(other[0]["sessions"], 0);
}

#[test]
fn a_vacuum_changes_nothing_that_is_told() {
    let scene = Scene::with_messages(1);
    let lines = (0..600).map(|number| format!("{{\"n\":{number}}}")).collect::<Vec<_>>().join("\n");
    for _ in 0..4 {
        scene.done(&["append", "s"], &lines);
    }
    let shown = || scene.done(&["--json", "show", "s"], "").out;
    let info = || scene.done(&["--json", "info", "s"], "").json().remove(0);
    let before = (shown(), info()["position"].clone());
    let row = scene.done(&["--json", "vacuum", "s"], "").json().remove(0);
    assert_eq!(row["session"], "s");
    assert!(row["dropped"].as_u64().unwrap() > 0, "{row}");
    assert!(row["bytes_after"].as_u64() <= row["bytes_before"].as_u64(), "{row}");
    assert_eq!((shown(), info()["position"].clone()), before);
    assert_eq!(scene.done(&["--json", "vacuum"], "").json()[0]["dropped"], 0);
    assert_eq!(scene.run(&["verify"]).status, 0);
    assert_eq!(scene.run(&["vacuum", "nobody"]).status, 3);
}

#[test]
fn a_store_that_is_not_there_is_named_where_nothing_is_found_in_it() {
    let scene = Scene::new();
    let run = scene.done(&["list"], "");
    let told =
        format!("sessile: there are no such sessions in space default of {}\n", scene.store());
    assert_eq!((run.out.as_str(), run.err), ("", told));
    assert!(!scene.folder().join("store").exists(), "looking makes none");
    assert_eq!(scene.done(&["--json", "list"], "").err, "");
    // Nor is anything of a place told that may be secret.
    let run = scene.done(&["--store", "memory:secret", "list"], "");
    assert_eq!(
        run.err,
        "sessile: there are no such sessions in space default of the memory: store\n"
    );
}
