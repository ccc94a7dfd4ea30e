//! What the program says of itself.

use std::env;
use std::fs;
use std::path::Path;

use crate::held;
use crate::scene::{Scene, fixture};

#[test]
fn every_command_has_an_example() {
    let scene = Scene::new();
    let commands = scene.commands();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands.iter().filter(|command| *command != "help") {
        let help = scene.done(&[command, "--help"], "").out;
        let example = help.split_once("Example: ").unwrap_or_else(|| panic!("{command}: {help}")).1;
        assert!(example.lines().next().unwrap().contains(&format!("sessile {command}")), "{help}");
    }
}

#[test]
fn a_wrong_command_line_is_told_in_json_where_that_is_asked_for() {
    let scene = Scene::new();
    for args in [&["--json"][..], &["--json", "frobnicate"], &["show", "--json"]] {
        let run = scene.run(args);
        assert_eq!((run.status, run.error_kind().as_str()), (2, "usage"), "{args:?}");
        assert_eq!(run.out, "", "{args:?}");
    }
}

/// What the examples are about: a session of 130 messages, one that a request holds or one that was
/// deleted, and files of other programs.
fn stage(example: &str) -> Scene {
    let scene = Scene::new();
    if ["recover", "approve", "deny"].iter().any(|command| example.contains(command)) {
        held::hold_at_17(&scene, "ses_42");
    } else if !example.contains("--as ses_42") {
        let new = ["new", "--id", "ses_42", "--identity", "model=\"large\"", "--owner", "ann"];
        scene.done(&new, "");
        let message = "{\"role\":\"user\",\"content\":\"the parser\"}\n";
        scene.done(&["append", "ses_42"], &message.repeat(130));
    }
    if example.contains("undelete") {
        scene.done(&["delete", "ses_42"], "");
    }
    let home = scene.folder();
    fs::create_dir_all(home.join(".claude/projects/-home-ann-shop")).unwrap();
    fs::create_dir_all(home.join(".local/share/bash-completion/completions")).unwrap();
    for (from, to) in [
        ("claude-code-weather.jsonl", ".claude/projects/-home-ann-shop/a.jsonl"),
        ("codex-rollout.jsonl", "rollout.jsonl"),
        ("plain-messages.jsonl", "summary.jsonl"),
    ] {
        fs::copy(fixture(from), home.join(to)).unwrap();
    }
    scene
}

#[test]
fn every_example_runs_as_it_is_written() {
    let programs = Path::new(env!("CARGO_BIN_EXE_sessile")).parent().unwrap();
    let path = env::join_paths(
        [programs.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let mut count = 0;
    for command in Scene::new().commands().iter().filter(|command| *command != "help") {
        let help = Scene::new().done(&[command, "--help"], "").out;
        for example in help.lines().filter_map(|line| line.strip_prefix("Example: ")) {
            let scene = stage(example);
            let other = format!("file:{}", scene.folder().join("other").display());
            // Places and programs that a machine may lack.
            let typed = example
                .replace("file:/var/lib/agents", &scene.store())
                .replace("file:/mnt/backup", &other)
                .replace("'s3://agents/prod?region=eu-west-1'", &other)
                .replace("man -l -", "cat");
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &typed]).current_dir(scene.folder()).env("PATH", &path);
            shell.env("HOME", scene.folder()).env("SESSILE_STORE", scene.store());
            let run = Scene::finish(shell, b"");
            // What is to be accepted differs from session to session: the digest is cut.
            let expected = if example.contains("9f2c...") { 2 } else { 0 };
            assert_eq!(run.status, expected, "{example}: {}", run.err);
            count += 1;
        }
    }
    assert!(count > 35, "{count}");
}
