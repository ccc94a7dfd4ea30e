//! Bad input: each mistake is named with its reason and the way out, and changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::held;
use crate::scene::{Scene, fixture};

/// A command line that must fail, and how. In its arguments `{}` is the folder of the scene.
struct Mistake {
    args: &'static [&'static str],
    input: &'static [u8],
    status: i32,
    kind: &'static str,
    /// What the message names.
    names: &'static str,
}

const fn mistake(
    status: i32,
    kind: &'static str,
    names: &'static str,
    args: &'static [&'static str],
) -> Mistake {
    Mistake { args, input: b"1", status, kind, names }
}

const fn said(
    input: &'static [u8],
    status: i32,
    kind: &'static str,
    names: &'static str,
    args: &'static [&'static str],
) -> Mistake {
    Mistake { args, input, status, kind, names }
}

/// What can't be, whatever there is in the store.
const MALFORMED: &[Mistake] = &[
    // Places, spaces, and what every command takes.
    mistake(2, "invalid-place", "--store", &["--store", "nonsense", "list"]),
    mistake(2, "invalid-place", "--store", &["--store", "ftp://secret", "new"]),
    mistake(2, "invalid-place", "--store", &["--store", "s3://secret/x", "status"]),
    mistake(2, "invalid-place", "--store", &["--store", "file:", "spaces"]),
    mistake(2, "invalid-place", "/afile", &["--store", "file:{}/afile", "list"]),
    mistake(2, "invalid-place", "/afile", &["--store", "file:{}/afile", "new"]),
    mistake(2, "invalid-place", "/afile/x", &["--store", "file:{}/afile/x", "verify"]),
    mistake(2, "invalid-place", "/folder", &["--store", "file:{}/folder", "vacuum"]),
    mistake(2, "invalid-id", "--space", &["--space", "a/b", "new"]),
    mistake(2, "invalid-id", "--space", &["--space", "", "status"]),
    mistake(2, "usage", "--timeout", &["--timeout", "0", "spaces"]),
    mistake(2, "usage", "--timeout", &["--timeout", "soon", "list"]),
    mistake(2, "usage", "frobnicate", &["frobnicate"]),
    mistake(2, "usage", "x", &["spaces", "x"]),
    mistake(2, "usage", "x", &["status", "x"]),
    // What is kept, and what is erased.
    mistake(2, "usage", "--older-than", &["prune"]),
    mistake(2, "usage", "--older-than", &["prune", "--older-than", "secret"]),
    mistake(2, "usage", "--older-than", &["prune", "--older-than", "0d"]),
    mistake(2, "usage", "--older-than", &["prune", "--older-than", "30"]),
    mistake(2, "usage", "--older-than", &["prune", "--older-than", "99999999999999999999d"]),
    mistake(2, "usage", "--keep-last", &["prune", "--keep-last", "0"]),
    mistake(2, "usage", "--state", &["prune", "--keep-last", "1", "--state", "deleted"]),
    mistake(2, "invalid-id", "--project", &["prune", "--keep-last", "1", "--project", ""]),
    mistake(2, "usage", "--owner", &["erase", "--confirm", "secret"]),
    mistake(2, "usage", "--confirm", &["erase", "--all"]),
    mistake(1, "refused", "not confirmed", &["erase", "--all", "--confirm", "secret"]),
    // Ids.
    mistake(2, "invalid-id", "ID", &["append", "a/b"]),
    mistake(2, "invalid-id", "ID", &["show", "../x"]),
    mistake(2, "invalid-id", "ID", &["info", ".x"]),
    mistake(2, "invalid-id", "ID", &["meta", "a b", "k=1"]),
    mistake(2, "invalid-id", "ID", &["title", "", "x"]),
    mistake(2, "invalid-id", "ID", &["close", "a/b"]),
    mistake(2, "invalid-id", "ID", &["accept", "a/b", "--identity", "k=1", "--difference", "0"]),
    mistake(2, "invalid-id", "ID", &["delete", "a/b"]),
    mistake(2, "invalid-id", "ID", &["undelete", "a/b"]),
    mistake(2, "invalid-id", "ID", &["purge", "a/b"]),
    mistake(2, "invalid-id", "ID", &["rewind", "a/b", "--to", "1"]),
    mistake(2, "invalid-id", "ID", &["compact", "a/b", "--summary", "-", "--keep-from", "1"]),
    mistake(2, "invalid-id", "ID", &["redact", "a/b", "1"]),
    mistake(2, "invalid-id", "ID", &["forget", "a/b", "--before", "1"]),
    mistake(2, "invalid-id", "ID", &["recover", "a/b", "r1", "--claim", "1", "--retry"]),
    mistake(2, "invalid-id", "ID", &["approve", "a/b", "ok"]),
    mistake(2, "invalid-id", "ID", &["deny", "a/b", "ok"]),
    mistake(2, "invalid-id", "ID", &["fork", "a/b"]),
    mistake(2, "invalid-id", "ID", &["export", "a/b"]),
    mistake(2, "invalid-id", "ID", &["verify", "a/b"]),
    mistake(2, "invalid-id", "ID", &["repair", "a/b"]),
    mistake(2, "invalid-id", "ID", &["vacuum", "a/b"]),
    mistake(2, "invalid-id", "ID", &["copy", "file:{}/store", "file:{}/other", "a/b"]),
    mistake(2, "invalid-id", "--id", &["new", "--id", "a/b"]),
    mistake(2, "invalid-id", "--as", &["fork", "s", "--as", "a/b"]),
    mistake(2, "invalid-id", "--as", &["import", "{}/good.jsonl", "--as", "a/b"]),
    mistake(2, "invalid-id", "--commit-id", &["append", "s", "--commit-id", "a/b"]),
    // Other flags.
    mistake(2, "invalid-id", "--project", &["new", "--project", ""]),
    mistake(2, "invalid-id", "--owner", &["new", "--owner", ""]),
    mistake(2, "invalid-id", "--tag", &["new", "--tag", ""]),
    mistake(2, "usage", "--meta", &["new", "--meta", "k"]),
    mistake(2, "usage", "--meta", &["new", "--meta", "k=text"]),
    mistake(2, "usage", "title", &["new", "--title", "a", "--meta", "title=\"b\""]),
    mistake(2, "usage", "tags", &["new", "--tag", "a", "--meta", "tags=[]"]),
    mistake(2, "usage", "--identity", &["new", "--identity", "k"]),
    mistake(2, "usage", "--identity", &["info", "s", "--identity", "k=text"]),
    mistake(2, "usage", "--identity", &["append", "s", "--identity", "k=1", "--identity", "k=2"]),
    mistake(2, "usage", "--identity", &["new", "--project", "p", "--identity", "project=1"]),
    mistake(2, "usage", "--difference", &["accept", "s", "--identity", "k=1"]),
    mistake(2, "usage", "--difference", &["accept", "s", "--identity", "k=1", "--difference", "a"]),
    mistake(2, "usage", "KEY=JSON", &["meta", "s", "k"]),
    mistake(2, "usage", "KEY=JSON", &["meta", "s", "k=1", "k=2"]),
    mistake(2, "usage", "TEXT", &["title", "s"]),
    mistake(2, "usage", "--expect", &["append", "s", "--expect", "x"]),
    mistake(2, "usage", "--expect", &["append", "s", "--expect", "9007199254740992"]),
    mistake(2, "invalid-id", "--project", &["list", "--project", ""]),
    mistake(2, "invalid-id", "--owner", &["list", "--owner", ""]),
    mistake(2, "invalid-id", "--tag", &["list", "--tag", ""]),
    mistake(2, "usage", "--state", &["list", "--state", "open"]),
    mistake(2, "usage", "--limit", &["list", "--limit", "0"]),
    mistake(2, "usage", "--limit", &["list", "--limit", "1001"]),
    mistake(2, "usage", "--limit", &["list", "--limit", "all"]),
    mistake(2, "usage", "--after", &["list", "--after", "nonsense"]),
    mistake(2, "usage", "--last", &["show", "s", "--last", "0"]),
    mistake(2, "usage", "--last", &["show", "s", "--last", "few"]),
    mistake(2, "usage", "--from", &["show", "s", "--from", "9007199254740991"]),
    mistake(2, "usage", "--last", &["show", "s", "--from", "1", "--last", "1"]),
    mistake(2, "usage", "--to", &["rewind", "s"]),
    mistake(2, "usage", "--to", &["rewind", "s", "--to", "9007199254740991"]),
    mistake(2, "usage", "--keep-from", &["compact", "s", "--summary", "-"]),
    mistake(
        2,
        "usage",
        "--keep-from",
        &["compact", "s", "--summary", "-", "--keep-from", "9007199254740991"],
    ),
    mistake(2, "usage", "SEQ", &["redact", "s"]),
    mistake(2, "usage", "SEQ", &["redact", "s", "9007199254740991"]),
    mistake(2, "usage", "--before", &["forget", "s", "--before", "9007199254740991"]),
    mistake(2, "invalid-id", "REQUEST", &["recover", "s", "a b", "--claim", "1", "--retry"]),
    mistake(2, "usage", "REQUEST", &["recover", "s", "--claim", "1", "--retry"]),
    mistake(2, "usage", "--claim", &["recover", "s", "r1", "--retry"]),
    mistake(2, "usage", "--claim", &["recover", "s", "r1", "--claim", "last", "--retry"]),
    mistake(
        2,
        "usage",
        "--claim",
        &["recover", "s", "r1", "--claim", "9007199254740991", "--abandon"],
    ),
    mistake(2, "usage", "--abandon", &["recover", "s", "r1", "--claim", "1"]),
    mistake(
        2,
        "usage",
        "--abandon",
        &["recover", "s", "r1", "--claim", "1", "--retry", "--abandon"],
    ),
    mistake(
        2,
        "invalid-id",
        "--by",
        &["recover", "s", "r1", "--claim", "1", "--retry", "--by", ""],
    ),
    mistake(2, "usage", "APPROVAL", &["approve", "s"]),
    mistake(2, "invalid-id", "APPROVAL", &["approve", "s", ""]),
    mistake(2, "invalid-id", "--by", &["approve", "s", "ok", "--by", ""]),
    mistake(2, "usage", "APPROVAL", &["deny", "s"]),
    mistake(2, "invalid-id", "APPROVAL", &["deny", "s", ""]),
    mistake(2, "invalid-id", "--by", &["deny", "s", "ok", "--by", ""]),
    mistake(2, "usage", "--at", &["fork", "s", "--at", "9007199254740991"]),
    mistake(2, "usage", "--from", &["import", "{}/good.jsonl", "--from", "word"]),
    mistake(2, "usage", "--to", &["export", "s", "--to", "word"]),
    mistake(2, "usage", "--output", &["export", "s", "--force"]),
    mistake(2, "usage", "TO-URL", &["copy", "file:{}/store"]),
    mistake(2, "invalid-place", "FROM-URL", &["copy", "ftp://secret", "file:{}/other"]),
    mistake(2, "invalid-place", "TO-URL", &["copy", "file:{}/store", "ftp://secret", "s"]),
    mistake(2, "usage", "--store", &["--store", "file:x", "copy", "file:{}/store", "file:{}/o"]),
    mistake(2, "usage", "--store", &["copy", "file:{}/store", "file:{}/o", "--store", "file:x"]),
    mistake(2, "usage", "--store", &["demo", "--store", "file:{}/store"]),
    mistake(2, "usage", "--store", &["check", "file:{}/store", "--store", "file:{}/store"]),
    mistake(2, "usage", "URL", &["check"]),
    mistake(2, "invalid-place", "URL", &["check", "ftp://secret"]),
    mistake(2, "invalid-place", "URL", &["check", "s3://secret:word@bucket"]),
    mistake(4, "exists", "/folder", &["demo", "{}/folder"]),
    // Sessions that never were.
    mistake(3, "missing", "nobody", &["append", "nobody"]),
    mistake(3, "missing", "nobody", &["show", "nobody"]),
    mistake(3, "missing", "nobody", &["info", "nobody"]),
    mistake(3, "missing", "nobody", &["meta", "nobody", "k=1"]),
    mistake(3, "missing", "nobody", &["title", "nobody", "x"]),
    mistake(3, "missing", "nobody", &["close", "nobody"]),
    mistake(3, "missing", "nobody", &["delete", "nobody"]),
    mistake(3, "missing", "nobody", &["undelete", "nobody"]),
    mistake(3, "missing", "nobody", &["purge", "nobody"]),
    mistake(3, "missing", "nobody", &["rewind", "nobody", "--to", "1"]),
    mistake(3, "missing", "nobody", &["compact", "nobody", "--summary", "-", "--keep-from", "1"]),
    mistake(3, "missing", "nobody", &["redact", "nobody", "1"]),
    mistake(3, "missing", "nobody", &["forget", "nobody", "--before", "1"]),
    mistake(3, "missing", "nobody", &["recover", "nobody", "r1", "--claim", "1", "--abandon"]),
    mistake(3, "missing", "nobody", &["approve", "nobody", "ok"]),
    mistake(3, "missing", "nobody", &["deny", "nobody", "ok"]),
    mistake(3, "missing", "nobody", &["fork", "nobody", "--as", "f"]),
    mistake(3, "missing", "nobody", &["export", "nobody"]),
    mistake(3, "missing", "nobody", &["verify", "nobody"]),
    mistake(3, "missing", "nobody", &["repair", "nobody"]),
    mistake(3, "missing", "nobody", &["vacuum", "nobody"]),
    mistake(3, "missing", "nobody", &["copy", "file:{}/store", "file:{}/other", "nobody"]),
    // Files to import.
    mistake(3, "missing", "/none", &["import", "{}/none"]),
    mistake(1, "refused", "/folder", &["import", "{}/folder"]),
    mistake(1, "refused", "/afile", &["import", "{}/afile"]),
    mistake(5, "corrupt", "/afile", &["import", "{}/afile", "--from", "jsonl"]),
];

