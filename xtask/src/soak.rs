//! `cargo xtask soak`: what takes minutes, on every backend, and the proof of what is promised.
//!
//! Each case of minutes runs once, and so do the tests of other packages that grow with
//! `SESSILE_SOAK`. Then the cases of random steps, simulations, hostile bytes and faults run again
//! and again in turns, each time from a seed that nobody chose. At the end stands what was done.
//! With `--proof` the suites and the servers are left out.

mod tally;

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, Instant};

use self::tally::Tally;
use crate::cargo;
use crate::report::Report;
use crate::services::Services;
use crate::suites::{self, Case, SOAK, Suite};

/// How long it goes on with random steps if nobody says.
const MINUTES: u64 = 5;

/// What begins the names of the cases of random steps.
const RANDOM: &str = "session/random/";

/// Where the cases of random steps find their first seed.
const SEED: &str = "SESSILE_SEED";

/// Tests of a package: which of its targets, and the beginning of their names.
type Tests = (&'static str, &'static [&'static str], &'static str);

/// Tests beside the suites that are larger where `SESSILE_SOAK` is 1.
const GROWING: &[Tests] = &[
    ("sessile", &["--test", "size"], ""),
    ("sessile-object", &["--test", "stores"], "with_servers::hosts::"),
    ("sessile-object", &["--test", "stores"], "with_servers::killed::"),
    ("sessile", &["--test", "kills"], "with_servers::"),
];

/// Kills and crash images.
const PROOF: &[Tests] = &[
    ("sessile-fs", &["--lib"], "tests::powercut_operations::"),
    ("sessile-fs", &["--lib"], "tests::powercut_removals::"),
    ("sessile-fs", &["--lib"], "tests::proof::"),
    ("sessile-fs", &["--lib"], "tests::killed::"),
    ("sessile-fs", &["--lib"], "tests::takeover::"),
    ("sessile-fs", &["--test", "files"], "altered::"),
    ("sessile-fs", &["--test", "files"], "killed::"),
    ("sessile", &["--test", "kills"], "on_files::"),
];

/// Tests that begin with the seed that they are given.
const SEEDED: &[Tests] = &[
    ("sessile-conformance", &["--test", "simulation"], "under_a_bad_line"),
    ("sessile-object", &["--test", "simulation"], ""),
    ("sessile", &["--test", "hostile"], ""),
    ("sessile-fs", &["--lib"], "tests::proof::whichever_step"),
];

/// What the words after `soak` ask for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    time: Duration,
    /// Whether the suites and the servers are left out.
    only_proof: bool,
}

impl Wish {
    /// Reads the words; none if they ask for something else.
    pub(crate) fn read(words: &[&str]) -> Option<Self> {
        let (only_proof, words) = match words {
            ["--proof", rest @ ..] | [rest @ .., "--proof"] => (true, rest),
            _ => (false, words),
        };
        let minutes = match words {
            [] => MINUTES,
            ["--minutes", minutes] => minutes.parse().ok()?,
            [word] => word.strip_prefix("--minutes=")?.parse().ok()?,
            _ => return None,
        };
        let seconds = minutes.checked_mul(60)?;
        Some(Self { time: Duration::from_secs(seconds), only_proof })
    }
}

/// Runs it all, and prints a line for each run.
pub(crate) fn run(wish: &Wish) -> anyhow::Result<Report> {
    let (suites, services) = if wish.only_proof {
        (Vec::new(), None)
    } else {
        (suites::build_all()?, Some(Services::start()?))
    };
    let servers: Vec<(&str, String)> = services.iter().flat_map(Services::variables).collect();
    let servers: Vec<(&str, &str)> = servers.iter().map(|(name, it)| (*name, &**it)).collect();
    let begun = Instant::now();
    let mut course = Course::default();
    let mut random = Vec::new();
    for suite in suites {
        for case in suite.of_minutes()? {
            course.note(&label(&case), "", || suite.run(&case, &servers));
            if case.name.starts_with(RANDOM) {
                random.push((suite.clone(), case));
            }
        }
    }
    let growing = if wish.only_proof { &[] } else { GROWING };
    for tests in growing.iter().chain(PROOF) {
        course.note(&named(tests), "", || run_tests(tests, &servers));
    }
    loop {
        for (suite, case) in &random {
            let seed = fresh_seed().to_string();
            let replay = replay(suite, case, &seed);
            let what = format!("{} from seed {seed}", label(case));
            let variables = [&servers[..], &[(SEED, &*seed)]].concat();
            course.note(&what, &replay, || suite.run(case, &variables));
        }
        for tests in SEEDED {
            let seed = fresh_seed().to_string();
            let what = format!("{} from seed {seed}", named(tests));
            let hint = "take it again with the seed that the failure names, as it says\n";
            let variables = [&servers[..], &[(SEED, &*seed)]].concat();
            course.note(&what, hint, || run_tests(tests, &variables));
        }
        if begun.elapsed() >= wish.time {
            return Ok(course.conclude());
        }
    }
}

