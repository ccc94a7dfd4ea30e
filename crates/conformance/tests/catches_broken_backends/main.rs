//! The suite's own test: each broken backend fails exactly the cases that its fault breaks, a
//! sound one fails none, and there is no case that nothing fails.

use std::collections::BTreeSet;
use std::fmt;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use sessile_conformance::broken::{SPECIMENS, Specimen};
use sessile_conformance::{Size, Verdict, cases, run_all};
use sessile_core::backend::Clause;

mod journals;
mod listing;
mod reading;

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
    let verdicts = run_all(&(specimen.fixture)())?.into_iter();
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

fn main() -> ExitCode {
    let rules: [(&str, Rule); 3] = [
        ("every_row_is_of_a_broken_specimen", every_row_is_of_a_broken_specimen),
        (
            "every_broken_specimen_fails_a_case_of_its_clause",
            every_broken_specimen_fails_a_case_of_its_clause,
        ),
        ("every_case_fails_for_some_specimen", every_case_fails_for_some_specimen),
    ];
    let rules = rules.into_iter().map(|(name, rule)| Trial::test(name, rule));
    let specimens = SPECIMENS.iter().map(|specimen| {
        let name = match specimen.breaks {
            Some(_) => format!("{}_fails_exactly_its_cases", specimen.name),
            None => format!("{}_fails_nothing", specimen.name),
        };
        Trial::test(name, || fails_exactly(specimen))
    });
    libtest_mimic::run(&Arguments::from_args(), rules.chain(specimens).collect()).exit_code()
}
