//! Running cargo at the root of the workspace.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::report::Report;

/// The package that brings databases along, which only `cargo xtask bench` and the gate build.
pub(crate) const BENCH: &str = "sessile-bench";

/// The folder that holds the workspace's manifest.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// A call of the cargo that runs us, so that every step of a run uses one toolchain.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end and keeps what it printed.
pub(crate) fn captured(mut command: Command) -> anyhow::Result<Report> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Report { passed: output.status.success(), text })
}

/// A member of the workspace, as `cargo metadata` describes it.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
}

/// A line of a member's dependency tables.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// The package's own name, also when the member renames it.
    pub(crate) name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

/// Something cargo compiles: a library, a program, a test.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
    /// The file of the target's crate root.
    pub(crate) src_path: PathBuf,
}

/// What cargo says of the workspace.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
}

/// The members of the workspace.
pub(crate) fn members() -> anyhow::Result<Vec<Package>> {
    Ok(metadata()?.packages)
}

/// The folder cargo writes to, wherever it was told to.
pub(crate) fn output() -> anyhow::Result<PathBuf> {
    Ok(metadata()?.target_directory)
}

fn metadata() -> anyhow::Result<Metadata> {
    // Without dependencies cargo resolves nothing, so this needs no network and writes no lock.
    let output = command(&["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    serde_json::from_slice(&output.stdout).context("cannot read cargo metadata")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_members_but_the_bench_are_meant_where_none_is_named() {
        #[derive(Deserialize)]
        struct Meant {
            workspace_members: Vec<String>,
            workspace_default_members: Vec<String>,
        }

        let output = command(&["metadata", "--format-version", "1", "--no-deps"]).output().unwrap();
        let meant: Meant = serde_json::from_slice(&output.stdout).unwrap();
        let mut members = meant.workspace_members;
        members.retain(|id| !id.contains("crates/bench"));
        members.sort();
        let mut by_default = meant.workspace_default_members;
        by_default.sort();
        assert_eq!(by_default, members);
    }
}
