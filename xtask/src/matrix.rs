//! `cargo xtask matrix`: whether the tables of capabilities and of clauses in `docs/backends.md`
//! are true.
//!
//! The first is what the backends declare. The second is counted from what the suites list and
//! from what they ignore by name. No case runs for it: that those counted pass is what
//! `cargo xtask test` shows.

mod table;
mod capabilities;
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

/// Where the capabilities stand, in their order.
const CAPABILITIES: &str = "crates/core/src/backend/capabilities.rs";

/// Compares the page with the suites; writes nothing.
pub(crate) fn check() -> anyhow::Result<Report> {
    // The page is read last: building the suites takes long, and whoever writes it meanwhile has
    // done no wrong.
    let (columns, tables) = current()?;
    let page = read(PAGE)?;
    let mut findings = Vec::new();
    if section::replaced(&page, &tables)? != page {
        let way_out = "the matrix is not what the suites list: run `cargo xtask matrix --write`";
        findings.push(Finding::about(Path::new(PAGE), way_out));
    }
    Ok(Report::of("matrix", &covered(&columns), &findings))
}

/// Puts the current tables into the page.
#[expect(clippy::disallowed_methods, reason = "a page of the work tree, not a store's file")]
pub(crate) fn write() -> anyhow::Result<Report> {
    let (columns, tables) = current()?;
    let page = read(PAGE)?;
    let path = cargo::root().join(PAGE);
    fs::write(path, section::replaced(&page, &tables)?).context(PAGE)?;
    Ok(Report::of("matrix", &covered(&columns), &[]))
}

fn read(path: &str) -> anyhow::Result<String> {
    fs::read_to_string(cargo::root().join(path)).context(path.to_owned())
}

/// What the suites declare, list and ignore now, and the tables of it.
fn current() -> anyhow::Result<(Vec<Column>, [String; 2])> {
    let clauses = table::clauses(&read(CLAUSES)?);
    let mut columns = Vec::new();
    for suite in suites::build_all()? {
        columns.extend(Column::each(suite.cases()?, suite.ignored()?, suite.capabilities()?));
    }
    let known = capabilities::known(&read(CAPABILITIES)?);
    let tables = [capabilities::of(&known, &columns), table::of(&clauses, &columns)];
    Ok((columns, tables))
}

fn covered(columns: &[Column]) -> String {
    format!("{} backends", columns.len())
}
