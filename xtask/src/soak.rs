//! `cargo xtask soak`: what takes minutes, on every backend, and the proof of what is promised.
//!
//! All is built, and then a time is shared between parts: the cases of minutes of each backend,
//! the tests that grow with `SESSILE_SOAK`, crash images and kills, and last, again and again until
//! all time is over, what begins with a seed, each time one that nobody chose. A part that is not
//! done within its share is cut short, beginning each time with another of its runs; at the end
//! stands of each what ended, what was cut and what was not begun. With `--proof` the suites and
//! the servers are left out.

mod bounded;
mod tally;
mod course;
mod slots;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use self::course::Course;
use self::slots::Slots;
use crate::cargo;
use crate::report::Report;
use crate::services::Services;
use crate::suites::{self, Case, SOAK, Suite};

/// How many minutes are shared if nobody says.
const MINUTES: u64 = 45;

/// What begins the names of the cases of random steps.
const RANDOM: &str = "session/random/";

/// Where the cases of random steps find their first seed.
const SEED: &str = "SESSILE_SEED";

/// Tests of a package: which of its targets, and the beginning of their names.
type Tests = (&'static str, &'static [&'static str], &'static str);

/// Tests beside the suites that are larger where `SESSILE_SOAK` is 1.
const GROWING: &[Tests] = &[("sessile", &["--test", "size"], "")];

/// Tests that kill servers, or who talks to one.
const OF_SERVERS: &[Tests] = &[
    ("sessile-object", &["--test", "stores"], "with_servers::hosts::"),
    ("sessile-object", &["--test", "stores"], "with_servers::killed::what_was_told"),
    ("sessile-object", &["--test", "stores"], "with_servers::killed::forgetful::"),
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

/// The weights of the parts beside the backends', each of which has one, and three on a server.
const OF_GROWING: u32 = 4;
const OF_KILLED: u32 = 8;
const OF_PROOF: u32 = 6;
const OF_SEEDS: u32 = 6;

/// The backends whose cases ask a server for everything.
const ON_SERVERS: &[&str] = &["azure", "s3"];

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

/// Something to run: what it is, how it is taken again, and the command.
struct Run {
    what: String,
    hint: String,
    command: Command,
}

/// Some runs with a share of the time.
struct Part {
    name: String,
    weight: u32,
    runs: Vec<Run>,
}

/// Runs it all, and prints a line for each run.
pub(crate) fn run(wish: &Wish) -> anyhow::Result<Report> {
    let building = Instant::now();
    let suites = if wish.only_proof { Vec::new() } else { suites::build_all()? };
    let (growing, of_servers): (&[Tests], &[Tests]) =
        if wish.only_proof { (&[], &[]) } else { (GROWING, OF_SERVERS) };
    build(growing.iter().chain(of_servers).chain(PROOF).chain(SEEDED))?;
    let services = if wish.only_proof { None } else { Some(Services::start()?) };
    let servers: Vec<_> = services.iter().flat_map(Services::variables).collect();
    println!("built and begun in {} s", building.elapsed().as_secs());

    let cases = cases(&suites)?;
    let mut parts = of_backends(&cases);
    let of_tests =
        |tests: &Tests| Run { what: named(tests), hint: String::new(), command: run_tests(tests) };
    for (name, weight, tests) in [
        ("large sessions and stores", OF_GROWING, growing),
        ("servers, and who is killed there", OF_KILLED, of_servers),
        ("crash images and kills", OF_PROOF, PROOF),
    ] {
        let runs: Vec<Run> = tests.iter().map(of_tests).collect();
        parts.extend((!runs.is_empty()).then(|| Part { name: name.to_owned(), weight, runs }));
    }

    let mut course = Course::default();
    let weights = parts.iter().map(|part| part.weight).sum::<u32>() + OF_SEEDS;
    let mut slots = Slots::new(Instant::now(), wish.time, weights);
    for part in parts {
        let end = slots.next(Instant::now(), part.weight);
        course.begin(&part.name);
        let not_begun = run_part(&mut course, rotated(part.runs), end, &servers);
        course.leave_out(not_begun);
    }
    let end = slots.next(Instant::now(), OF_SEEDS);
    course.begin("seeds that nobody chose");
    // The last round ends where it is: of what has no end nothing is left out.
    while run_part(&mut course, of_seeds(&cases), end, &servers) == 0 {}
    Ok(course.conclude())
}

/// Runs what belongs to a part until a moment; answers how many runs were not begun.
fn run_part(
    course: &mut Course,
    runs: Vec<Run>,
    end: Instant,
    servers: &[(&str, String)],
) -> usize {
    let mut waiting = runs.len();
    for Run { what, hint, mut command } in runs {
        let left = end.saturating_duration_since(Instant::now());
        let Some(limit) = slots::of_run(left, waiting - 1) else { break };
        waiting -= 1;
        command.envs(servers.iter().map(|(name, it)| (*name, &**it)));
        course.note(&what, &hint, || bounded::run(&command, limit));
    }
    waiting
}

/// The same in turn, beginning with any of them: a time that is too short leaves out others then.
fn rotated<T>(mut all: Vec<T>) -> Vec<T> {
    if let Ok(count) = u64::try_from(all.len())
        && let Some(first) = fresh_seed().checked_rem(count)
    {
        all.rotate_left(usize::try_from(first).unwrap_or(0));
    }
    all
}

/// The cases of minutes of all suites.
fn cases(suites: &[Suite]) -> anyhow::Result<Vec<(&Suite, Case)>> {
    let mut cases = Vec::new();
    for suite in suites {
        cases.extend(suite.of_minutes()?.into_iter().map(|case| (suite, case)));
    }
    Ok(cases)
}

/// A part for each backend.
fn of_backends(cases: &[(&Suite, Case)]) -> Vec<Part> {
    let mut parts: BTreeMap<&str, Vec<Run>> = BTreeMap::new();
    for (suite, case) in cases {
        let (what, hint) = (label(case), String::new());
        let command = suite.full_size(case);
        parts.entry(&case.backend).or_default().push(Run { what, hint, command });
    }
    let part = |(backend, runs): (&str, Vec<Run>)| Part {
        name: format!("cases of minutes on {backend}"),
        weight: if ON_SERVERS.contains(&backend) { 3 } else { 1 },
        runs,
    };
    parts.into_iter().map(part).collect()
}

/// A round of what begins with a seed, each with one that nobody chose.
fn of_seeds(cases: &[(&Suite, Case)]) -> Vec<Run> {
    let random = cases.iter().filter(|(_, case)| case.name.starts_with(RANDOM));
    let random = random.map(|(suite, case)| {
        let seed = fresh_seed().to_string();
        let mut command = suite.full_size(case);
        command.env(SEED, &seed);
        let what = format!("{} from seed {seed}", label(case));
        Run { what, hint: replay(suite, case, &seed), command }
    });
    let seeded = SEEDED.iter().map(|tests| {
        let seed = fresh_seed().to_string();
        let mut command = run_tests(tests);
        command.env(SEED, &seed);
        let hint = "take it again with the seed that the failure names, as it says\n".to_owned();
        Run { what: format!("{} from seed {seed}", named(tests)), hint, command }
    });
    // The cheapest first: a round that is cut short has done those.
    seeded.chain(random).collect()
}

/// Builds tests, so that their time is not that of the compiler.
fn build<'t>(tests: impl Iterator<Item = &'t Tests>) -> anyhow::Result<()> {
    for (package, target, _) in tests {
        let mut command = cargo::command(&["test", "--quiet", "--no-run", "-p", package]);
        let status = command.arg("--all-features").args(*target).status();
        ensure!(status.context("cannot run cargo test")?.success(), "{package} does not build");
    }
    Ok(())
}

fn named((package, target, name): &Tests) -> String {
    format!("{package} {} {name}", target.join(" ")).trim_end().to_owned()
}

/// What runs tests, with what they print.
fn run_tests((package, target, name): &Tests) -> Command {
    let mut command = cargo::command(&["test", "-p", package, "--all-features"]);
    command.args(*target).args([name, "--", "--nocapture"]).env(SOAK, "1");
    command
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_forty_five_or_what_was_said() {
        let of =
            |minutes: u64| Some(Wish { time: Duration::from_mins(minutes), only_proof: false });
        assert_eq!(Wish::read(&[]), of(45));
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
    fn any_may_be_the_first_and_none_is_lost() {
        let mut all = rotated(vec![1, 2, 3]);
        let first = all.first().copied();
        assert!([[1, 2, 3], [2, 3, 1], [3, 1, 2]].contains(&[all[0], all[1], all[2]]), "{first:?}");
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3]);
        assert!(rotated(Vec::<u8>::new()).is_empty());
    }
}