/// What a session `s` of two messages, a closed one `c`, a deleted one `d`, one `h` that request
/// `r1` holds by claim 2, and one `e` whose only request has ended refuse.
const IMPOSSIBLE: &[Mistake] = &[
    mistake(4, "exists", "session s", &["new", "--id", "s"]),
    mistake(3, "deleted", "session d", &["new", "--id", "d"]),
    said(b"", 1, "refused", "standard input", &["append", "s"]),
    said(b"\n\n", 1, "refused", "standard input", &["append", "s"]),
    said(b"no json", 1, "refused", "line 1", &["append", "s"]),
    said(b"1\n{\"a\":}\n", 1, "refused", "line 2", &["append", "s"]),
    said(b"\xff\n", 1, "refused", "standard input", &["append", "s"]),
    mistake(4, "conflict", "session s", &["append", "s", "--expect", "7"]),
    mistake(4, "conflict", "session s", &["append", "s", "--commit-id", "first"]),
    mistake(4, "closed", "session c", &["append", "c"]),
    mistake(3, "deleted", "session d", &["append", "d"]),
    mistake(3, "deleted", "session d", &["show", "d"]),
    mistake(3, "deleted", "session d", &["info", "d"]),
    mistake(3, "deleted", "session d", &["meta", "d", "k=1"]),
    mistake(3, "deleted", "session d", &["close", "d"]),
    mistake(3, "deleted", "session d", &["export", "d"]),
    mistake(3, "deleted", "session d", &["vacuum", "d"]),
    mistake(4, "conflict", "session s", &["purge", "s"]),
    mistake(1, "refused", "entry 99", &["rewind", "s", "--to", "99"]),
    mistake(4, "closed", "session c", &["rewind", "c", "--to", "0"]),
    mistake(1, "refused", "entry 99", &["redact", "s", "99"]),
    mistake(1, "refused", "session s", &["redact", "s", "0"]),
    mistake(1, "refused", "entry 99", &["forget", "s", "--before", "99"]),
    mistake(1, "refused", "entry 0", &["forget", "s", "--before", "0"]),
    mistake(4, "busy", "request r1", &["append", "h"]),
    mistake(4, "busy", "claim 2", &["close", "h"]),
    mistake(4, "busy", "request r1", &["rewind", "h", "--to", "0"]),
    mistake(4, "busy", "request r1", &["compact", "h", "--summary", "-", "--keep-from", "1"]),
    mistake(3, "missing", "session s", &["recover", "s", "r1", "--claim", "1", "--retry"]),
    mistake(3, "missing", "session c", &["recover", "c", "r1", "--claim", "1", "--abandon"]),
    mistake(3, "deleted", "session d", &["recover", "d", "r1", "--claim", "1", "--retry"]),
    mistake(
        4,
        "invalid-admission",
        "session e",
        &["recover", "e", "r1", "--claim", "1", "--retry"],
    ),
    mistake(4, "mismatch", "but r1", &["recover", "h", "r2", "--claim", "2", "--retry"]),
    mistake(4, "mismatch", "but r1", &["recover", "h", "r2", "--claim", "2", "--abandon"]),
    mistake(4, "conflict", "claim 2", &["recover", "h", "r1", "--claim", "1", "--retry"]),
    mistake(4, "conflict", "claim 2", &["recover", "h", "r1", "--claim", "3", "--abandon"]),
    mistake(4, "stale-approval", "session s", &["approve", "s", "ok"]),
    mistake(4, "stale-approval", "session e", &["deny", "e", "ok"]),
    mistake(4, "stale-approval", "approval other", &["approve", "h", "other"]),
    mistake(4, "stale-approval", "approval other", &["deny", "h", "other"]),
    mistake(4, "conflict", "approval pay-4", &["deny", "h", "pay-4"]),
    mistake(3, "deleted", "session d", &["approve", "d", "ok"]),
    mistake(3, "deleted", "session d", &["deny", "d", "ok"]),
    mistake(1, "refused", "entry 99", &["fork", "s", "--at", "99", "--as", "f"]),
    mistake(4, "exists", "session c", &["fork", "s", "--as", "c"]),
    mistake(3, "missing", "/none", &["compact", "s", "--summary", "{}/none", "--keep-from", "2"]),
    mistake(
        1,
        "refused",
        "/folder",
        &["compact", "s", "--summary", "{}/folder", "--keep-from", "2"],
    ),
    mistake(1, "refused", "line 1", &["compact", "s", "--summary", "{}/afile", "--keep-from", "2"]),
    mistake(1, "refused", "session s", &["compact", "s", "--summary", "-", "--keep-from", "99"]),
    said(
        b"",
        1,
        "refused",
        "standard input",
        &["compact", "s", "--summary", "-", "--keep-from", "2"],
    ),
    mistake(4, "exists", "session s", &["import", "{}/good.jsonl", "--as", "s"]),
    mistake(1, "unsupported", "session s", &["export", "s", "--to", "codex"]),
    mistake(4, "exists", "/afile", &["export", "s", "-o", "{}/afile"]),
    mistake(3, "missing", "/none/x", &["export", "s", "-o", "{}/none/x"]),
    mistake(1, "refused", "/afile/x", &["export", "s", "-o", "{}/afile/x"]),
    mistake(3, "deleted", "session d", &["copy", "file:{}/store", "file:{}/other", "d"]),
    mistake(1, "refused", "session s", &["copy", "file:{}/store", "file:{}/store", "s"]),
    mistake(1, "refused", "session s", &["copy", "file:{}/store", "file:{}/store", "s", "--move"]),
];

