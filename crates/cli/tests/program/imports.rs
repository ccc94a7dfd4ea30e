//! Importing the files of other programs.

use std::collections::BTreeSet;

use crate::scene::{Scene, fixture};

const FILES: [&str; 10] = [
    "claude-code-weather.jsonl",
    "claude-code-branches.jsonl",
    "claude-code-oddities.jsonl",
    "codex-bare.jsonl",
    "codex-rollout.jsonl",
    "codex-subagent.jsonl",
    "pi-v1.jsonl",
    "pi-v3-tree.jsonl",
    "gemini-lines.jsonl",
    "plain-messages.jsonl",
];

#[test]
fn every_line_is_accounted_for_and_comes_back_byte_for_byte() {
    for file in FILES {
        let scene = Scene::new();
        let path = fixture(file);
        let rows = scene.done(&["--json", "import", path.to_str().unwrap()], "").json();
        let text = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = text
            .split(|byte| *byte == b'\n')
            .map(|line| line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii())
            .collect();
        let skipped: BTreeSet<u64> = rows
            .iter()
            .flat_map(|row| row["skipped"].as_array().unwrap().clone())
            .map(|skipped| skipped["line"].as_u64().unwrap())
            .collect();
        let mut stored = BTreeSet::new();
        for row in &rows {
            let id = row["session"].as_str().unwrap();
            let shown = scene.done(&["--json", "show", id, "--events"], "");
            stored.extend(shown.out.lines().map(|line| {
                let data = line.split_once("\"data\":").unwrap().1;
                data.strip_suffix('}').unwrap().as_bytes().to_vec()
            }));
        }
        for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.is_empty()) {
            let there = stored.contains(line);
            assert_ne!(there, skipped.contains(&number), "{file}, line {number}");
        }
    }
}

#[test]
fn importing_again_adds_nothing_wherever_the_file_lies() {
    for file in FILES {
        let scene = Scene::new();
        let path = fixture(file);
        let first = scene.done(&["--json", "import", path.to_str().unwrap()], "").json();
        let moved = scene.folder().join("moved.jsonl");
        std::fs::copy(&path, &moved).unwrap();
        let list = || scene.done(&["--json", "list"], "").out;
        let before = list();
        let again = scene.done(&["--json", "import", moved.to_str().unwrap()], "").json();
        assert_eq!(first.len(), again.len(), "{file}");
        for (first, again) in first.iter().zip(&again) {
            assert_eq!(first["session"], again["session"], "{file}");
            assert_eq!(first["messages"], again["messages"], "{file}");
            assert_ne!(first["added"], 0, "{file}");
            assert_eq!(again["added"], 0, "{file}");
        }
        assert_eq!(list(), before, "{file}");
    }
}

#[test]
fn a_grown_file_adds_what_is_new_and_a_changed_one_is_a_conflict() {
    let scene = Scene::new();
    let path = scene.folder().join("pi.jsonl");
    let import = |text: &str| {
        std::fs::write(&path, text).unwrap();
        scene.run(&["--json", "import", path.to_str().unwrap()])
    };
    let first = "{\"type\":\"session\",\"version\":3,\"id\":\"src-1\",\"timestamp\":\"2026-01-01T10:00:00Z\",\"cwd\":\"/x\"}\n\
        {\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n";
    let second = "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"message\":{\"role\":\"user\",\"content\":\"b\"}}\n";
    let grown = format!("{first}{second}");
    let one = import(first).json();
    let two = import(&grown).json();
    assert_eq!(one[0]["session"], two[0]["session"]);
    assert_eq!((&two[0]["added"], &two[0]["messages"]), (&1.into(), &2.into()));
    let changed = grown.replace("\"content\":\"a\"", "\"content\":\"c\"");
    let conflict = import(&changed);
    assert_eq!((conflict.status, conflict.error_kind().as_str()), (4, "conflict"));
    assert!(conflict.err.contains("--as"), "{}", conflict.err);
    let separate = scene.run(&["--json", "import", path.to_str().unwrap(), "--as", "other"]);
    assert_eq!(separate.json()[0]["session"], "other");
}

#[test]
fn a_file_of_no_known_format_is_refused_by_the_names_of_those_that_are() {
    let scene = Scene::new();
    let path = scene.folder().join("notes.txt");
    std::fs::write(&path, "just text\n").unwrap();
    let run = scene.run(&["import", path.to_str().unwrap()]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("claude-code"), "{}", run.err);
    let forced = scene.run(&["--json", "import", path.to_str().unwrap(), "--from", "jsonl"]);
    assert_eq!((forced.status, forced.error_kind().as_str()), (5, "corrupt"));
    assert_eq!(scene.done(&["list"], "").out, "");
}