fn named((package, target, name): &Tests) -> String {
    format!("{package} {} {name}", target.join(" ")).trim_end().to_owned()
}

/// Runs tests, with what they print.
fn run_tests(
    (package, target, name): &Tests,
    variables: &[(&str, &str)],
) -> anyhow::Result<Report> {
    let mut command = cargo::command(&["test", "-p", package, "--all-features"]);
    command.args(*target).args([name, "--", "--nocapture"]);
    cargo::captured({
        command.env(SOAK, "1").envs(variables.iter().copied());
        command
    })
}

fn label(case: &Case) -> String {
    format!("{}/{}", case.backend, case.name)
}

/// A number that nobody chose, short enough to be typed.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// How a run of random steps is taken again.
fn replay(suite: &Suite, case: &Case, seed: &str) -> String {
    let (folder, name) = (suite.folder().display(), label(case));
    format!(
        "take it again, or begin with the seed that the failure names:\n\
         cd {folder} && {SOAK}=1 {SEED}={seed} \
         cargo test --all-features --test {} -- --exact {name}\n",
        suites::SUITE
    )
}

/// What ran so far.
#[derive(Debug, Default)]
struct Course {
    runs: usize,
    tally: Tally,
    failures: Vec<(String, String)>,
}

impl Course {
    /// Runs something and prints how it ended.
    fn note(&mut self, what: &str, hint: &str, run: impl FnOnce() -> anyhow::Result<Report>) {
        let begun = Instant::now();
        let report = run().unwrap_or_else(|error| {
            let text = format!("{error:#}\n");
            Report { passed: false, text }
        });
        let verdict = if report.passed { "ok" } else { "FAILED" };
        println!("{verdict:6}  {:7.1} s  {what}", begun.elapsed().as_secs_f64());
        self.runs += 1;
        self.tally.add(&report.text);
        if !report.passed {
            self.failures.push((what.to_owned(), format!("{}\n{hint}", report.text.trim_end())));
        }
    }

    fn conclude(self) -> Report {
        let mut text = String::new();
        for (what, output) in &self.failures {
            // Writing to a `String` cannot fail.
            _ = writeln!(text, "\n---- {what} ----\n{}", output.trim_end());
        }
        let failed = self.failures.len();
        let passed = failed == 0 && self.runs > 0;
        let told = self.tally.told();
        if !told.is_empty() {
            _ = writeln!(text, "{told}");
        }
        _ = if passed {
            writeln!(text, "soak: ok, {} runs", self.runs)
        } else {
            writeln!(text, "\nsoak: FAILED, {failed} of {} runs", self.runs)
        };
        Report { passed, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_five_or_what_was_said() {
        let of =
            |minutes: u64| Some(Wish { time: Duration::from_mins(minutes), only_proof: false });
        assert_eq!(Wish::read(&[]), of(5));
        assert_eq!(Wish::read(&["--minutes", "30"]), of(30));
        assert_eq!(Wish::read(&["--minutes=0"]), of(0));
        let proof = Some(Wish { time: Duration::from_mins(2), only_proof: true });
        assert_eq!(Wish::read(&["--proof", "--minutes", "2"]), proof);
        assert_eq!(Wish::read(&["--minutes=2", "--proof"]), proof);
    }

    #[test]
    fn what_is_no_number_of_minutes_is_refused() {
        let huge = u64::MAX.to_string();
        for words in [
            &["--minutes"][..],
            &["--minutes", "x"],
            &["--minutes", "-1"],
            &["--minutes", "1.5"],
            &["--minutes=1", "--minutes=2"],
            &["--minutes", "1", "2"],
            &["--minutes", &huge],
            &["30"],
            &["--hours=1"],
            &["--proof", "--proof"],
        ] {
            assert_eq!(Wish::read(words), None, "{words:?}");
        }
    }

    #[test]
    fn a_failure_is_shown_with_the_way_to_take_it_again() {
        let mut course = Course::default();
        course.note("a", "again: x", || Ok(Report { passed: true, text: String::new() }));
        course.note("b", "again: y", || Ok(Report { passed: false, text: "seed 7\n".to_owned() }));
        let report = course.conclude();
        assert!(!report.passed);
        assert_eq!(report.text, "\n---- b ----\nseed 7\nagain: y\n\nsoak: FAILED, 1 of 2 runs\n");
        assert!(!Course::default().conclude().passed, "nothing ran");
    }
}
