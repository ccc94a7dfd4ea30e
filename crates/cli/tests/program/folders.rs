//! Importing whole folders, as programs keep them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::scene::{Run, Scene, fixture};

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
        return;
    }
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// A folder as it may be found on a person's machine.
fn home(scene: &Scene) -> PathBuf {
    let home = scene.folder().join("home");
    for (from, to) in [
        ("claude-code-weather.jsonl", "claude/projects/-home-ida-weather/a.jsonl"),
        ("claude-code-branches.jsonl", "claude/projects/-home-ida-garden/b.jsonl"),
        // Before the one that started it, by name.
        ("codex-subagent.jsonl", "codex/sessions/2026/03/04/a-subagent.jsonl"),
        ("codex-rollout.jsonl", "codex/sessions/2026/03/04/b-rollout.jsonl"),
        ("gemini-document.json", "gemini/tmp/abc/chats/session-1.json"),
        ("gemini-lines.jsonl", "gemini/tmp/abc/chats/session-2.jsonl"),
        ("goose-header.jsonl", "goose/sessions/20260118_3.jsonl"),
        ("pi-v3-tree.jsonl", "pi/agent/sessions/x.jsonl"),
        ("opencode", "opencode"),
    ] {
        copy(&fixture(from), &home.join(to));
    }
    fs::write(home.join("claude/settings.json"), "{\"theme\":\"dark\"}").unwrap();
    fs::write(home.join("notes.txt"), "mine").unwrap();
    home
}

fn import(scene: &Scene, path: &Path) -> Vec<Value> {
    scene.done(&["--json", "import", path.to_str().unwrap()], "").json()
}

fn sum(rows: &[Value], member: &str) -> u64 {
    rows.iter().filter_map(|row| row[member].as_u64()).sum()
}

#[test]
fn all_transcripts_of_a_folder_are_taken_over_and_others_are_told() {
    let scene = Scene::new();
    let rows = import(&scene, &home(&scene));
    let unknown: Vec<&Value> = rows.iter().filter(|row| row["format"].is_null()).collect();
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    assert!(unknown[0]["source"].as_str().unwrap().ends_with("settings.json"));
    let mut formats: Vec<&str> = rows.iter().filter_map(|row| row["format"].as_str()).collect();
    formats.sort_unstable();
    formats.dedup();
    assert_eq!(formats, ["claude-code", "codex", "gemini", "goose", "opencode", "pi"]);
    let again = import(&scene, &scene.folder().join("home"));
    assert_eq!(again.len(), rows.len());
    assert!(sum(&rows, "added") > 100);
    assert_eq!(sum(&again, "added"), 0, "importing again adds nothing");
}

#[test]
fn what_a_session_started_is_its_child_whichever_file_comes_first() {
    let scene = Scene::new();
    import(&scene, &home(&scene));
    let parent_of = |title: &str| {
        let all = scene.done(&["--json", "list"], "").json();
        let row = all.iter().find(|row| row["title"] == title).unwrap();
        let events = scene.done(&["--json", "show", row["id"].as_str().unwrap(), "--events"], "");
        events.json()[0]["data"]["parent_id"].clone()
    };
    let codex = "019cb7a0-41c7-7b0e-8d2a-6f3e9a7c5d01";
    assert_eq!(parent_of("Which files know of time zones?"), codex);
    assert_eq!(parent_of("Weigh the stores (@explore subagent)"), "ses_hive0001");
    assert_eq!(parent_of("Winter feed for the hives"), Value::Null);
}

#[test]
fn what_a_gemini_session_started_lies_in_a_folder_of_its_name() {
    let scene = Scene::new();
    let chats = scene.folder().join("tmp/abc/chats");
    copy(&fixture("gemini-lines.jsonl"), &chats.join("session-9.jsonl"));
    let id = "d4a0b7c2-51e6-4f08-9b3a-77c1e2f4a903";
    let agent = "{\"sessionId\":\"agent-1\",\"projectHash\":\"abc\",\"startTime\":\"2026-04-11T17:00:02Z\",\"kind\":\"subagent\"}\n\
        {\"id\":\"x\",\"type\":\"user\",\"content\":\"look\"}\n";
    fs::create_dir_all(chats.join(id)).unwrap();
    fs::write(chats.join(id).join("agent-1.jsonl"), agent).unwrap();
    import(&scene, &scene.folder().join("tmp"));
    let events = scene.done(&["--json", "show", "agent-1", "--events"], "").json();
    assert_eq!(events[0]["data"]["parent_id"], id);
}

