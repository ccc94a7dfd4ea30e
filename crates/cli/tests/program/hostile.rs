//! Content that would act on a terminal: it is told, and does nothing.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::held;
use crate::scene::Scene;

/// What clears a screen, sets a title, turns text around, in the signs of seven bits and of eight, and a
/// line that is not the program's.
const EVIL: &str =
    "a\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}b\u{2066}\r\u{8}\u{7f}<script>alert(1)</script>";

/// Whether text has what a terminal acts upon.
fn acts(text: &str) -> bool {
    let turns = |letter| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .any(|letter| (letter.is_control() && !matches!(letter, '\n' | '\t')) || turns(letter))
}

/// A store whose sessions, and a folder whose files, hold nothing else.
fn laid_out() -> Scene {
    let scene = Scene::new();
    let name = EVIL.replace('/', "");
    let as_json = json!(EVIL).to_string();
    let meta = format!("{EVIL}={as_json}");
    let identity = format!("{}={as_json}", name.replace('=', ""));
    let new = ["new", "--id", "s", "--title", EVIL, "--project", EVIL, "--tag", EVIL];
    let more = ["--owner", EVIL, "--meta", &meta, "--identity", &identity];
    scene.done(&[&new[..], &more].concat(), "");
    let call =
        json!({"id": EVIL, "type": "function", "function": {"name": EVIL, "arguments": as_json}});
    let messages = [
        json!({"role": EVIL, "content": EVIL}),
        json!({"role": "assistant", "content": EVIL, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": EVIL, "content": EVIL}),
        json!(EVIL),
        json!({EVIL: EVIL}),
    ];
    // As it stands, and escaped as JSON has it.
    let lines = messages.map(|message| message.to_string()).join("\n");
    scene.done(&["append", "s"], &lines);
    for (id, title) in
        [("long", "x".repeat(100_000)), ("bad", EVIL.to_owned()), ("torn", EVIL.to_owned())]
    {
        scene.done(&["new", "--id", id, "--title", &title.replace('\r', "")], "");
        scene.done(&["append", id], &lines);
    }
    let journal = scene.journal("bad");
    fs::write(&journal, fs::read_to_string(&journal).unwrap().replace("script", "scrapt")).unwrap();
    let journal = scene.journal("torn");
    let bytes = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, bytes.trim_end().split_at(bytes.trim_end().len() - 10).0).unwrap();
    held::hold(&scene, "held");
    let folder = scene.folder().join("chats").join(&name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.jsonl")), format!("{lines}\n{EVIL}\n")).unwrap();
    fs::write(folder.join("none.json"), EVIL).unwrap();
    scene.forget_what_was_noted();
    scene
}

#[test]
fn nothing_that_is_printed_or_told_acts_on_a_terminal() {
    let scene = laid_out();
    let folder = scene.folder().join("chats").join(EVIL.replace('/', ""));
    let (folder, chats) = (folder.to_str().unwrap(), scene.folder().join("chats"));
    let place = format!("file:{folder}");
    let nothing = format!("{folder}/none");
    for args in [
        &["list"][..],
        &["search", "script"],
        &["search", "script", "--text"],
        &["search", EVIL],
        &["show", "s"],
        &["show", "s", "--events"],
        &["show", "bad"],
        &["show", "torn"],
        &["info", "s"],
        &["info", "s", "--whole"],
        &["info", "held"],
        &["info", "s", "--identity", "project=\"other\""],
        &["append", "s", "--identity", "project=\"other\""],
        &["list", "--project", EVIL],
        &["list", EVIL],
        &[EVIL],
        &["show", EVIL],
        &["list", "--after", EVIL],
        &["list", "--state", EVIL],
        &["--space", EVIL, "list"],
        &["--store", EVIL, "list"],
        &["--store", &place, "list"],
        &["check", &place],
        &["check", &format!("{place}/none")],
        &["verify"],
        &["verify", "bad"],
        &["repair", "torn", "--dry-run"],
        &["doctor"],
        &["prune", "--keep-last", "1", "--dry-run"],
        &["erase", "--owner", EVIL, "--confirm", EVIL, "--dry-run"],
        &["recover", "held", EVIL, "--claim", "1", "--retry"],
        &["approve", "held", EVIL],
        &["deny", "held", "other", "--by", EVIL],
        &["import", &nothing],
        &["import", folder],
        &["import", chats.to_str().unwrap()],
        &["import", folder, "--from", "bindings"],
        &["compact", "s", "--summary", &nothing, "--keep-from", "1"],
        &["export", "s", "--to", "markdown"],
        &["export", "s", "--to", "codex"],
        &["export", "s", "-o", &nothing],
        &["export", "s", "-o", &format!("{nothing}/none")],
        &["fork", "s", "--as", EVIL],
        &["demo", folder],
        &["manual", "-o", &nothing],
    ] {
        let run = scene.run(args);
        assert!(!acts(&run.out), "{args:?}: {:?}", run.out);
        assert!(!acts(&run.err), "{args:?}: {:?}", run.err);
        assert!(!(run.out.is_empty() && run.err.is_empty()), "{args:?}");
        assert!(run.out.lines().all(|line| line.len() < 1_000), "{args:?}: a row without end");
    }
}

#[test]
fn what_is_printed_as_it_is_acts_on_no_terminal_either() {
    let scene = laid_out();
    let program = env!("CARGO_BIN_EXE_sessile");
    for command in [
        "--json list --limit 1",
        "--json show s",
        "--json info s",
        "export s",
        "--json search b --text",
    ] {
        let typed: Vec<&str> = command.split(' ').collect();
        let piped = scene.done(&typed, "").out;
        // For who reads it from a pipe it is what it is.
        let as_it_is = piped.contains(EVIL) || piped.contains("\u{202e}");
        assert!(as_it_is || command.contains("list"), "{command}: {piped}");
        let mut terminal = Command::new("script");
        terminal.args(["-qec", &format!("{program} {command}"), "/dev/null"]);
        terminal.env("SESSILE_STORE", scene.store()).stdin(Stdio::null());
        let seen = String::from_utf8(terminal.output().unwrap().stdout).unwrap();
        assert!(!seen.is_empty() && !acts(&seen.replace("\r\n", "\n")), "{command}: {seen:?}");
    }
}
