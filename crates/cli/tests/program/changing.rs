//! Metadata, rewinds, summaries, and removing what entries hold.

use serde_json::{Value, json};

use crate::scene::Scene;

fn info(scene: &Scene) -> Value {
    scene.done(&["--json", "info", "s"], "").json().remove(0)
}

/// The numbers of the messages that are shown.
fn shown(scene: &Scene) -> Vec<u64> {
    let rows = scene.done(&["--json", "show", "s"], "").json();
    rows.iter().map(|row| row["seq"].as_u64().unwrap()).collect()
}

/// Runs a command that must fail; nothing of the session may change by it.
fn refused(scene: &Scene, args: &[&str], input: &str) -> (i32, String) {
    let before = info(scene);
    let all: Vec<&str> = ["--json"].iter().chain(args).copied().collect();
    let run = scene.run_with(&all, input);
    assert_eq!(run.out, "", "{args:?}: data although it failed");
    assert_eq!(info(scene), before, "{args:?}");
    (run.status, run.error_kind())
}

#[test]
fn metadata_is_merged_key_by_key_and_null_removes() {
    let scene = Scene::with_messages(1);
    let set = scene.done(&["--json", "meta", "s", "n=1.0", "tags=[\"x\"]", "model=\"m\""], "");
    let row = &set.json()[0];
    assert_eq!((&row["session"], &row["position"]), (&json!("s"), &json!(3)));
    assert_eq!(row["replayed"], false);
    assert!(row["commit_id"].is_string());
    scene.done(&["meta", "s", "model=null", "n=2"], "");
    assert_eq!(info(&scene)["meta"], json!({"n": 2, "tags": ["x"]}));
    let text = scene.done(&["info", "s"], "").out;
    assert!(text.contains("n=2"), "{text}");

    scene.done(&["title", "s", "Fix the parser"], "");
    assert_eq!(info(&scene)["title"], "Fix the parser");
    assert_eq!(info(&scene)["tags"], json!(["x"]));
}

#[test]
fn metadata_that_is_none_changes_nothing() {
    let scene = Scene::with_messages(1);
    for args in [
        &["meta", "s"][..],
        &["meta", "s", "a"],
        &["meta", "s", "a=text"],
        &["meta", "s", "a=1", "b="],
        &["meta", "s", "a=1", "a=2"],
        &["title", "s"],
    ] {
        assert_eq!(refused(&scene, args, ""), (2, "usage".to_owned()), "{args:?}");
    }
    let missing = (3, "missing".to_owned());
    assert_eq!(refused(&scene, &["title", "nobody", "x"], ""), missing);
    assert_eq!(refused(&scene, &["meta", "nobody", "a=1"], ""), missing);
}

#[test]
fn a_rewind_hides_what_follows_and_loses_nothing() {
    let scene = Scene::with_messages(4);
    let row = scene.done(&["--json", "rewind", "s", "--to", "2"], "").json().remove(0);
    assert_eq!((&row["session"], &row["position"]), (&json!("s"), &json!(6)));
    scene.done(&["append", "s"], "{\"role\":\"user\",\"content\":\"other\"}");
    assert_eq!(shown(&scene), [1, 2, 6]);
    assert_eq!(info(&scene)["messages"], 3);
    let all = scene.done(&["--json", "show", "s", "--events"], "").json();
    assert_eq!(all.len(), 7);
    assert_eq!(all[5]["type"], "rewind");
    assert_eq!(refused(&scene, &["rewind", "s", "--to", "7"], "").0, 1);
    assert_eq!(refused(&scene, &["rewind", "s", "--to", "9007199254740991"], "").0, 2);
    assert_eq!(refused(&scene, &["rewind", "s"], "").0, 2);
}

