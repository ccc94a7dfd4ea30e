//! What `info` tells of calls, results and parents that do not fit together.

use serde_json::{Value, json};

use crate::scene::{Scene, fixture};

fn info(scene: &Scene, id: &str, more: &[&str]) -> Value {
    let args: Vec<&str> = ["--json", "info", id].iter().chain(more).copied().collect();
    scene.done(&args, "").json().remove(0)
}

/// A session of Claude Code, in which everything fits.
fn imported(scene: &Scene) -> String {
    let path = fixture("claude-code-weather.jsonl");
    let rows = scene.done(&["--json", "import", path.to_str().unwrap()], "").json();
    rows[0]["session"].as_str().unwrap().to_owned()
}

const CALL: &str = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"open","name":"ls","input":{}}]}}"#;
const CALL_DONE: &str = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"done","name":"ls","input":{}}]}}"#;
const RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"done","content":"x"}]}}"#;
const ORPHAN: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"gone","content":"x"}]}}"#;
const CHILD: &str =
    r#"{"type":"user","uuid":"u9","parentUuid":"nowhere","message":{"role":"user","content":"x"}}"#;

#[test]
fn what_does_not_fit_is_told_with_its_places() {
    let scene = Scene::new();
    let id = imported(&scene);
    let known = info(&scene, &id, &[]);
    let none = json!({"count": 0, "list": []});
    for member in ["open_calls", "orphan_results", "second_results", "unknown_parents"] {
        assert_eq!(known[member], none, "{member}");
    }
    assert_eq!(known["calls"], json!({"open": 0, "orphan_results": 0, "second_results": 0}));
    assert_eq!(known["examined"], json!({"from": 0, "whole": true}));
    let first = known["position"].as_u64().unwrap();

    let lines = [CALL, CALL_DONE, RESULT, RESULT, ORPHAN, CHILD].join("\n");
    scene.done(&["append", &id], &lines);
    for more in [&[][..], &["--whole"]] {
        let known = info(&scene, &id, more);
        for (member, after, named) in [
            ("open_calls", 0, "open"),
            ("second_results", 3, "done"),
            ("orphan_results", 4, "gone"),
            ("unknown_parents", 5, "nowhere"),
        ] {
            let expected = json!({"count": 1, "list": [{"seq": first + after, "id": named}]});
            assert_eq!(known[member], expected, "{member}");
        }
        assert_eq!(known["calls"], json!({"open": 1, "orphan_results": 1, "second_results": 1}));
    }
    let text = scene.done(&["info", &id], "").out;
    let expected = format!("open calls      1: open at {first}\n");
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains(&format!("unknown parents 1: nowhere at {}\n", first + 5)), "{text}");
    assert!(!text.contains("examined"), "{text}");
}

#[test]
fn of_a_long_session_the_end_is_examined_unless_all_is_asked_for() {
    let scene = Scene::new();
    let id = imported(&scene);
    let call = info(&scene, &id, &[])["position"].as_u64().unwrap();
    scene.done(&["append", &id], CALL);
    let filler = format!("{{\"type\":\"user\",\"text\":\"{}\"}}", "x".repeat(200_000));
    for _ in 0..8 {
        scene.done(&["append", &id], &filler);
    }
    scene.done(&["append", &id], ORPHAN);
    let end = info(&scene, &id, &[]);
    let none = json!({"count": 0, "list": []});
    assert_eq!((&end["open_calls"], &end["orphan_results"]), (&none, &none));
    assert_eq!(end["examined"]["whole"], false);
    let from = end["examined"]["from"].as_u64().unwrap();
    assert!(from > call, "{from}");
    let text = scene.done(&["info", &id], "").out;
    let expected = format!("examined        from entry {from} on for calls and parents; --whole");
    assert!(text.contains(&expected), "{text}");

    let whole = info(&scene, &id, &["--whole"]);
    assert_eq!(whole["examined"], json!({"from": 0, "whole": true}));
    assert_eq!(whole["open_calls"]["list"], json!([{"seq": call, "id": "open"}]));
    assert_eq!(whole["orphan_results"]["count"], 1);
}

#[test]
fn many_are_counted_and_some_are_named() {
    let scene = Scene::new();
    let id = imported(&scene);
    scene.done(&["append", &id], &vec![ORPHAN; 150].join("\n"));
    let known = info(&scene, &id, &[]);
    assert_eq!(known["orphan_results"]["count"], 150);
    assert_eq!(known["orphan_results"]["list"].as_array().unwrap().len(), 100);
    let text = scene.done(&["info", &id], "").out;
    let row = text.lines().find(|line| line.starts_with("orphan results")).unwrap();
    assert!(row.contains(" 150: gone at ") && row.ends_with(", ..."), "{row}");
}
