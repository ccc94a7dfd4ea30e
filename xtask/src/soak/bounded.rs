//! Running a command for no longer than a time.

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use crate::group;
use crate::report::Report;

/// How a command ended, with all that it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself.
    Itself(Report),
    /// By us, since its time was over.
    Cut(String),
}

/// Runs its arguments, and says with which status they ended: that of a group is always a signal's.
const TELLING: &str = r#""$@"; printf '\nended with %s\n' "$?""#;

/// What stands before the status.
const STATUS: &str = "\nended with ";

/// The same command, which tells how it ended.
fn telling(command: &Command) -> Command {
    let mut telling = Command::new("sh");
    telling.args(["-c", TELLING, "telling"]).arg(command.get_program()).args(command.get_args());
    group::surroundings(command, &mut telling);
    telling
}

/// Runs a command, and ends it with all that it has started when a time is over.
pub(super) fn run(command: &Command, limit: Duration) -> anyhow::Result<Ended> {
    let mut guard = group::guarded(&telling(command));
    let mut guard = guard
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let pipe = guard.stdin.take();
    let (ended, awaited) = mpsc::channel::<()>();
    let output = thread::scope(|scope| {
        scope.spawn(move || {
            // Whether it is told or not: closed, the pipe ends what is left of the group.
            _ = awaited.recv_timeout(limit);
            drop(pipe);
        });
        let output = guard.wait_with_output();
        drop(ended);
        output
    });
    let output = output.context("cannot wait for a command")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    Ok(match text.rsplit_once(STATUS) {
        Some((text, status)) => {
            let passed = status.lines().next() == Some("0");
            Ended::Itself(Report { passed, text: format!("{text}{errors}") })
        }
        None => Ended::Cut(format!("{text}{errors}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        shell
    }

    #[test]
    fn a_command_that_ends_is_reported_with_its_status_and_all_that_it_said() {
        let of = |script| run(&shell(script), Duration::from_mins(1)).unwrap();
        let done = |passed, text: &str| Ended::Itself(Report { passed, text: text.to_owned() });
        assert_eq!(of("echo a; echo b >&2"), done(true, "a\nb\n"));
        assert_eq!(of("printf a; exit 3"), done(false, "a"));
    }

    #[test]
    fn a_command_whose_time_is_over_is_ended_with_all_that_it_has_started() {
        // Its pipes are closed when the last of them is gone, so a return says that all are.
        let script = "echo begun; sleep 1000 & sleep 1000";
        let ended = run(&shell(script), Duration::from_millis(300)).unwrap();
        assert!(matches!(ended, Ended::Cut(_)), "{ended:?}");
    }
}