#[test]
fn a_summary_leaves_the_transcript_whole() {
    let scene = Scene::with_messages(4);
    let file = scene.folder().join("summary.jsonl");
    std::fs::write(&file, "{\"role\":\"system\",\"content\":\"so far\"}\n").unwrap();
    let file = file.to_str().unwrap();
    let compact = ["--json", "compact", "s", "--summary", file, "--keep-from", "3"];
    assert_eq!(scene.done(&compact, "").json()[0]["position"], 6);
    assert_eq!(shown(&scene), [1, 2, 3, 4]);
    let all = scene.done(&["--json", "show", "s", "--events", "--last", "1"], "").json();
    assert_eq!(all[0]["type"], "compaction");
    assert_eq!(all[0]["data"]["summary"], json!([{"role": "system", "content": "so far"}]));
    assert_eq!(all[0]["data"]["keep_from"], 3);
    scene.done(&["compact", "s", "--summary", "-", "--keep-from", "4"], "\"from input\"");

    let again = ["compact", "s", "--summary", file, "--keep-from", "4"];
    assert_eq!(refused(&scene, &again, ""), (1, "refused".to_owned()));
    for (args, input, status) in [
        (["compact", "s", "--summary", "no/such/file", "--keep-from", "4"], "", 3),
        (["compact", "s", "--summary", "-", "--keep-from", "4"], "", 1),
        (["compact", "s", "--summary", "-", "--keep-from", "4"], "no json", 1),
        // Neither the header nor what does not exist is a message.
        (["compact", "s", "--summary", "-", "--keep-from", "0"], "1", 1),
        (["compact", "s", "--summary", "-", "--keep-from", "99"], "1", 1),
    ] {
        assert_eq!(refused(&scene, &args, input).0, status, "{args:?}");
    }
}

#[test]
fn what_is_redacted_is_gone_and_its_place_stays() {
    let scene = Scene::with_messages(3);
    let row = scene.done(&["--json", "redact", "s", "1", "2", "--reason", "why"], "").json();
    assert_eq!(row[0]["session"], "s");
    let rows = scene.done(&["--json", "show", "s"], "").json();
    assert_eq!(rows[0]["data"], json!({"redacted": true}));
    assert_eq!(rows[2]["data"]["content"], "message 2");
    let bytes = std::fs::read(scene.journal("s")).unwrap();
    for text in ["message 0", "message 1"] {
        assert!(!bytes.windows(9).any(|window| window == text.as_bytes()), "{text} is there");
    }
    scene.done(&["redact", "s", "2", "1"], "");
    assert_eq!(scene.done(&["--json", "show", "s"], "").json(), rows);
    assert_eq!(scene.run(&["verify"]).status, 0);
    // The header is kept, and what is not there can't be removed.
    for args in [["redact", "s", "0"], ["redact", "s", "99"]] {
        assert_eq!(refused(&scene, &args, ""), (1, "refused".to_owned()), "{args:?}");
    }
    assert_eq!(refused(&scene, &["redact", "s"], "").0, 2);
}

#[test]
fn what_is_forgotten_is_told_as_such() {
    let scene = Scene::with_messages(4);
    assert_eq!(
        scene.done(&["--json", "forget", "s", "--before", "3"], "").json()[0]["position"],
        6
    );
    let run = scene.run(&["--json", "show", "s"]);
    assert_eq!((run.status, run.error_kind().as_str()), (3, "forgotten"));
    let kept = scene.done(&["--json", "show", "s", "--from", "3"], "").json();
    assert_eq!(kept[0]["data"]["content"], "message 2");
    assert_eq!(info(&scene)["forgotten_before"], 3);

    let again = scene.done(&["--json", "forget", "s", "--before", "3"], "").json();
    let expected = json!({"session": "s", "position": 6, "commit_id": null, "replayed": true});
    assert_eq!(again, [expected]);
    assert_eq!(scene.run(&["verify"]).status, 0);
    for before in ["0", "1", "99"] {
        assert_eq!(refused(&scene, &["forget", "s", "--before", before], "").0, 1, "{before}");
    }
}
