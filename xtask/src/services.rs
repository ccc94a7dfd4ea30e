//! The servers that tests talk to: S3 and Azure Blob Storage, as emulators on this machine.
//!
//! They are installed below cargo's output folder by the package managers of their languages,
//! started for one run of the tests, and gone with it.

mod kind;
mod install;
mod process;

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use self::kind::{KINDS, Kind};
use self::process::Process;
use crate::cargo;

/// The servers' folder, below cargo's output folder.
const FOLDER: &str = "servers";

/// How to go on without what is missing.
const WAY_OUT: &str = "A run without the servers: cargo xtask test --local";

/// What tells a test process that the servers were left out on purpose.
pub(crate) const LEFT_OUT: &str = "SESSILE_TEST_LOCAL";

/// The packages whose tests talk to servers.
const CLIENTS: &[&str] = &["sessile-object", "sessile", "sessile-cli"];

/// Whether the tests of one of these packages talk to servers; none are all packages.
pub(crate) fn are_needed(packages: &[&str]) -> bool {
    packages.is_empty() || packages.iter().any(|package| CLIENTS.contains(package))
}

/// The names of all servers with their versions.
pub(crate) fn names() -> String {
    let names: Vec<String> = KINDS.iter().map(Kind::versioned).collect();
    names.join(", ")
}

/// Servers that run until this value is dropped or this process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Services {
    running: Vec<Running>,
}

/// A server of a kind, and where it is installed.
#[derive(Debug)]
struct Running {
    kind: &'static Kind,
    installed: PathBuf,
    process: Process,
}

impl Services {
    /// Installs what is not installed yet, and starts each server on a free port of loopback.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let folder = cargo::output()?.join(FOLDER);
        let running = KINDS.iter().map(|kind| start(kind, &folder));
        Ok(Self { running: running.collect::<anyhow::Result<_>>()? })
    }

    /// The variables by which tests find the servers, and what they start more of them from.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.running.iter().flat_map(|Running { kind, installed, process }| {
            let installed = installed.display().to_string();
            [(kind.variable, process.address()), (kind.programs, installed)]
        })
    }
}

fn start(kind: &'static Kind, folder: &Path) -> anyhow::Result<Running> {
    let running = install::folder(kind, folder).and_then(|installed| {
        let log = folder.join(format!("{}.log", kind.name));
        let command = |port| (kind.command)(&installed, port);
        let process = process::start(&command, kind.probe, &log)?;
        Ok(Running { kind, installed, process })
    });
    running.map_err(|error| anyhow!("{} can't be had: {error:#}\n{WAY_OUT}", kind.versioned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_started_for_those_who_talk_to_them() {
        assert!(are_needed(&[]));
        assert!(are_needed(&["sessile-core", "sessile-object"]));
        assert!(!are_needed(&["sessile-core", "xtask"]));
    }

    #[test]
    fn every_name_says_its_version() {
        assert_eq!(names(), "ministack 1.5.33, azurite 3.35.0");
    }

    #[test]
    fn the_runner_installs_what_the_servers_need() {
        let runner = include_str!("../../.ci/run");
        for package in ["python3-pip", "nodejs", "npm"] {
            assert!(runner.contains(package), "{package}");
        }
    }
}
