//! `cargo xtask layers`: refuses an import that climbs the staircase.
//!
//! Between crates a table gives each member its step. Inside a crate the order of the `mod` lines
//! does: a module may use what is listed before it, and its own children. Without the feature of a
//! cloud the facade depends on no HTTP client and no TLS.

mod clouds;
mod crates;
mod imports;
mod tree;

mod modules;

use std::fs;
use std::path::Path;

use crate::cargo::{self, Target};
use crate::report::Report;

/// Checks every member of the workspace.
pub(crate) fn check() -> anyhow::Result<Report> {
    let members = cargo::members()?;
    let read = |path: &Path| fs::read_to_string(cargo::root().join(path));
    let mut findings = crates::climbs(crates::STAIRCASE, &members);
    findings.extend(clouds::without(Path::new("crates/sessile/Cargo.toml"))?);
    let mut modules = 0;
    for target in members.iter().flat_map(|member| &member.targets).filter(|it| is_layered(it)) {
        let entry = target.src_path.strip_prefix(cargo::root()).unwrap_or(&target.src_path);
        let tree = tree::load(entry, &read)?;
        findings.extend(tree.refused);
        findings.extend(modules::climbs(&tree.root));
        modules += tree.root.count();
    }
    let covered = format!("{} crates, {modules} modules", members.len());
    Ok(Report::of("layers", &covered, &findings))
}

/// Whether the order of modules binds this target; tests, examples and build scripts go free.
fn is_layered(target: &Target) -> bool {
    let free = ["test", "bench", "example", "custom-build"];
    !target.kind.iter().any(|kind| free.contains(&kind.as_str()))
}
