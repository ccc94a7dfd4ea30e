//! The commands that the README and the guide show, run as they stand.
//!
//! The blocks of a page run in their order, as one would type them, in a folder of the page's own.
//! Where a block that shows an answer follows, its lines must be in what was answered, in their
//! order; `…` stands for any text. A block whose first line is ```` ```sh not run ```` is passed over.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that meets what it does not expect has failed"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A block of commands, and the lines that it is said to answer.
struct Block {
    line: usize,
    commands: String,
    answer: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of a page that are run.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    let mut shown_after = false;
    while let Some((number, line)) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            // An answer follows its commands with nothing but blank lines between them.
            shown_after &= line.is_empty();
            continue;
        };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        match kind {
            "sh" => {
                let commands = body.join("\n");
                blocks.push(Block { line: number + 2, commands, answer: Vec::new() });
                shown_after = true;
            }
            "text" if shown_after => {
                blocks.last_mut().unwrap().answer = body.into_iter().map(str::to_owned).collect();
                shown_after = false;
            }
            _ => shown_after = false,
        }
    }
    blocks
}

/// Whether a line is what is shown of it: `…` stands for any text.
fn fits(line: &str, shown: &str) -> bool {
    let mut parts = shown.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        (rest, last) = (behind, Some(part));
    }
    // The last part ends the line, unless it stands for whatever ends it.
    last.is_some_and(|part| part.is_empty() || rest.is_empty() || line.ends_with(part))
        || (last.is_none() && rest.is_empty())
}

/// Runs the commands of a page, and fails where one fails or answers something else.
fn run(page: &str) {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let blocks = blocks(&text);
    assert!(!blocks.is_empty(), "{page} has no commands");
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_sessile")).parent().unwrap();
    let path = format!("{}:{}", program.display(), env::var("PATH").unwrap());
    // What a block sets, those behind it see; the marks tell their answers apart.
    let marked =
        |(number, block): (usize, &Block)| format!("{}\necho '=== {number}'", block.commands);
    let commands: Vec<String> = blocks.iter().enumerate().map(marked).collect();
    let script = format!("set -eu\nexec 2>&1\n{}\n", commands.join("\n"));
    let run = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("HOME", folder.path())
        .env_remove("SESSILE_STORE")
        .output()
        .unwrap();
    let answered = String::from_utf8(run.stdout).unwrap();
    let mut rest = answered.as_str();
    for (number, block) in blocks.iter().enumerate() {
        let mark = format!("=== {number}\n");
        let Some((own, behind)) = rest.split_once(&mark) else {
            panic!("{page}:{}: the commands failed:\n{rest}", block.line);
        };
        rest = behind;
        let mut lines = own.lines();
        for shown in &block.answer {
            assert!(
                lines.any(|line| fits(line, shown)),
                "{page}:{}: it is not answered {shown:?}, but\n{own}",
                block.line
            );
        }
    }
    assert!(run.status.success(), "{page}: {}", run.status);
}

#[test]
fn the_first_session_is_as_it_is_told() {
    run("docs/guide/first-session.md");
}

#[test]
fn files_of_ones_own_are_taken_along_as_it_is_told() {
    run("docs/guide/moving.md");
}

#[test]
fn a_store_is_operated_as_it_is_told() {
    run("docs/guide/operating.md");
}

#[test]
fn commands_and_their_answers_are_found_and_compared() {
    let page = "```sh\na\nb\n```\n\n```text\nx … y\n```\n```sh not run\nc\n```\n```text\nz\n```\n```sh\nd\n```\n";
    let found: Vec<_> = blocks(page)
        .into_iter()
        .map(|block| (block.line, block.commands, block.answer.join("|")))
        .collect();
    let expected = [(2, "a\nb", "x … y"), (16, "d", "")];
    assert_eq!(found, expected.map(|(line, a, b)| (line, a.to_owned(), b.to_owned())));
    for (line, shown, fit) in [
        ("x 1 y", "x … y", true),
        ("x 1 y y", "x … y", true),
        ("x 1 z", "x … y", false),
        ("x", "x", true),
        ("x1", "x", false),
        ("x1", "x…", true),
        ("1x", "…x", true),
        ("1x2", "…x", false),
    ] {
        assert_eq!(fits(line, shown), fit, "{line} {shown}");
    }
}
