//! `cargo xtask test`: every test of the workspace, and a last line that says what ran.

mod list;
mod summary;

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use anyhow::Context as _;

use self::summary::Summary;
use crate::cargo;
use crate::report::Report;

/// Runs the tests, or lists the conformance cases, as the words after `test` ask.
pub(crate) fn run(words: &[&str]) -> anyhow::Result<Report> {
    let wish = Wish::read(words);
    if wish.list {
        return list::cases(&wish.cargo);
    }
    // Services start here, before the tests that talk to them, and `--local` leaves them out.
    // Every test there is keeps to its own process and folders, so none is started.
    stream(&wish.cargo)
}

/// What the words after `test` ask for.
#[derive(Debug, PartialEq, Eq)]
struct Wish<'w> {
    list: bool,
    /// The arguments of `cargo test`, from the selection of packages on.
    cargo: Vec<&'w str>,
}

impl<'w> Wish<'w> {
    /// Takes out what is ours; behind `--` everything belongs to the tests themselves.
    fn read(words: &[&'w str]) -> Self {
        let ours = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let (before, behind) = words.split_at_checked(ours).unwrap_or((words, &[]));
        let selects = |word: &&str| {
            word.starts_with("-p") || *word == "--package" || word.starts_with("--package=")
        };
        // Beside `--workspace` cargo would not listen to a package.
        let all = (!before.iter().any(selects)).then_some("--workspace");
        let passed_on =
            before.iter().copied().filter(|word| !matches!(*word, "--list" | "--local"));
        Self {
            list: before.contains(&"--list"),
            cargo: all
                .into_iter()
                .chain(["--all-features"])
                .chain(passed_on)
                .chain(behind.iter().copied())
                .collect(),
        }
    }
}

/// Runs `cargo test`, shows its output as it comes and sums it up.
fn stream(arguments: &[&str]) -> anyhow::Result<Report> {
    // One failing binary must not hide what the others would say.
    let mut child = cargo::command(&["test", "--no-fail-fast"])
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo test")?;
    let mut summary = Summary::default();
    if let Some(output) = child.stdout.take() {
        // A test may print bytes that are no text, so lines are read as bytes.
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).context("cannot read cargo test")? > 0 {
            io::stdout().write_all(&line).context("cannot show the tests' output")?;
            summary.add(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    let status = child.wait().context("cannot wait for cargo test")?;
    let passed = status.success() && summary.is_success();
    let verdict = match (passed, summary.is_empty()) {
        (true, _) => "ok",
        // Success without a test would say nothing.
        (false, true) => "FAILED, no test ran",
        (false, false) => "FAILED",
    };
    Ok(Report { passed, text: format!("tests: {verdict}: {summary}\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_selected_unless_a_package_is_named() {
        assert_eq!(Wish::read(&[]).cargo, ["--workspace", "--all-features"]);
        assert_eq!(Wish::read(&["-p", "x"]).cargo, ["--all-features", "-p", "x"]);
        assert_eq!(Wish::read(&["--package=x"]).cargo, ["--all-features", "--package=x"]);
    }

    #[test]
    fn our_own_words_are_taken_out() {
        let wish = Wish::read(&["--local", "--list", "torn"]);
        assert!(wish.list);
        assert_eq!(wish.cargo, ["--workspace", "--all-features", "torn"]);
    }

    #[test]
    fn behind_two_dashes_nothing_is_ours() {
        let wish = Wish::read(&["a", "--", "--list", "-p"]);
        assert!(!wish.list);
        assert_eq!(wish.cargo, ["--workspace", "--all-features", "a", "--", "--list", "-p"]);
    }
}