#[test]
fn a_grown_source_adds_what_is_new_and_a_damaged_one_spoils_no_other() {
    let scene = Scene::new();
    let home = home(&scene);
    import(&scene, &home);
    let goose = home.join("goose/sessions/20260118_3.jsonl");
    let text =
        fs::read_to_string(&goose).unwrap().replace("\"message_count\":4", "\"message_count\":5");
    let more = "{\"id\":\"msg_a5\",\"role\":\"user\",\"created\":1768723300,\"content\":[{\"type\":\"text\",\"text\":\"Thanks\"}]}\n";
    fs::write(&goose, format!("{text}{more}")).unwrap();
    let storage = home.join("opencode/storage");
    fs::write(
        storage.join("message/ses_hive0001/msg_h004.json"),
        r#"{"id":"msg_h004","sessionID":"ses_hive0001","role":"assistant","time":{"created":1768700200000}}"#,
    )
    .unwrap();
    fs::write(storage.join("message/ses_hive0001/msg_h005.json"), "{ torn").unwrap();
    let document = home.join("gemini/tmp/abc/chats/session-1.json");
    let grown = fs::read_to_string(&document).unwrap().replace(
        "\n  ],\n  \"kind\"",
        ",\n{\"id\":\"g-5\",\"type\":\"user\",\"content\":\"And plum?\"}\n  ],\n  \"kind\"",
    );
    fs::write(&document, grown).unwrap();
    fs::write(home.join("pi/agent/sessions/y.jsonl"), "no JSON\n").unwrap();
    let torn = "{\n  \"sessionId\": \"t\",\n  \"projectHash\": \"p\",\n  \"messages\": [\n";
    fs::write(home.join("gemini/tmp/abc/chats/session-3.json"), torn).unwrap();
    let run = scene.run(&["import", home.to_str().unwrap()]);
    assert_eq!(run.status, 0, "{}", run.err);
    for told in
        ["msg_h005.json was skipped: not JSON", "session-3.json was skipped: it is not one whole"]
    {
        assert!(run.err.contains(told), "{}", run.err);
    }
    let added: Vec<&str> =
        run.out.lines().filter(|line| !line.ends_with(" 0 entries added")).collect();
    assert_eq!(added.len(), 3, "{added:?}");
    assert!(added.iter().all(|line| line.ends_with(" 1 entry added")), "{added:?}");
    let export = scene.done(&["export", "20260118_3"], "").out;
    assert!(export.starts_with("{\"id\":\"20260118_3\"") && export.contains("\"message_count\":5"));
    assert_eq!(export, fs::read_to_string(&goose).unwrap());
}

#[test]
fn one_format_may_be_asked_for_and_a_folder_of_nothing_is_refused() {
    let scene = Scene::new();
    let home = home(&scene);
    let rows =
        scene.done(&["--json", "import", home.to_str().unwrap(), "--from", "codex"], "").json();
    assert!(rows.iter().all(|row| row["format"].is_null() || row["format"] == "codex"));
    let run = scene.run(&["--json", "import", home.to_str().unwrap(), "--as", "x"]);
    assert_eq!((run.status, run.error_kind().as_str()), (2, "usage"));
    let empty = scene.folder().join("empty");
    fs::create_dir(&empty).unwrap();
    let run = scene.run(&["--json", "import", empty.to_str().unwrap()]);
    assert_eq!((run.status, run.error_kind().as_str()), (1, "refused"));
}

#[test]
fn an_opencode_session_comes_back_as_the_small_files_that_it_was() {
    let scene = Scene::new();
    import(&scene, &fixture("opencode"));
    let out = scene.folder().join("out");
    fs::create_dir(&out).unwrap();
    scene.done(&["export", "ses_hive0001", "-o", out.to_str().unwrap()], "");
    let same = |path: &str| {
        let value = |root: &Path| -> Value {
            serde_json::from_slice(&fs::read(root.join(path)).unwrap()).unwrap()
        };
        assert_eq!(value(&out), value(&fixture("opencode")), "{path}");
    };
    for path in [
        "storage/session/prj_bees/ses_hive0001.json",
        "storage/project/prj_bees.json",
        "storage/message/ses_hive0001/msg_h002.json",
        "storage/part/msg_h002/prt_h0022.json",
    ] {
        same(path);
    }
    let run = scene.run(&["--json", "export", "ses_hive0001", "-o", out.to_str().unwrap()]);
    assert_eq!((run.status, run.error_kind().as_str()), (4, "exists"), "nothing is replaced");
    let elsewhere = Scene::new();
    import(&elsewhere, &out);
    let messages = |scene: &Scene| scene.done(&["export", "ses_hive0001", "--to", "jsonl"], "").out;
    assert_eq!(messages(&elsewhere), messages(&scene), "the same messages byte for byte");
}

#[test]
fn two_imports_of_one_folder_at_once_take_over_all_of_it_once() {
    let scene = Scene::new();
    let home = home(&scene);
    let mut begun: Vec<_> = (0..2)
        .map(|_| {
            let mut command = scene.command(&["--json", "import", home.to_str().unwrap()]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let runs: Vec<Run> =
        begun.drain(..).map(|child| Run::of(&child.wait_with_output().unwrap())).collect();
    for run in &runs {
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{}", run.out);
    }
    let alone = import(&Scene::new(), &home);
    let rows = [runs[0].json(), runs[1].json()].concat();
    assert_eq!(sum(&rows, "added"), sum(&alone, "added"), "each entry once");
    scene.done(&["verify"], "");
}

#[test]
fn what_is_skipped_of_a_folder_is_told_by_its_file() {
    let scene = Scene::new();
    let folder = scene.folder().join("files");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.jsonl"), "{\"role\":\"user\",\"content\":\"a\"}\nno JSON\n").unwrap();
    fs::write(folder.join("b.jsonl"), "{\"theme\":\"dark\"}").unwrap();
    let run = scene.done(&["import", folder.to_str().unwrap()], "");
    let told: Vec<&str> = run.err.lines().collect();
    assert!(told[0].ends_with("/files/a.jsonl: line 2 was skipped: not JSON"), "{}", run.err);
    let told_last = "sessile: 1 file is of no known format, and left out; --json names them";
    assert_eq!(told[1..], [told_last]);
}
