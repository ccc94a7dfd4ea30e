//! `cargo xtask matrix`: whether the table of clauses and backends in `docs/backends.md` is true.
//!
//! It is counted from what the suites list and from what they ignore by name. No case runs for
//! it: that those counted pass is what `cargo xtask test` shows.

mod table;
mod section;

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::cargo;
use crate::report::{Finding, Report};
use crate::suites;

use self::table::Column;

/// The page, below the root.
const PAGE: &str = "docs/backends.md";

/// Where the clauses stand, in the order of the contract.
const CLAUSES: &str = "crates/core/src/backend/clause.rs";

/// Compares the page with the suites; writes nothing.
pub(crate) fn check() -> anyhow::Result<Report> {
    let page = read(PAGE)?;
    let (mut columns, mut text) = current()?;
    if section::replaced(&page, &text)? != page {
        // The suites are asked once more before the page is called untrue: a true page was refused
        // once beside other builds, and why was not found. A page that is untrue fails both times.
        (columns, text) = current()?;
    }
    let mut findings = Vec::new();
    if section::replaced(&page, &text)? != page {
        let way_out = "the matrix is not what the suites list: run `cargo xtask matrix --write`";
        findings.push(Finding::about(Path::new(PAGE), way_out));
    }
    Ok(Report::of("matrix", &covered(&columns), &findings))
}

/// Puts the current table into the page.
#[expect(clippy::disallowed_methods, reason = "a page of the work tree, not a store's file")]
pub(crate) fn write() -> anyhow::Result<Report> {
    let page = read(PAGE)?;
    let (columns, text) = current()?;
    let path = cargo::root().join(PAGE);
    fs::write(path, section::replaced(&page, &text)?).context(PAGE)?;
    Ok(Report::of("matrix", &covered(&columns), &[]))
}

fn read(path: &str) -> anyhow::Result<String> {
    fs::read_to_string(cargo::root().join(path)).context(path.to_owned())
}

/// What the suites list and ignore now, and the table of it.
fn current() -> anyhow::Result<(Vec<Column>, String)> {
    let clauses = table::clauses(&read(CLAUSES)?);
    let mut columns = Vec::new();
    for suite in suites::build_all()? {
        columns.push(Column { cases: suite.cases()?, ignored: suite.ignored()? });
    }
    let text = table::of(&clauses, &columns);
    Ok((columns, text))
}

fn covered(columns: &[Column]) -> String {
    format!("{} backends", columns.len())
}
