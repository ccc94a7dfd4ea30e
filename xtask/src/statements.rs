//! `cargo xtask statements`: whether `docs/statements.md` says of each statement what holds it.
//!
//! The page is the list of everything that sessile has promised or has learned from the reports of
//! others. What it says must be there: each name is a case of the suites or a test function, and
//! each case stands in the rows that it is tagged with.

mod tags;
mod page;
mod functions;
mod rules;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;

use crate::cargo;
use crate::files;
use crate::report::Report;
use crate::suites;

use self::page::{Page, Verdict};

/// The page, below the root.
const PAGE: &str = "docs/statements.md";

/// Compares the page with the statements, the suites and the sources; writes nothing.
pub(crate) fn check() -> anyhow::Result<Report> {
    let path = Path::new(PAGE);
    let text = std::fs::read_to_string(cargo::root().join(path)).context(PAGE)?;
    let page = page::read(&text);
    let mut cases = BTreeMap::new();
    for suite in suites::build_all()? {
        cases.extend(suite.cases()?.into_iter().map(|case| (case.name, case.tags)));
    }
    let functions = functions::among(&files::below(cargo::root())?)?;
    let findings = rules::findings(path, &page, &cases, &functions);
    Ok(Report::of("statements", &covered(&page), &findings))
}

/// How many rows the page has, by what they say.
fn covered(page: &Page) -> String {
    let count = |is: fn(&Verdict) -> bool| page.rows.iter().filter(|row| is(&row.verdict)).count();
    let held = count(|verdict| matches!(verdict, Verdict::HeldBy(_)));
    let pending = count(|verdict| matches!(verdict, Verdict::Pending(_)));
    let other = count(|verdict| matches!(verdict, Verdict::DoesNotApply));
    format!("{held} held, {pending} pending, {other} do not apply")
}
