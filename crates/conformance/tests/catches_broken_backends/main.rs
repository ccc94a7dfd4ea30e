//! The suite's own test: each broken backend fails exactly the cases that its fault breaks, a
//! sound one fails none, and there is no case that nothing fails. Cases of sessions and of records
//! are each noticed by a broken backend too, as far as a backend can break what they check.

use std::collections::BTreeSet;
use std::fmt;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use sessile_conformance::broken::{CARELESS, FORGETFUL, SPECIMENS, Specimen};
use sessile_conformance::{Case, Size, Verdict, cases, records, run_all, sessions, workflows};
use sessile_core::backend::Clause;

mod boards;
mod journals;
mod listing;
mod reading;
mod records;
mod requests;
mod sessions;
mod workflows;

/// The cases that a broken backend fails: these and no others.
struct Expected {
    specimen: &'static str,
    fails: &'static [&'static str],
}

fn expected() -> impl Iterator<Item = &'static Expected> {
    [journals::EXPECTED, reading::EXPECTED, listing::EXPECTED].into_iter().flatten()
}

/// What a specimen must fail; nothing if it is sound.
fn expected_of(specimen: &Specimen) -> BTreeSet<&'static str> {
    let row = expected().find(|row| row.specimen == specimen.name);
    row.map(|row| row.fails.iter().copied().collect()).unwrap_or_default()
}

fn fails_exactly(specimen: &Specimen) -> Result<(), Failed> {
    let expected = expected_of(specimen);
    let also = sessions().chain(records()).chain(workflows()).filter(|_| specimen.breaks.is_none());
    let verdicts = run_all(&(specimen.fixture)(), cases().chain(also))?.into_iter();
    let surprises =
        verdicts.filter_map(|(case, verdict)| match (verdict, expected.contains(case.name)) {
            (Verdict::Failed(why), false) => Some(format!("also fails {}: {why}", case.name)),
            (Verdict::Passed, true) => Some(format!("passes {}", case.name)),
            (Verdict::Ignored(why), true) => Some(format!("ignores {}: {why}", case.name)),
            _ => None,
        });
    none("what should be otherwise", surprises)
}

/// Fails with what is left over, if anything is.
fn none<T: fmt::Debug>(what: &str, left: impl Iterator<Item = T>) -> Result<(), Failed> {
    let left: Vec<T> = left.collect();
    if left.is_empty() { Ok(()) } else { Err(format!("{what}: {left:#?}").into()) }
}

/// A rule that the tables keep.
type Rule = fn() -> Result<(), Failed>;

fn every_row_is_of_a_broken_specimen() -> Result<(), Failed> {
    let broken = |name| SPECIMENS.iter().any(|it| it.name == name && it.breaks.is_some());
    let strays = expected().map(|row| row.specimen).filter(|name| !broken(*name));
    none("rows without a specimen", strays)?;
    let distinct: BTreeSet<_> = expected().map(|row| row.specimen).collect();
    let count = expected().count();
    if distinct.len() == count { Ok(()) } else { Err("two rows of one specimen".into()) }
}

fn every_broken_specimen_fails_a_case_of_its_clause() -> Result<(), Failed> {
    let is_noticed = |specimen: &Specimen, clause: Clause| {
        let expected = expected_of(specimen);
        let failing = cases().filter(|case| expected.contains(case.name));
        failing.flat_map(|case| case.tags).any(|tag| *tag == clause.name())
    };
    let unnoticed =
        SPECIMENS.iter().filter(|it| it.breaks.is_some_and(|clause| !is_noticed(it, clause)));
    none("specimens that no case of their clause notices", unnoticed)
}

fn every_case_fails_for_some_specimen() -> Result<(), Failed> {
    let failed: BTreeSet<_> = expected().flat_map(|row| row.fails).copied().collect();
    let named: BTreeSet<_> = cases().map(|case| case.name).collect();
    none("names of no case", failed.difference(&named))?;
    // A case of minutes is a longer run of one of seconds.
    let short = cases().filter(|case| case.size == Size::Ci).map(|case| case.name);
    none("cases that nothing fails", short.filter(|name| !failed.contains(name)))
}

fn every_case_of_sessions_is_noticed_or_of_the_engine() -> Result<(), Failed> {
    let noticed = sessions::NOTICED.iter().chain(requests::NOTICED).flat_map(|(_, names)| *names);
    let random = [&sessions::RANDOM_STEPS];
    stands_once(noticed.chain(sessions::OF_THE_ENGINE).chain(random), sessions())
}

fn every_case_of_records_is_noticed_or_of_the_records() -> Result<(), Failed> {
    let noticed = records::NOTICED.iter().flat_map(|(_, names)| *names);
    stands_once(noticed.chain(records::OF_THE_RECORDS), records())
}

fn every_case_of_workflow_sessions_is_noticed_or_of_the_workflow() -> Result<(), Failed> {
    let noticed = workflows::NOTICED.iter().flat_map(|(_, names)| *names);
    let cases = workflows().filter(|case| !case.name.starts_with("workflow/board/"));
    stands_once(noticed.chain(workflows::OF_THE_WORKFLOW), cases)?;
    let unused =
        FORGETFUL.iter().filter(|it| workflows::NOTICED.iter().all(|(name, _)| *name != it.name));
    none("specimens that no case notices", unused)
}

fn every_case_of_boards_is_noticed_or_of_the_board() -> Result<(), Failed> {
    let noticed = boards::NOTICED.iter().flat_map(|(_, names)| *names);
    let cases = workflows().filter(|case| case.name.starts_with("workflow/board/"));
    stands_once(noticed.chain(boards::OF_THE_BOARD), cases)?;
    let unused =
        CARELESS.iter().filter(|it| boards::NOTICED.iter().all(|(name, _)| *name != it.name));
    none("specimens that no case notices", unused)
}

