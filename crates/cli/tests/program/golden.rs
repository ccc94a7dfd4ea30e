//! What the program prints, word for word: one page for each scene below `tests/golden`.
//!
//! What differs from run to run is written as a mark: times, ids that were minted, the folder.
//! `SESSILE_GOLDEN=write` writes the pages anew; what has changed is for the reader of the diff.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::held;
use crate::scene::{Scene, fixture};

mod script;

use self::script::{ERRORS, SESSIONS};

/// A command line as it would be typed, and what is given to it.
pub(crate) struct Line {
    pub(crate) args: &'static str,
    pub(crate) input: &'static str,
}

const fn line(args: &'static str) -> Line {
    Line { args, input: "" }
}

const fn given(input: &'static str, args: &'static str) -> Line {
    Line { args, input }
}

/// The words of a line; quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let pieces = line.split('\'').enumerate();
    pieces
        .flat_map(|(number, piece)| match number % 2 {
            0 => piece.split_whitespace().map(str::to_owned).collect(),
            _ => vec![piece.to_owned()],
        })
        .collect()
}

/// Text without what differs from run to run.
fn steady(text: &str, folder: &Path) -> String {
    let text = text.replace(folder.to_str().unwrap(), "<folder>");
    let lines = text.split('\n').map(|line| {
        let words: Vec<String> = line.split(' ').map(steady_word).collect();
        words.join(" ").replace("<date> <time>", "<when>")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn steady_word(word: &str) -> String {
    if let Some(word) = word.strip_suffix([',', ';']) {
        return steady_word(word) + ",";
    }
    let digits = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    let shape: String = word.chars().map(digits).collect();
    let is_hex = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    match shape.as_str() {
        "0000-00-00" => "<date>".to_owned(),
        "00:00" => "<time>".to_owned(),
        _ if word.starts_with("ses_") && word.len() > 36 => "<id>".to_owned(),
        _ if word.len() == 36 && word.chars().all(is_hex) => "<uuid>".to_owned(),
        _ if word.len() >= 20 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
            "<cursor>".to_owned()
        }
        _ => word.to_owned(),
    }
}

/// Runs a script; answers the page of what was typed, printed and told.
fn page(scene: &Scene, script: &[Line]) -> String {
    let folder = scene.folder();
    let mut page = String::new();
    for Line { args, input } in script {
        let typed: Vec<String> =
            words(args).iter().map(|word| word.replace("{}", folder.to_str().unwrap())).collect();
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        let mut command = scene.command(&typed);
        command.env("COLUMNS", "80").env("TZ", "UTC");
        let run = Scene::finish(command, input.as_bytes());
        writeln!(page, "$ sessile {args}").unwrap();
        page.push_str(&steady(&run.out, folder));
        for told in steady(&run.err, folder).lines() {
            writeln!(page, "! {told}").unwrap();
        }
        if run.status != 0 {
            writeln!(page, "= {}", run.status).unwrap();
        }
        page.push('\n');
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{args}: colour");
    }
    page
}

/// Compares a page with the one that is kept, or keeps it.
fn check(name: &str, page: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    if std::env::var_os("SESSILE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, page).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    for (number, (kept, is)) in (1..).zip(kept.lines().zip(page.lines())) {
        assert_eq!(kept, is, "{name}.txt, line {number}");
    }
    assert_eq!(kept.lines().count(), page.lines().count(), "{name}.txt");
}

/// A scene with files that commands are pointed at.
fn laid_out() -> Scene {
    let scene = Scene::new();
    for (from, to) in [
        ("claude-code-weather.jsonl", "weather.jsonl"),
        ("codex-bare.jsonl", "torn.jsonl"),
        ("gemini-document.json", "chats/gemini.json"),
        ("plain-messages.jsonl", "chats/plain.jsonl"),
    ] {
        let to = scene.folder().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(fixture(from), to).unwrap();
    }
    fs::write(scene.folder().join("notes.txt"), "just text\n").unwrap();
    fs::write(scene.folder().join("summary.jsonl"), "{\"role\":\"user\",\"content\":\"short\"}\n")
        .unwrap();
    scene
}

#[test]
fn what_is_printed_for_each_command_is_what_is_kept() {
    let scene = laid_out();
    held::hold(&scene, "held");
    check("sessions", &page(&scene, SESSIONS));
}

#[test]
fn what_is_told_of_each_mistake_is_what_is_kept() {
    let scene = laid_out();
    for id in ["s", "closed", "gone"] {
        scene.done(&["new", "--id", id], "");
    }
    scene.done(&["append", "s"], "{\"role\":\"user\",\"content\":\"hi\"}");
    scene.done(&["close", "closed"], "");
    scene.done(&["delete", "gone"], "");
    held::hold(&scene, "held");
    let damaged = scene.journal("bad");
    scene.done(&["new", "--id", "bad"], "");
    for text in ["one", "two", "three"] {
        scene.done(&["append", "bad"], &format!("{{\"role\":\"user\",\"content\":\"{text}\"}}"));
    }
    let text = fs::read_to_string(&damaged).unwrap().replace("\"two\"", "\"tvo\"");
    fs::write(damaged, text).unwrap();
    check("errors", &page(&scene, ERRORS));
}

#[test]
fn help_fits_into_eighty_columns_and_is_what_is_kept() {
    let scene = Scene::new();
    let mut pages = String::new();
    for command in std::iter::once(String::new()).chain(scene.commands()) {
        let args: Vec<&str> =
            if command.is_empty() { vec!["--help"] } else { vec![&command, "--help"] };
        if command == "help" {
            continue;
        }
        let mut run = scene.command(&args);
        run.env("COLUMNS", "80");
        let run = Scene::finish(run, b"");
        assert_eq!(run.status, 0);
        // What stands in one line by its nature is the usage.
        for line in run.out.lines().filter(|line| !line.starts_with("Usage: ")) {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        writeln!(pages, "$ sessile {}\n{}", args.join(" "), run.out).unwrap();
    }
    check("help", &pages);
}

#[test]
fn every_command_and_every_status_has_its_page() {
    let all: Vec<&Line> = SESSIONS.iter().chain(ERRORS).collect();
    let named: BTreeSet<String> = all.iter().flat_map(|line| words(line.args)).collect();
    let commands = Scene::new().commands();
    let without: Vec<&String> =
        commands.iter().filter(|it| *it != "help" && !named.contains(*it)).collect();
    assert_eq!(without, Vec::<&String>::new());
    let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/errors.txt");
    let kept = fs::read_to_string(kept).unwrap();
    // That a place does not answer is held by the tests of `check`: words of the system are told then.
    for status in 1..=5 {
        assert!(kept.contains(&format!("\n= {status}\n")), "{status}");
    }
}
