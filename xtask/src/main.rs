//! The project's own tasks: `cargo xtask <command>`.
//!
//! This file reads the command and turns its report into an exit status; each command lives in the
//! module of its name. Only `fix` and the words `--write` write to the work tree.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal: what it prints is its answer"
)]

mod report;

mod cargo;
mod group;
mod files;
mod suites;

mod layers;
mod services;
mod test;
mod tidy;
mod examples;
mod statements;
mod matrix;
mod soak;
mod fuzz;
mod bench;

mod gate;

use std::env;
use std::process::ExitCode;

use crate::report::Report;

const USAGE: &str = "\
Usage: cargo xtask <command>

Commands:
  test [--local] [--list] [ARGS...]
            run every test of the workspace; ARGS go to `cargo test`
              --local  start no servers, and leave out by name what needs them
              --list   print backend, case and tags of each conformance case, and run nothing
  soak [--minutes N] [--proof]
            build all tests, then share N minutes (45) between the conformance cases of minutes on
            every backend, the tests that grow, crash images and kills, and seeds that nobody chose;
            what is cut short or not begun is told (--proof: no servers, no cases of the suites)
  fuzz [--seconds N] [TARGETS...]
            build every fuzz target and let LLVM's fuzzer run each for N seconds (60) from the
            files of fixtures/ and what it found before
  bench [--check | --write] [--quick] [--dir FOLDER] [WORKLOADS...]
            run sessile, the floors and the peers in turns: w1 w2 w3 w3hot w4 w5 w5cold w6 w7 w8
            scaling w9 object
              --check  count no costs, and fail where a must does not hold
              --write  put the figures into docs/performance.md
              --quick  see that it runs; the figures mean little
              --dir    measure on that folder's filesystem, not on that of the target folder
  ci        run the read-only gate: format, layers, tidy, examples, licences, clippy, docs, statements,
            matrix
  layers    refuse an import that climbs, between crates and between modules
  tidy      refuse what a reader should never meet: leftovers, oversized files, vague names
  examples  refuse a public type without an example
  statements
            refuse a page of statements that names what is not there, or leaves one out
  matrix [--write]
            refuse tables of backends that are not what the suites declare and list
              --write  write the current ones
  fix       format every file
";

/// The exit status of a command line that asks for nothing we have.
const MISUSED: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> =
        env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test", rest @ ..] => finish(test::run(rest)),
        ["soak", rest @ ..] => match soak::Wish::read(rest) {
            Some(wish) => finish(soak::run(&wish)),
            None => misused(),
        },
        ["fuzz", rest @ ..] => match fuzz::Wish::read(rest) {
            Some(wish) => finish(fuzz::run(&wish)),
            None => misused(),
        },
        ["bench", rest @ ..] => match bench::Wish::read(rest) {
            Some(wish) => finish(bench::run(&wish)),
            None => misused(),
        },
        ["ci"] => finish(Ok(gate::run())),
        ["layers"] => finish(layers::check()),
        ["tidy"] => finish(tidy::check()),
        ["examples"] => finish(examples::check()),
        ["statements"] => finish(statements::check()),
        ["matrix"] => finish(matrix::check()),
        ["matrix", "--write"] => finish(matrix::write()),
        ["fix"] => finish(gate::fix()),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => misused(),
    }
}

/// Says what may be asked for.
fn misused() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(MISUSED)
}

/// Prints what a command found and says by the exit status whether it passed.
fn finish(outcome: anyhow::Result<Report>) -> ExitCode {
    match outcome {
        Ok(report) => {
            print!("{}", report.text);
            if report.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
