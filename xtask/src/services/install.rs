//! Installing a server once, whole or not at all.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context as _, bail};

use super::kind::{Kind, Tool};
use crate::cargo;

/// The folder in which a server is installed; installs it there first if need be.
///
/// The folder gets its name when all is in it, so that an installation that was cut short is
/// never taken for one.
pub(super) fn folder(kind: &Kind, servers: &Path) -> anyhow::Result<PathBuf> {
    present(kind.tools)?;
    let installed = servers.join(format!("{}-{}", kind.name, kind.version));
    if !installed.is_dir() {
        println!("installing {} into {}", kind.versioned(), installed.display());
        let staged = servers.join(format!(".{}-{}", kind.name, process::id()));
        let outcome = install(&staged, &installed, kind.install);
        // What is left of a failure is in nobody's way; the failure itself is what is told.
        _ = fs::remove_dir_all(&staged);
        outcome?;
    }
    Ok(installed)
}

/// Fails if one of the programs is not there.
fn present(tools: &[Tool]) -> anyhow::Result<()> {
    for Tool { question, package } in tools {
        let [program, arguments @ ..] = question else {
            continue;
        };
        let answer = Command::new(program).args(arguments).output();
        if !answer.is_ok_and(|answer| answer.status.success()) {
            let question = question.join(" ");
            bail!("`{question}` does not answer: install it (Debian: apt-get install {package})");
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a folder of programs, not a store's file")]
fn install(staged: &Path, installed: &Path, command: fn(&Path) -> Command) -> anyhow::Result<()> {
    // It may be left from a process that had our number.
    _ = fs::remove_dir_all(staged);
    fs::create_dir_all(staged).with_context(|| staged.display().to_string())?;
    let report = cargo::captured(command(staged))?;
    if !report.passed {
        bail!("the installation failed: {}", report.text.trim_end());
    }
    match fs::rename(staged, installed) {
        // Another run was faster, and what it installed is the same.
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
        outcome => outcome.with_context(|| installed.display().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::kind::Probe;
    use super::*;

    fn kind(tools: &'static [Tool], install: fn(&Path) -> Command) -> Kind {
        let command = |_: &Path, _| Command::new("false");
        let (name, version) = ("made-up", "1");
        let (variable, programs) = ("MADE_UP", "MADE_UP_PROGRAMS");
        let probe = Probe { path: "/", sign: "" };
        Kind { name, version, variable, programs, tools, install, command, probe }
    }

    fn scratch(name: &str) -> PathBuf {
        let folder = cargo::output().unwrap().join("servers-in-tests");
        let folder = folder.join(format!("{name}-{}", process::id()));
        _ = fs::remove_dir_all(&folder);
        folder
    }

    fn shell(script: &str, folder: &Path) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(folder);
        shell
    }

    #[test]
    fn what_is_installed_is_not_installed_again() {
        let servers = scratch("again");
        let first = kind(&[], |folder| shell("echo first >which", folder));
        let second = kind(&[], |folder| shell("echo second >which", folder));
        let installed = folder(&first, &servers).unwrap();
        assert_eq!(folder(&second, &servers).unwrap(), installed);
        assert_eq!(fs::read_to_string(installed.join("which")).unwrap(), "first\n");
        let names: Vec<_> = fs::read_dir(&servers).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(names, [installed]);
        fs::remove_dir_all(servers).unwrap();
    }

    #[test]
    fn an_installation_that_fails_says_why_and_leaves_nothing() {
        let servers = scratch("fails");
        let fails = kind(&[], |folder| shell("echo half >which; echo no network; false", folder));
        let error = folder(&fails, &servers).unwrap_err();
        assert_eq!(error.to_string(), "the installation failed: no network");
        assert_eq!(fs::read_dir(&servers).unwrap().count(), 0);
        fs::remove_dir_all(servers).unwrap();
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_its_package() {
        let tools = &[Tool { question: &["no-such-program", "--version"], package: "such" }];
        let never = kind(tools, |folder| shell("false", folder));
        let error = folder(&never, Path::new("/nowhere")).unwrap_err().to_string();
        assert_eq!(
            error,
            "`no-such-program --version` does not answer: install it (Debian: apt-get install such)"
        );
    }
}
