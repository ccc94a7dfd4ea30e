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
    ] {
        assert_eq!(status[member], value, "{member}");
    }
    assert!(status["capabilities"].as_array().unwrap().contains(&json!("durable")));
    assert!(scene.done(&["status"], "").out.contains("2: 1 active, 1 closed"));
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