/// Fails unless each case of seconds stands once in a list, and nothing else does.
fn stands_once(
    listed: impl Iterator<Item = &'static &'static str>,
    cases: impl Iterator<Item = &'static Case>,
) -> Result<(), Failed> {
    let mut listed: Vec<&str> = listed.copied().collect();
    listed.sort_unstable();
    let mut short: Vec<&str> =
        cases.filter(|case| case.size == Size::Ci).map(|case| case.name).collect();
    short.sort_unstable();
    let twice = listed.windows(2).filter(|pair| pair.first() == pair.last());
    none("cases that stand twice", twice)?;
    none("names of no case", listed.iter().filter(|name| !short.contains(name)))?;
    none("cases that nothing fails", short.iter().filter(|name| !listed.contains(name)))
}

/// Fails unless a specimen fails these cases of sessions or of records.
fn is_noticed(specimen: &str, names: &[&str]) -> Result<(), Failed> {
    let mut specimens = SPECIMENS.iter().chain(FORGETFUL).chain(CARELESS);
    let found = specimens.find(|it| it.name == specimen).ok_or("there is no specimen")?;
    let above = sessions().chain(records()).chain(workflows());
    let chosen = above.filter(|case| names.contains(&case.name));
    let verdicts = run_all(&(found.fixture)(), chosen)?.into_iter();
    none(
        "cases that it does not fail",
        verdicts.filter(|(_, verdict)| !matches!(verdict, Verdict::Failed(_))),
    )
}

/// Fails unless the random steps notice a specimen right after a step of this kind.
fn is_noticed_at(specimen: &str, step: &str) -> Result<(), Failed> {
    let found = SPECIMENS.iter().find(|it| it.name == specimen).ok_or("there is no specimen")?;
    let chosen = sessions().filter(|case| case.name == sessions::RANDOM_STEPS);
    let verdicts = run_all(&(found.fixture)(), chosen)?;
    let told = verdicts.first().map(|(_, verdict)| verdict);
    match told {
        Some(Verdict::Failed(why)) if why.to_string().ends_with(&format!(": {step}")) => Ok(()),
        other => Err(format!("it is not noticed there: {other:?}").into()),
    }
}

fn main() -> ExitCode {
    let rules: [(&str, Rule); 7] = [
        ("every_row_is_of_a_broken_specimen", every_row_is_of_a_broken_specimen),
        (
            "every_broken_specimen_fails_a_case_of_its_clause",
            every_broken_specimen_fails_a_case_of_its_clause,
        ),
        ("every_case_fails_for_some_specimen", every_case_fails_for_some_specimen),
        (
            "every_case_of_sessions_is_noticed_or_of_the_engine",
            every_case_of_sessions_is_noticed_or_of_the_engine,
        ),
        (
            "every_case_of_records_is_noticed_or_of_the_records",
            every_case_of_records_is_noticed_or_of_the_records,
        ),
        (
            "every_case_of_workflow_sessions_is_noticed_or_of_the_workflow",
            every_case_of_workflow_sessions_is_noticed_or_of_the_workflow,
        ),
        (
            "every_case_of_boards_is_noticed_or_of_the_board",
            every_case_of_boards_is_noticed_or_of_the_board,
        ),
    ];
    let rules = rules.into_iter().map(|(name, rule)| Trial::test(name, rule));
    let specimens = SPECIMENS.iter().map(|specimen| {
        let name = match specimen.breaks {
            Some(_) => format!("{}_fails_exactly_its_cases", specimen.name),
            None => format!("{}_fails_nothing", specimen.name),
        };
        Trial::test(name, || fails_exactly(specimen))
    });
    let noticed = sessions::NOTICED.iter().map(|(specimen, names)| {
        let name = format!("{specimen}_is_noticed_in_sessions");
        Trial::test(name, || is_noticed(specimen, names))
    });
    let held = requests::NOTICED.iter().map(|(specimen, names)| {
        let name = format!("{specimen}_is_noticed_by_requests");
        Trial::test(name, || is_noticed(specimen, names))
    });
    let above = records::NOTICED.iter().map(|(specimen, names)| {
        let name = format!("{specimen}_is_noticed_in_records");
        Trial::test(name, || is_noticed(specimen, names))
    });
    let of_boards = boards::NOTICED.iter().map(|(specimen, names)| {
        let name = format!("{specimen}_is_noticed_by_boards");
        Trial::test(name, || is_noticed(specimen, names))
    });
    let of_workflow = workflows::NOTICED.iter().map(|(specimen, names)| {
        let name = format!("{specimen}_is_noticed_in_workflow_sessions");
        Trial::test(name, || is_noticed(specimen, names))
    });
    let random = sessions::NOTICED_BY_RANDOM_STEPS.iter().map(|specimen| {
        let name = format!("{specimen}_is_noticed_by_random_steps");
        Trial::test(name, || is_noticed(specimen, &[sessions::RANDOM_STEPS]))
    });
    let steps = sessions::NOTICED_AT_A_STEP.iter().map(|(specimen, step)| {
        let name = format!("{specimen}_is_noticed_at_a_{}", step.to_lowercase());
        Trial::test(name, || is_noticed_at(specimen, step))
    });
    let trials = rules
        .chain(specimens)
        .chain(noticed)
        .chain(held)
        .chain(above)
        .chain(of_workflow)
        .chain(of_boards)
        .chain(random)
        .chain(steps)
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
