//! `cargo xtask ci`: everything that must hold before a change may land, cheap steps first.
//!
//! The gate only reads: it writes nothing outside cargo's output folder, and a lock file that is
//! out of date fails it. `cargo xtask fix` is its twin that writes.

use std::fmt::Write as _;
use std::time::Instant;

use crate::report::Report;
use crate::{cargo, examples, layers, matrix, statements, tidy};

/// The release of cargo-deny that `deny.toml` is written for.
const CARGO_DENY: &str = "0.20.2";

/// A step by name, and what runs it.
type Step = (&'static str, fn() -> anyhow::Result<Report>);

/// All steps run, so that one run of the gate shows everything there is to mend.
const STEPS: &[Step] = &[
    ("format", || step(&["fmt", "--all", "--check"])),
    ("layers", layers::check),
    ("tidy", tidy::check),
    ("examples", examples::check),
    ("licences", licences),
    ("clippy", || clippy(&["--workspace", "--all-targets"])),
    ("clippy, no features", || clippy(&["-p", "sessile", "--no-default-features"])),
    ("clippy, all features", || clippy(&["--workspace", "--all-targets", "--all-features"])),
    ("docs", docs),
    ("statements", statements::check),
    ("matrix", matrix::check),
];

/// Runs every step and prints a line for each; the report holds what the failing ones printed.
pub(crate) fn run() -> Report {
    let mut failures = Vec::new();
    for (name, step) in STEPS {
        let start = Instant::now();
        // A step that cannot run has failed, and the others still have something to say.
        let report =
            step().unwrap_or_else(|error| Report { passed: false, text: format!("{error:#}\n") });
        let verdict = if report.passed { "ok" } else { "FAILED" };
        println!("{verdict:6}  {name:20} {:6.1} s", start.elapsed().as_secs_f64());
        if !report.passed {
            failures.push((*name, report.text));
        }
    }
    conclude(&failures)
}

/// What the failing steps printed, and the gate's verdict below it.
fn conclude(failures: &[(&str, String)]) -> Report {
    if failures.is_empty() {
        return Report { passed: true, text: "ci: ok\n".to_owned() };
    }
    let mut text = String::new();
    for (name, output) in failures {
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "\n---- {name} ----\n{}", output.trim_end());
    }
    let names: Vec<&str> = failures.iter().map(|(name, _)| *name).collect();
    _ = writeln!(text, "\nci: FAILED: {}", names.join("; "));
    Report { passed: false, text }
}

/// Formats every file.
pub(crate) fn fix() -> anyhow::Result<Report> {
    step(&["fmt", "--all"])
}

fn step(arguments: &[&str]) -> anyhow::Result<Report> {
    cargo::captured(cargo::command(arguments))
}

fn clippy(selection: &[&str]) -> anyhow::Result<Report> {
    let mut command = cargo::command(&["clippy", "--locked"]);
    command.args(selection).args(["--", "-D", "warnings"]);
    cargo::captured(command)
}

fn docs() -> anyhow::Result<Report> {
    let mut command =
        cargo::command(&["doc", "--locked", "--workspace", "--no-deps", "--all-features"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    cargo::captured(command)
}

fn licences() -> anyhow::Result<Report> {
    if !step(&["deny", "--version"])?.passed {
        let text = format!(
            "cargo-deny is not installed: \
             cargo install cargo-deny --version {CARGO_DENY} --locked --no-default-features\n"
        );
        return Ok(Report { passed: false, text });
    }
    step(&["deny", "--locked", "check", "licenses", "bans", "sources"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failing_step_fails_the_gate_and_shows_its_output() {
        assert!(conclude(&[]).passed);
        let report = conclude(&[("docs", "a broken link\n".to_owned())]);
        assert!(!report.passed);
        assert_eq!(report.text, "\n---- docs ----\na broken link\n\nci: FAILED: docs\n");
    }

    #[test]
    fn the_runner_installs_the_cargo_deny_that_the_gate_asks_for() {
        let runner = include_str!("../../.ci/run");
        assert!(runner.contains(&format!("cargo-deny --version {CARGO_DENY}")));
    }
}
