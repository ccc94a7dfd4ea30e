//! A command as a process group that never outlives us.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// Runs its arguments as a process that ends when our end of the pipe is closed.
///
/// The kernel closes it when we end, whether we return, panic or are killed. All is one process
/// group, which the last line ends whole, this shell with it; and when the command ends, all ends.
const GUARD: &str = r#"{ "$@" </dev/null; kill -KILL 0; } &
read -r never
kill -KILL 0"#;

/// The command in a group of its own, with the pipe as its standard input.
pub(crate) fn guarded(command: &Command) -> Command {
    let mut guard = Command::new("sh");
    guard.args(["-c", GUARD, "guard"]).arg(command.get_program()).args(command.get_args());
    surroundings(command, &mut guard);
    guard.stdin(Stdio::piped()).process_group(0);
    guard
}

/// Gives a command the variables and the folder of another one.
pub(crate) fn surroundings(of: &Command, to: &mut Command) {
    for (name, value) in of.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
    if let Some(folder) = of.get_current_dir() {
        to.current_dir(folder);
    }
}
