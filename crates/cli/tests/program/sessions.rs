//! Creating, appending, listing, showing.

use std::process::Stdio;

use serde_json::json;

use crate::scene::Scene;

#[test]
fn a_session_is_created_appended_to_shown_and_listed() {
    let scene = Scene::new();
    let created = scene.done(
        &[
            "--json",
            "new",
            "--title",
            "A title",
            "--project",
            "shop",
            "--tag",
            "x",
            "--tag",
            "y",
            "--meta",
            "priority=2",
            "--owner",
            "ada",
        ],
        "",
    );
    let id = created.json()[0]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("ses_"), "{id}");
    assert_eq!(created.json()[0]["position"], 2);

    let lines =
        "{\"role\":\"user\",\"content\":\"\\ud83d 2512292042121000001\", \"n\":1.0}\n\n[1,2]\n";
    let appended = scene.done(&["--json", "append", &id, "--commit-id", "c1"], lines);
    let expected = json!({"session": id, "position": 4, "commit_id": "c1", "replayed": false});
    assert_eq!(appended.json(), [expected]);

    let shown = scene.done(&["--json", "show", &id], "");
    let data: Vec<&str> =
        shown.out.lines().map(|line| line.split_once("\"data\":").unwrap().1).collect();
    let expected: Vec<String> =
        lines.split('\n').filter(|l| !l.is_empty()).map(|l| format!("{l}}}")).collect();
    assert_eq!(data, expected, "payloads come back byte for byte");
    let first = &shown.out.lines().next().unwrap();
    assert!(first.starts_with("{\"seq\":2,\"type\":\"message\",\"at\":"), "{first}");

    let listed = scene.done(&["--json", "list", "--project", "shop", "--owner", "ada"], "").json();
    let row = &listed[0];
    assert_eq!(row["id"], json!(id));
    assert_eq!(row["title"], "A title");
    assert_eq!(row["tags"], json!(["x", "y"]));
    assert_eq!(row["lifecycle"], "active");
    assert_eq!(row["damaged"], false);
    assert_eq!(row["messages"], 2);
    assert_eq!(row["position"], 4);
    for empty in
        [["list", "--project", "other"], ["list", "--tag", "z"], ["list", "--state", "closed"]]
    {
        assert_eq!(scene.done(&empty, "").out, "");
    }

    let info = scene.done(&["--json", "info", &id], "").json();
    for (member, value) in [
        ("lifecycle", json!("active")),
        ("position", json!(4)),
        ("messages", json!(2)),
        ("admission", json!("idle")),
        ("indeterminate", json!([])),
    ] {
        assert_eq!(info[0][member], value, "{member}");
    }
    assert!(info[0]["bytes"].as_u64().unwrap() > 0);
}

#[test]
fn a_repeat_with_its_commit_id_appends_nothing() {
    let scene = Scene::with_messages(1);
    let args = ["--json", "append", "s", "--commit-id", "again"];
    let first = scene.done(&args, "1\n2").json();
    let second = scene.done(&args, "1\n2").json();
    assert_eq!(second[0]["position"], first[0]["position"]);
    assert_eq!((&first[0]["replayed"], &second[0]["replayed"]), (&json!(false), &json!(true)));
    let other = scene.run_with(&args, "1\n3");
    assert_eq!((other.status, other.error_kind().as_str()), (4, "conflict"));
    assert_eq!(scene.done(&["--json", "show", "s"], "").json().len(), 3);
}

#[test]
fn the_last_messages_and_those_from_a_number_on_are_shown() {
    let scene = Scene::with_messages(5);
    let seqs = |args: &[&str]| {
        let rows = scene.done(args, "").json();
        rows.iter().map(|row| row["seq"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(seqs(&["--json", "show", "s", "--last", "2"]), [4, 5]);
    assert_eq!(seqs(&["--json", "show", "s", "--from", "3"]), [3, 4, 5]);
    assert_eq!(seqs(&["--json", "show", "s", "--events"]), [0, 1, 2, 3, 4, 5]);
    let text = scene.done(&["show", "s", "--last", "1"], "").out;
    assert!(text.starts_with("#5 user"), "{text}");
    assert!(text.contains("message 4"), "{text}");
}

#[test]
fn pages_go_on_after_their_cursor() {
    let scene = Scene::new();
    for id in ["a", "b", "c"] {
        scene.done(&["new", "--id", id], "");
    }
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["--json", "list", "--limit", "1"];
        args.extend(cursor.iter().flat_map(|cursor| ["--after", cursor]));
        let page = scene.done(&args, "");
        seen.extend(page.json().iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        match page.err.split_once("--after ") {
            Some((_, next)) => cursor = Some(next.trim().to_owned()),
            None => break,
        }
    }
    seen.sort();
    assert_eq!(seen, ["a", "b", "c"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let scene = Scene::with_messages(1);
    let mut child = scene
        .command(&["--json", "show", "s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn spaces_do_not_see_one_another() {
    let scene = Scene::with_messages(1);
    assert_eq!(scene.run(&["--space", "other", "info", "s"]).status, 3);
    assert_eq!(scene.done(&["--space", "other", "list"], "").out, "");
    scene.done(&["--space", "other", "new", "--id", "s"], "");
    assert_eq!(scene.done(&["--json", "--space", "other", "show", "s"], "").out, "");
}
