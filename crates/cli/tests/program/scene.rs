//! A store in a folder of its own, and the program run on it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The folder with sample files of other programs' shapes.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sessions").join(name)
}

/// A store that goes with its folder.
pub(crate) struct Scene(tempfile::TempDir);

/// What a run of the program gave.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            status: output.status.code().unwrap(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// Standard output as JSON Lines.
    pub(crate) fn json(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The kind of the error on standard error.
    pub(crate) fn error_kind(&self) -> String {
        let error: Value = serde_json::from_str(&self.err).unwrap();
        error["error"]["kind"].as_str().unwrap().to_owned()
    }
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The store's place.
    pub(crate) fn store(&self) -> String {
        format!("file:{}", self.0.path().join("store").display())
    }

    /// The file of a session's journal.
    pub(crate) fn journal(&self, id: &str) -> PathBuf {
        self.0.path().join(format!("store/spaces/default/sessions/{id}.jsonl"))
    }

    /// Removes the catalog: within one boot it is believed that nobody writes into a journal but
    /// handles of stores.
    pub(crate) fn forget_what_was_noted(&self) {
        std::fs::remove_dir_all(self.0.path().join("store/spaces/default/catalog")).unwrap();
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sessile"));
        command.env("SESSILE_STORE", self.store()).args(args);
        command
    }

    /// Runs the program without input.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    /// Runs the program with text on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Run {
        self.run_with_bytes(args, input.as_bytes())
    }

    /// Runs the program with anything on standard input.
    pub(crate) fn run_with_bytes(&self, args: &[&str], input: &[u8]) -> Run {
        Self::finish(self.command(args), input)
    }

    /// Runs a command with anything on standard input.
    pub(crate) fn finish(mut command: Command, input: &[u8]) -> Run {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that fails early does not read its input.
        let _unread = stdin.write_all(input);
        drop(stdin);
        Run::of(&child.wait_with_output().unwrap())
    }

    /// Runs the program, which must succeed.
    pub(crate) fn done(&self, args: &[&str], input: &str) -> Run {
        let run = self.run_with(args, input);
        assert_eq!(run.status, 0, "{args:?}: {}", run.err);
        run
    }

    /// The commands that the program's help lists.
    pub(crate) fn commands(&self) -> Vec<String> {
        let help = self.done(&["--help"], "").out;
        let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
        let named = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        named.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    }

    /// A session of a few messages, each a commit of its own.
    pub(crate) fn with_messages(count: usize) -> Self {
        let scene = Self::new();
        scene.done(&["new", "--id", "s"], "");
        for number in 0..count {
            let message = format!(r#"{{"role":"user","content":"message {number}"}}"#);
            scene.done(&["append", "s"], &message);
        }
        scene
    }
}
