//! The stores and files that the scripts are about.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use crate::held;
use crate::scene::{Scene, fixture};

/// A scene with files that commands are pointed at.
pub(super) fn laid_out() -> Scene {
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

/// The same with a session for each way in which one can stand, and a file for each in which one can be
/// wrong.
pub(super) fn in_all_ways() -> Scene {
    let scene = laid_out();
    for id in ["s", "closed", "gone", "forgotten"] {
        scene.done(&["new", "--id", id], "");
        scene.done(&["append", id, "--commit-id", "first"], HI);
    }
    scene.done(&["close", "closed"], "");
    scene.done(&["delete", "gone"], "");
    scene.done(&["append", "forgotten"], HI);
    scene.done(&["forget", "forgotten", "--before", "2"], "");
    held::hold(&scene, "held");
    held::end(&scene, "ended");
    for id in ["bad", "torn"] {
        scene.done(&["new", "--id", id], "");
        for text in ["one", "two", "three"] {
            scene.done(&["append", id], &format!("{{\"role\":\"user\",\"content\":\"{text}\"}}"));
        }
    }
    scene.done(&["fork", "torn", "--at", "3", "--as", "cut"], "");
    let source = format!("file:{}", scene.folder().join("source").display());
    scene.done(&["--store", &source, "new", "--id", "half"], "");
    scene.done(&["--store", &source, "append", "half"], HI);
    scene.done(&["copy", &source, &scene.store(), "half"], "");
    let rewrite = |id: &str, change: &dyn Fn(&str) -> String| {
        let path = scene.journal(id);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, change(text.trim_end())).unwrap();
    };
    rewrite("bad", &|text| text.replace("\"two\"", "\"tvo\""));
    rewrite("half", &|text| text.split_at(text.len() - 10).0.to_owned());
    rewrite("torn", &|text| text.split_at(text.len() - 10).0.to_owned());
    rewrite("cut", &|text| text.lines().take(3).map(|line| line.to_owned() + "\n").collect());
    copy(&fixture("../formats/v1/newer-format.jsonl"), &scene.journal("newer"));
    scene.forget_what_was_noted();
    for (from, to) in [
        ("../ledgers/sound.json", "ledger.json"),
        ("../ledgers/refused/version-3.json", "newer-ledger.json"),
        ("../snapshots/damaged/version-999.json", "newer-snapshot.json"),
        ("../snapshots/damaged/torn.json", "damaged-snapshot.json"),
        ("../bindings/damaged/torn.json", "damaged-bindings/record/context/harness-session.json"),
        ("../session-files/current/sessions/ses_18f3_1.jsonl", "two/sessions/ses_18f3_1.jsonl"),
        ("../session-files/damaged/sessions/ses_twice.jsonl", "two/sessions/ses_twice.jsonl"),
        ("plain-messages.jsonl", "file-for-folder/sessions"),
    ] {
        copy(&fixture(from), &scene.folder().join(to));
    }
    fs::create_dir(scene.folder().join("empty")).unwrap();
    scene
}

const HI: &str = r#"{"role":"user","content":"hi"}"#;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap();
}

/// What stands in the way of commands from outside, for as long as it is held.
pub(super) struct Obstacles {
    pub(super) scene: Scene,
    /// A server that takes calls and never answers.
    pub(super) silent: String,
    /// A server that refuses access.
    pub(super) refusing: String,
    _held: (File, TcpListener),
}

/// A store of which one session is a link and one is locked by somebody else, beside a store of a newer
/// version, and servers.
pub(super) fn obstructed() -> Obstacles {
    let scene = laid_out();
    for id in ["s", "locked"] {
        scene.done(&["new", "--id", id], "");
        scene.done(&["append", id], HI);
    }
    let newer = scene.folder().join("newer");
    fs::create_dir(&newer).unwrap();
    fs::write(newer.join("sessile.json"), r#"{"sessile":"store","format":99}"#).unwrap();
    std::os::unix::fs::symlink(scene.journal("s"), scene.journal("linked")).unwrap();
    let lock = scene.journal("locked").with_extension("lock");
    let lock = File::options().write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    Obstacles { scene, silent, refusing: refusing(), _held: (lock, listener) }
}

/// Begins to refuse whatever is asked, until the end of the test.
fn refusing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for caller in listener.incoming() {
            let mut caller = caller.unwrap();
            let _asked = caller.read(&mut [0; 4096]);
            let answer = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _gone = caller.write_all(answer.as_bytes());
        }
    });
    address
}
