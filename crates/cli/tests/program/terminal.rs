//! What is seen on a terminal.

use std::fs;
use std::process::{Command, Stdio};

use crate::interrupted::long;
use crate::scene::{Run, Scene};
use crate::screen::Screen;

/// Runs the program on a terminal of its own, as far as it can tell, so many columns wide; answers
/// its status and all that it wrote there.
fn on_a_terminal(scene: &Scene, columns: usize, args: &str) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_sessile");
    let mut terminal = Command::new("script");
    let command = format!("stty cols {columns} rows 24; {program} {args}");
    terminal.args(["-qec", &command, "/dev/null"]);
    terminal.env("SESSILE_STORE", scene.store()).stdin(Stdio::null());
    // Whatever the tests themselves run in.
    terminal.env("TERM", "xterm").env_remove("COLUMNS");
    let seen = terminal.output().unwrap();
    (seen.status.code(), String::from_utf8(seen.stdout).unwrap())
}

#[test]
fn how_far_a_copy_and_a_vacuum_have_come_is_told_on_a_terminal_only() {
    let scene = long();
    let (from, to) = (scene.store(), format!("file:{}", scene.folder().join("to").display()));
    for (command, told) in [
        (format!("copy {from} {to} s"), "copying"),
        ("vacuum s".to_owned(), "vacuuming"),
        ("vacuum".to_owned(), "vacuuming"),
    ] {
        let (status, text) = on_a_terminal(&scene, 80, &command);
        assert!(status == Some(0) && text.contains(told), "{command}: {text}");
        let args: Vec<&str> = command.split(' ').collect();
        assert_eq!(scene.done(&args, "").err, "", "{command}");
    }
}

/// A store of so many sessions that what is told of each is more than is written at once, and the
/// folder that they were imported from. Every one is torn, so that there is something to tell.
fn many(scene: &Scene) -> String {
    let folder = scene.folder().join("files");
    fs::create_dir(&folder).unwrap();
    for number in 0..60 {
        let line = format!("{{\"role\":\"user\",\"content\":\"message {number}\"}}\n");
        fs::write(folder.join(format!("f{number:03}.jsonl")), line).unwrap();
    }
    fs::write(folder.join("none.jsonl"), "no JSON\n").unwrap();
    let folder = folder.to_str().unwrap().to_owned();
    let rows = scene.done(&["--json", "import", &folder, "--from", "jsonl"], "").json();
    for id in rows.iter().filter_map(|row| row["session"].as_str()) {
        let journal = scene.journal(id);
        let text = fs::read_to_string(&journal).unwrap();
        let text = text.trim_end_matches(['\n', '\0']);
        fs::write(&journal, format!("{text}\n{{\"seq\":9,\"at\":1")).unwrap();
    }
    scene.forget_what_was_noted();
    folder
}

/// All lines that a run wrote, in order of the alphabet.
fn lines(run: &Run) -> Vec<String> {
    sorted(run.out.lines().chain(run.err.lines()).map(str::to_owned))
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.sort();
    lines
}

#[test]
fn what_is_told_never_shares_a_line_with_how_far_it_has_come() {
    let scene = Scene::new();
    let folder = many(&scene);
    let to = format!("file:{}", scene.folder().join("to").display());
    scene.done(&["copy", &scene.store(), &to], "");
    for command in [
        "verify".to_owned(),
        "doctor".to_owned(),
        format!("import {folder} --from jsonl"),
        format!("copy {} {to}", scene.store()),
        "search message --text".to_owned(),
        "doctor --repair".to_owned(),
        "vacuum".to_owned(),
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        // What is repaired once is not found again.
        let is_done_once = command.ends_with("--repair");
        let piped = (!is_done_once).then(|| scene.run(&args));
        for columns in [80, 40] {
            let (status, text) = on_a_terminal(&scene, columns, &command);
            let seen = sorted(Screen::of(&text).into_iter());
            if let Some(piped) = &piped {
                assert_eq!(status, Some(piped.status), "{command}");
                let (seen, expected) = (seen.iter(), lines(piped));
                let other = seen.clone().find(|line| !expected.contains(line));
                assert_eq!(other, None, "{command}");
                assert!(seen.eq(&expected), "{command}: a line is lost or doubled");
            } else {
                let working = seen.iter().find(|line| line.contains("examining"));
                assert_eq!(working, None, "{command}");
            }
        }
    }
}
