//! Children: this test program started again, killed where they say they are.

use std::io::{BufRead as _, BufReader};
use std::process::{ChildStdout, Command, Stdio};

use crate::site::Site;

/// What begins the line that tells how far a child has come.
const REACHED: &str = "it reached: ";

/// A child at work.
pub(crate) struct Child {
    process: std::process::Child,
    said: BufReader<ChildStdout>,
}

impl Child {
    /// Starts a test of this program on a site, with a variable of its own.
    pub(crate) fn start(site: &Site, test: &str, variable: (&str, &str)) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"])
            .envs(site.variables())
            .env(variable.0, variable.1)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stdout.take().unwrap());
        Self { process, said }
    }

    /// Waits until it tells that it has reached a point.
    pub(crate) fn reaches(&mut self, point: &str) {
        let mut said = String::new();
        loop {
            let mut line = String::new();
            let bytes = self.said.read_line(&mut line).unwrap();
            assert!(bytes > 0, "it ended before `{point}`: {said}");
            if line.split_once(REACHED).is_some_and(|(_, reached)| reached.trim_end() == point) {
                return;
            }
            said.push_str(&line);
        }
    }

    /// Kills it: nothing of it runs any more when this returns.
    pub(crate) fn kill(mut self) {
        // SIGKILL, which no process can handle.
        self.process.kill().unwrap();
        assert!(!self.process.wait().unwrap().success());
    }

    /// Whether it ended by itself, and well.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some_and(|status| {
            assert!(status.success());
            true
        })
    }
}

impl Drop for Child {
    /// Where a test ends early, its children do too.
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// Tells the parent how far this child has come.
pub(crate) fn reached(point: &str) {
    println!("\n{REACHED}{point}");
}

/// Waits to be killed: the parent's end of the pipe never says anything.
pub(crate) fn wait_for_the_end() -> ! {
    let mut line = String::new();
    _ = std::io::stdin().read_line(&mut line);
    panic!("nobody killed it");
}
