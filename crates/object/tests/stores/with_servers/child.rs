//! Children: this test program started again, for one of its tests.

use std::env;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::iter;
use std::process::{ChildStdout, Command, Stdio};

use super::site::Site;

/// What a child says when it is ready to begin.
const READY: &str = "it is ready";

/// What begins the line that tells what a child found.
const TOLD: &str = "it tells: ";

/// Where a child finds what it is called.
const NAME: &str = "SESSILE_TEST_NAME";

/// A child, which does one piece of work after the other when it is told to begin.
pub(super) struct Child {
    process: std::process::Child,
    said: BufReader<ChildStdout>,
}

impl Child {
    /// Starts a test of this program on a place; answers when it is ready to begin.
    pub(super) fn ready(site: &Site, test: &str, name: &str) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .envs(site.variables())
            .env(NAME, name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stdout.take().unwrap());
        let mut child = Self { process, said };
        child.line_with(READY);
        child
    }

    /// Lets it begin.
    pub(super) fn begin(&mut self) {
        self.process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    /// Waits for what it tells next.
    pub(super) fn told(&mut self) -> String {
        let line = self.line_with(TOLD);
        line.split_once(TOLD).unwrap().1.trim_end().to_owned()
    }

    /// Waits for its end.
    pub(super) fn ended(mut self) {
        drop(self.process.stdin.take());
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        assert!(self.process.wait().unwrap().success(), "{said}");
    }

    /// The next line that has a part.
    fn line_with(&mut self, part: &str) -> String {
        let mut said = String::new();
        let mut lines = iter::from_fn(|| {
            let mut line = String::new();
            let bytes = self.said.read_line(&mut line).unwrap();
            said.push_str(&line);
            (bytes > 0).then_some(line)
        });
        let found = lines.find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("it ended without `{part}`: {said}"))
    }
}

impl Drop for Child {
    /// Where a test ends early, its children do too.
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// What this child is called.
pub(super) fn name() -> String {
    env::var(NAME).unwrap()
}

/// Says that this child is ready to begin.
pub(super) fn is_ready() {
    say(READY);
}

/// Waits until this child may begin; whether it is to.
pub(super) fn may_begin() -> bool {
    io::stdin().read_line(&mut String::new()).unwrap() > 0
}

/// Tells the parent what this child found.
pub(super) fn tell(what: &str) {
    say(&format!("{TOLD}{what}"));
}

/// Past the harness, which keeps what is printed by the usual means.
fn say(line: &str) {
    let mut out = io::stdout();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}
