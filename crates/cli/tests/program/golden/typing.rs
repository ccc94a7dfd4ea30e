//! Typing a script, and the page of what came of it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::line::Line;
use crate::scene::{Run, Scene};

/// The words of a line; quotes hold words together.
pub(super) fn words(line: &str) -> Vec<String> {
    let pieces = line.split('\'').enumerate();
    pieces
        .flat_map(|(number, piece)| match number % 2 {
            0 => piece.split_whitespace().map(str::to_owned).collect(),
            _ => vec![piece.to_owned()],
        })
        .collect()
}

/// Text without what differs from run to run.
fn steady(text: &str, marks: &[(&str, &str)]) -> String {
    let text = marks.iter().fold(text.to_owned(), |text, (is, mark)| text.replace(is, mark));
    let lines = text.split('\n').map(|line| {
        let words: Vec<String> = line.split(' ').map(steady_word).collect();
        words.join(" ").replace("<date> <time>", "<when>")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn steady_word(word: &str) -> String {
    for sign in [',', ';'] {
        if let Some(word) = word.strip_suffix(sign) {
            return format!("{}{sign}", steady_word(word));
        }
    }
    // What was asked for in a place that was looked at only once.
    if let Some((before, after)) = word.split_once("/probe/") {
        let after = after.trim_start_matches(|letter: char| letter.is_ascii_hexdigit());
        return format!("{before}/probe/<hex>{after}");
    }
    let span = word.trim_end_matches(['\u{b5}', 'm', 's']);
    if span != word && span.parse::<f64>().is_ok() {
        return "<span>".to_owned();
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

/// Types a script; answers the page of what was typed, printed and told, with the status and the
/// kind of the error where it is not 0.
///
/// In a line `{}` is the scene's folder, and so is what the marks name; `> FILE` and `< FILE` at its end
/// are what a shell makes of them, and `^C` is pressed once something was printed.
pub(super) fn page(scene: &Scene, script: &[Line], marks: &[(&str, &str)]) -> String {
    let folder = scene.folder().to_str().unwrap();
    let marks: Vec<(&str, &str)> = [(folder, "<folder>")].iter().chain(marks).copied().collect();
    let mut page = String::new();
    for Line { args, input } in script {
        let typed: Vec<String> = words(args)
            .iter()
            .map(|word| {
                let word = word.replace("{}", folder);
                marks.iter().fold(word, |word, (is, mark)| word.replace(mark, is))
            })
            .collect();
        let run = type_line(scene, &typed, input, false);
        writeln!(page, "$ sessile {args}").unwrap();
        page.push_str(&steady(&run.out, &marks));
        for told in steady(&run.err, &marks).lines() {
            writeln!(page, "! {told}").unwrap();
        }
        if run.status != 0 {
            // Whoever fails has changed nothing, and fails again.
            let again = type_line(scene, &typed, input, true);
            assert_eq!(again.status, run.status, "{args}: {}", again.err);
            let mut told = again.err.lines().filter_map(|line| serde_json::from_str(line).ok());
            let kind = told.next_back().map(|told: Value| told["error"]["kind"].clone());
            let kind = kind.as_ref().and_then(Value::as_str).unwrap_or("");
            writeln!(page, "{}", format!("= {} {kind}", run.status).trim_end()).unwrap();
        }
        page.push('\n');
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{args}: colour");
    }
    page
}

fn type_line(scene: &Scene, typed: &[String], input: &str, in_json: bool) -> Run {
    let mut typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let stops = typed.last() == Some(&"^C");
    if stops {
        typed.pop();
    }
    let mut redirected = None;
    if let [.., sign @ (">" | "<"), path] = typed.as_slice() {
        redirected = Some((*sign, *path));
        typed.truncate(typed.len() - 2);
    }
    let all: Vec<&str> = in_json.then_some("--json").into_iter().chain(typed).collect();
    let mut command = scene.command(&all);
    command.env("COLUMNS", "80").env("TZ", "UTC");
    match redirected {
        Some((">", path)) => {
            command.stdout(File::options().write(true).open(path).unwrap());
            Run::of(&command.output().unwrap())
        }
        Some((_, path)) => {
            command.stdin(File::open(path).unwrap());
            Run::of(&command.output().unwrap())
        }
        None if stops => stop(command),
        None => Scene::finish(command, input.as_bytes()),
    }
}

/// Presses Ctrl-C once a command has printed something.
fn stop(mut command: Command) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0_u8; 1];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut first).unwrap();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let mut run = Run::of(&child.wait_with_output().unwrap());
    run.out = format!("{}{rest}", char::from(first[0]));
    run
}
