//! `cargo xtask fuzz`: LLVM's fuzzer on every decoder, on the toolchain that runs us.
//!
//! The targets of `fuzz/` are built with the counters that the fuzzer follows, which are options of
//! the compiler's back end and need neither nightly nor a sanitizer. Each target goes on from the
//! files of `fixtures/`, and from what it found in former runs, which stays below cargo's output
//! folder. What ends a target is a failure: a panic, ten seconds for one input, or too much memory.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};

use crate::cargo;
use crate::report::Report;

/// How long each target runs if nobody says.
const SECONDS: u64 = 60;

/// Counters of every branch, and what is compared with what.
const COVERAGE: &str = "-Cpasses=sancov-module \
     -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
     -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares \
     -Ccodegen-units=1 -Cdebug-assertions --cfg fuzzing";

/// The bounds of a run: bytes of an input, seconds for one, MiB for all.
const BOUNDS: &[&str] = &["-max_len=8192", "-timeout=10", "-rss_limit_mb=1024"];

/// What stands before the number of executions in what a target prints.
const EXECUTED: &str = "stat::number_of_executed_units:";

/// How much of what a target printed is shown of a failure.
const LAST_LINES: usize = 40;

/// What the words after `fuzz` ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    seconds: u64,
    /// All if empty.
    targets: Vec<String>,
}

impl Wish {
    /// Reads the words; none if they ask for something else.
    pub(crate) fn read(words: &[&str]) -> Option<Self> {
        let (seconds, targets) = match words {
            ["--seconds", seconds, targets @ ..] => (seconds.parse().ok()?, targets),
            targets => (SECONDS, targets),
        };
        let is_name = |word: &&str| !word.starts_with('-');
        let targets = targets.iter().map(|word| is_name(word).then(|| (*word).to_owned()));
        Some(Self { seconds, targets: targets.collect::<Option<_>>()? })
    }
}

/// Runs them one after another, and prints a line for each.
pub(crate) fn run(wish: &Wish) -> anyhow::Result<Report> {
    let known = targets()?;
    for target in &wish.targets {
        ensure!(known.contains(target), "no target is called {target}; there are {known:?}");
    }
    let chosen = if wish.targets.is_empty() { &known } else { &wish.targets };
    let output = cargo::output()?.join("fuzz");
    let programs = build(&output, chosen)?;
    let (mut executed, mut failures) = (0, String::new());
    for target in chosen {
        let begun = Instant::now();
        let report = run_target(&programs.join(target), target, &output, wish.seconds)?;
        let count = executions(&report.text).unwrap_or_default();
        let verdict = if report.passed { "ok" } else { "FAILED" };
        let took = begun.elapsed().as_secs_f64();
        println!("{verdict:6}  {took:7.1} s  {target}: {count} executions");
        executed += count;
        if !report.passed {
            let lines: Vec<&str> = report.text.trim_end().lines().collect();
            let last = lines.iter().skip(lines.len().saturating_sub(LAST_LINES));
            let last: Vec<&str> = last.copied().collect();
            // Writing to a `String` cannot fail.
            _ = writeln!(failures, "\n---- {target} ----\n{}", last.join("\n"));
        }
    }
    let passed = failures.is_empty();
    let verdict = if passed { "ok" } else { "FAILED" };
    let text = format!("{failures}fuzz: {verdict}, {executed} executions\n");
    Ok(Report { passed, text })
}

/// The names of all targets, in order.
fn targets() -> anyhow::Result<Vec<String>> {
    let folder = cargo::root().join("fuzz/targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).context("there are no targets")? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Builds targets; answers the folder that they are in.
fn build(output: &Path, targets: &[String]) -> anyhow::Result<PathBuf> {
    let host = host()?;
    // With a target named, what runs while building is built without the counters.
    let mut command = cargo::command(&["build", "--release", "--target", &host, "--locked"]);
    command.args(["--manifest-path", "fuzz/Cargo.toml", "--target-dir"]).arg(output);
    for target in targets {
        command.args(["--bin", target]);
    }
    command.env("RUSTFLAGS", COVERAGE);
    let status = command.status().context("cannot run cargo")?;
    ensure!(status.success(), "the targets can't be built");
    Ok(output.join(host).join("release"))
}

fn host() -> anyhow::Result<String> {
    let told = cargo::captured({
        let mut rustc = Command::new("rustc");
        rustc.arg("-vV").current_dir(cargo::root());
        rustc
    })?;
    let host = told.text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what it builds for")
}

/// Runs a target from its corpus, in a folder for its files that is gone afterwards.
fn run_target(program: &Path, target: &str, output: &Path, seconds: u64) -> anyhow::Result<Report> {
    let corpus = output.join("corpus").join(target);
    let artifacts = output.join("artifacts");
    let files = files(output);
    for folder in [&corpus, &artifacts, &files] {
        fs::create_dir_all(folder)?;
    }
    let mut command = Command::new(program);
    command.arg(&corpus).arg(cargo::root().join("fixtures")).args(BOUNDS);
    command.arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
    command.arg(format!("-artifact_prefix={}/{target}-", artifacts.display()));
    command.env("TMPDIR", &files);
    let report = cargo::captured(command);
    fs::remove_dir_all(files)?;
    report
}

/// A folder of this run's own, whose syncs cost nothing where the system has such folders.
fn files(output: &Path) -> PathBuf {
    let in_memory = Path::new("/dev/shm");
    let name = format!("sessile-fuzz-{}", std::process::id());
    if in_memory.is_dir() { in_memory.join(name) } else { output.join(name) }
}

/// How many inputs a target says it was fed.
fn executions(printed: &str) -> Option<u64> {
    let line = printed.lines().find_map(|line| line.strip_prefix(EXECUTED))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_sixty_or_what_was_said_and_targets_are_all_or_those_named() {
        let of = |seconds, targets: &[&str]| {
            let targets = targets.iter().map(|name| (*name).to_owned()).collect();
            Some(Wish { seconds, targets })
        };
        assert_eq!(Wish::read(&[]), of(60, &[]));
        assert_eq!(Wish::read(&["--seconds", "5"]), of(5, &[]));
        assert_eq!(Wish::read(&["--seconds", "5", "line", "id"]), of(5, &["line", "id"]));
        assert_eq!(Wish::read(&["line"]), of(60, &["line"]));
        for words in [&["--seconds"][..], &["--seconds", "x"], &["--minutes", "1"], &["a", "-b"]] {
            assert_eq!(Wish::read(words), None, "{words:?}");
        }
    }

    #[test]
    fn every_target_is_declared_and_calls_the_decoder_of_its_name() {
        let manifest = fs::read_to_string(cargo::root().join("fuzz/Cargo.toml")).unwrap();
        let names = targets().unwrap();
        assert_eq!(manifest.matches("[[bin]]").count(), names.len());
        let sources: String = ["decoders", "kept", "objects"]
            .map(|name| format!("crates/sessile/tests/hostile/{name}.rs"))
            .map(|path| fs::read_to_string(cargo::root().join(path)).unwrap())
            .concat();
        for name in &names {
            assert!(manifest.contains(&format!("path = \"targets/{name}.rs\"")), "{name}");
            assert!(sources.contains(&format!("    (\"{name}\", ")), "{name}");
        }
        assert_eq!(sources.matches("    (\"").count(), names.len());
    }

    #[test]
    fn executions_are_read_from_the_last_sums() {
        assert_eq!(executions("x\nstat::number_of_executed_units: 41\ny"), Some(41));
        assert_eq!(executions("stat::number_of_executed_units: x"), None);
        assert_eq!(executions(""), None);
    }
}
