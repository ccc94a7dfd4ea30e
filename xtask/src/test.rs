//! `cargo xtask test`: every test of the workspace, and a last line that says what ran.

mod list;
mod summary;

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use self::summary::Summary;
use crate::cargo;
use crate::report::Report;
use crate::services::{self, Services};

/// Behind it stand arguments of the tests themselves.
const TO_TESTS: &str = "--";

/// The module below which a test target keeps the tests that talk to servers.
const WITH_SERVERS: &str = "with_servers::";

/// Runs the tests, or lists the conformance cases, as the words after `test` ask.
pub(crate) fn run(words: &[&str]) -> anyhow::Result<Report> {
    let wish = Wish::read(words);
    if wish.list {
        return list::cases(&wish.cargo);
    }
    // One failing binary must not hide what the others would say.
    let mut command = cargo::command(&["test", "--no-fail-fast"]);
    command.args(&wish.cargo);
    if wish.local {
        command.env(services::LEFT_OUT, "1");
        // A suite ignores its cases by name; what is no suite can only be passed over.
        command.args((!wish.cargo.contains(&TO_TESTS)).then_some(TO_TESTS));
        command.args(["--skip", WITH_SERVERS]);
        let left_out = wish.servers.then(services::names);
        return stream(command, left_out.as_deref());
    }
    // Nothing is left out that was not asked for here.
    command.env_remove(services::LEFT_OUT);
    if wish.servers {
        // Built first: a server that waits for a build does so without a use.
        let mut build = cargo::command(&["test", "--no-run"]);
        build.args(wish.cargo.iter().take_while(|word| **word != TO_TESTS));
        if !build.status().context("cannot run cargo test")?.success() {
            return Ok(Report { passed: false, text: "tests: FAILED, they do not build\n".into() });
        }
    }
    let services = wish.servers.then(Services::start).transpose()?;
    command.envs(services.iter().flat_map(Services::variables));
    stream(command, None)
}

/// What the words after `test` ask for.
#[derive(Debug, PartialEq, Eq)]
struct Wish<'w> {
    list: bool,
    local: bool,
    /// Whether among what is selected are tests that talk to servers.
    servers: bool,
    /// The arguments of `cargo test`, from the selection of packages on.
    cargo: Vec<&'w str>,
}

impl<'w> Wish<'w> {
    /// Takes out what is ours; behind `--` everything belongs to the tests themselves.
    fn read(words: &[&'w str]) -> Self {
        let ours = words.iter().position(|word| *word == TO_TESTS).unwrap_or(words.len());
        let (before, behind) = words.split_at_checked(ours).unwrap_or((words, &[]));
        let packages = packages(before);
        // Beside `--workspace` cargo would not listen to a package. The bench is left out: with it
        // every run would build three databases.
        let all = packages.is_empty().then_some(["--workspace", "--exclude", cargo::BENCH]);
        let passed_on =
            before.iter().copied().filter(|word| !matches!(*word, "--list" | "--local"));
        Self {
            list: before.contains(&"--list"),
            local: before.contains(&"--local"),
            servers: !before.contains(&"--no-run") && services::are_needed(&packages),
            cargo: all
                .into_iter()
                .flatten()
                .chain(["--all-features"])
                .chain(passed_on)
                .chain(behind.iter().copied())
                .collect(),
        }
    }
}

/// The packages that arguments of cargo select, in each of the ways it reads them.
fn packages<'w>(arguments: &[&'w str]) -> Vec<&'w str> {
    let mut packages = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if matches!(*argument, "-p" | "--package") {
            packages.extend(arguments.next());
        } else if let Some(package) =
            argument.strip_prefix("--package=").or_else(|| argument.strip_prefix("-p"))
        {
            packages.push(package.trim_start_matches('='));
        }
    }
    packages
}

/// Runs `cargo test`, shows its output as it comes and sums it up.
fn stream(mut command: Command, left_out: Option<&str>) -> anyhow::Result<Report> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot run cargo test")?;
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
    let left_out = left_out.map(|names| format!("; left out by --local: what talks to {names}"));
    let left_out = left_out.unwrap_or_default();
    Ok(Report { passed, text: format!("tests: {verdict}: {summary}{left_out}\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: [&str; 3] = ["--workspace", "--exclude", cargo::BENCH];

    #[test]
    fn everything_is_selected_unless_a_package_is_named() {
        assert_eq!(Wish::read(&[]).cargo, [&EVERYTHING[..], &["--all-features"]].concat());
        assert_eq!(Wish::read(&["-p", "x"]).cargo, ["--all-features", "-p", "x"]);
        assert_eq!(Wish::read(&["--package=x"]).cargo, ["--all-features", "--package=x"]);
    }

    #[test]
    fn our_own_words_are_taken_out() {
        let wish = Wish::read(&["--local", "--list", "torn"]);
        assert!(wish.list && wish.local);
        assert_eq!(wish.cargo, [&EVERYTHING[..], &["--all-features", "torn"]].concat());
    }

    #[test]
    fn behind_two_dashes_nothing_is_ours() {
        let wish = Wish::read(&["a", "--", "--list", "-p"]);
        assert!(!wish.list && !wish.local);
        let rest = ["--all-features", "a", "--", "--list", "-p"];
        assert_eq!(wish.cargo, [&EVERYTHING[..], &rest].concat());
    }

    #[test]
    fn servers_are_wanted_where_tests_that_talk_to_them_run() {
        for words in [&[][..], &["-p", "sessile-object"], &["-psessile"], &["-p=sessile-cli"]] {
            assert!(Wish::read(words).servers, "{words:?}");
        }
        for words in [&["--no-run"][..], &["--package=sessile-core"], &["--package", "xtask"]] {
            assert!(!Wish::read(words).servers, "{words:?}");
        }
    }
}