/// Every file and folder below a folder, with what the files hold; but for notes that are derived
/// and renewed whenever a handle lets go of a journal.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
                all.insert(path, None);
            } else if !path.ends_with("catalog/recency") {
                let bytes = fs::read(&path).unwrap();
                all.insert(path, Some(bytes));
            }
        }
    }
    all
}

/// Files that commands are pointed at.
fn lay_out(scene: &Scene) {
    fs::write(scene.folder().join("afile"), "just text\n").unwrap();
    fs::copy(fixture("plain-messages.jsonl"), scene.folder().join("good.jsonl")).unwrap();
    fs::create_dir(scene.folder().join("folder")).unwrap();
    fs::write(scene.folder().join("folder/notes.txt"), "mine").unwrap();
}

/// Makes a mistake in text and in JSON, and checks what is told of it and that nothing changed.
fn make(scene: &Scene, mistake: &Mistake) {
    let Mistake { args, input, status, kind, names } = mistake;
    let folder = scene.folder().to_str().unwrap();
    let args: Vec<String> = args.iter().map(|arg| arg.replace("{}", folder)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let before = snapshot(scene.folder());

    let run = scene.run_with_bytes(&args, input);
    assert_eq!((run.status, run.out.as_str()), (*status, ""), "{args:?}: {}", run.err);
    let mut lines = run.err.lines().filter(|line| !line.trim().is_empty());
    let told = lines.next().unwrap();
    assert!(told.starts_with("sessile: ") || told.starts_with("error: "), "{args:?}: {told}");
    assert!(run.err.contains(names), "{args:?}: {}", run.err);
    assert!(lines.next().is_some(), "{args:?}: no way out: {}", run.err);

    let in_json: Vec<&str> = ["--json"].iter().chain(&args).copied().collect();
    let run = scene.run_with_bytes(&in_json, input);
    assert_eq!((run.status, run.out.as_str()), (*status, ""), "{args:?}: {}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{args:?}: {}", run.err);
    let error = &serde_json::from_str::<Value>(&run.err).unwrap()["error"];
    assert_eq!(error["kind"], *kind, "{args:?}: {error}");
    assert!(error["message"].as_str().unwrap().contains(names), "{args:?}: {error}");
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{args:?}: {error}");
    assert!(!run.err.contains("secret"), "{args:?}: {error}");

    let after = snapshot(scene.folder());
    let is_same = |path: &&PathBuf| before.get(*path) == after.get(*path);
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let changed: Vec<&PathBuf> = paths.into_iter().filter(|path| !is_same(path)).collect();
    assert_eq!(changed, Vec::<&PathBuf>::new(), "{args:?}");
}

#[test]
fn what_can_t_be_is_told_and_makes_no_store() {
    let scene = Scene::new();
    lay_out(&scene);
    for mistake in MALFORMED {
        make(&scene, mistake);
    }
    assert!(!scene.folder().join("store").exists());
}

/// A store with a session of two messages, a closed one, a deleted one, one that a request holds and
/// one that a request has held.
fn inhabited() -> Scene {
    let scene = Scene::new();
    lay_out(&scene);
    for id in ["s", "c", "d"] {
        scene.done(&["new", "--id", id], "");
    }
    scene.done(&["append", "s", "--commit-id", "first"], "{\"role\":\"user\",\"content\":\"a\"}");
    scene.done(&["append", "s"], "{\"role\":\"user\",\"content\":\"b\"}");
    scene.done(&["close", "c"], "");
    scene.done(&["delete", "d"], "");
    held::hold(&scene, "h");
    held::end(&scene, "e");
    scene
}

#[test]
fn what_can_t_be_changes_no_store() {
    let scene = inhabited();
    for mistake in MALFORMED {
        make(&scene, mistake);
    }
}

#[test]
fn what_a_session_refuses_changes_nothing() {
    let scene = inhabited();
    for mistake in IMPOSSIBLE {
        make(&scene, mistake);
    }
}

#[test]
fn mistakes_are_made_with_every_command() {
    let scene = Scene::new();
    let made: BTreeSet<&str> =
        MALFORMED.iter().chain(IMPOSSIBLE).flat_map(|mistake| mistake.args).copied().collect();
    let commands = scene.commands();
    let missing: Vec<&String> =
        commands.iter().filter(|command| !made.contains(command.as_str())).collect();
    assert_eq!(missing, ["help"]);
}
