//! Following a session, being stopped, and readers that have seen enough.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use crate::scene::Scene;

fn interrupt(pid: u32) {
    let sent = Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn what_others_add_is_shown_as_it_comes_until_it_is_stopped() {
    let scene = Scene::with_messages(1);
    let mut child = scene
        .command(&["show", "s", "--follow"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut shown = |text: &str| {
        let line = lines.by_ref().map(Result::unwrap).find(|line| line.contains(text));
        assert!(line.is_some(), "{text}");
    };
    shown("message 0");
    for number in 1..4 {
        let message = format!(r#"{{"role":"user","content":"later {number}"}}"#);
        scene.done(&["append", "s"], &message);
        shown(&format!("later {number}"));
    }
    interrupt(child.id());
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{told}");
    assert!(told.starts_with("sessile: it was stopped\n"), "{told}");
}

#[test]
fn a_session_that_is_deleted_ends_the_following() {
    let scene = Scene::with_messages(1);
    let mut child = scene
        .command(&["--json", "show", "s", "--follow", "--events"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().map(Result::unwrap).any(|line| line.contains("message 0")));
    scene.done(&["delete", "s"], "");
    assert_eq!(lines.map(Result::unwrap).filter(|line| line.contains("message")).count(), 0);
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn an_import_that_is_stopped_leaves_a_sound_store_and_goes_on() {
    let scene = Scene::new();
    let path = scene.folder().join("long.jsonl");
    let line = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(1_000));
    fs::write(&path, line.repeat(40_000)).unwrap();
    let path = path.to_str().unwrap();
    let mut child = scene
        .command(&["import", path, "--as", "long"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Wherever it is by then, and also where it has ended.
    interrupt(child.id());
    child.wait().unwrap();
    scene.done(&["verify"], "");
    let rows = scene.done(&["--json", "import", path, "--as", "long"], "").json();
    assert_eq!(rows[0]["messages"], 40_000);
    scene.done(&["verify"], "");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure_and_hears_nothing() {
    let scene = Scene::with_messages(1);
    let line = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(100_000));
    scene.done(&["append", "s"], &line.repeat(20));
    for args in [&["show", "s"][..], &["--json", "show", "s", "--events"], &["export", "s"]] {
        let mut child =
            scene.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0_u8; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!((child.wait().unwrap().code(), told.as_str()), (Some(0), ""), "{args:?}");
    }
}
