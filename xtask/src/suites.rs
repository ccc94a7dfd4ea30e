//! The suites of the backends: which cases each has, and which it ignores by name.
//!
//! A backend's suite is an integration test named `conformance` that lists its cases as
//! `[tag,tag] backend/group/case: test`. Nothing here runs a case.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use crate::cargo::{self, Target};

/// The name of the integration test in which a backend runs the suite.
pub(crate) const SUITE: &str = "conformance";

/// Where this is `1`, cases of minutes run too.
pub(crate) const SOAK: &str = "SESSILE_SOAK";

/// A conformance case of one backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) backend: String,
    /// `group/case`.
    pub(crate) name: String,
    pub(crate) tags: Vec<String>,
}

/// A case that a backend's suite ignores, and why, as the suite says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ignored {
    pub(crate) case: Case,
    pub(crate) reason: String,
}

/// A capability that a backend declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) backend: String,
    pub(crate) capability: String,
}

/// A suite that was built.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Suite {
    /// The folder of its package, in which cargo would run it.
    folder: PathBuf,
    executable: PathBuf,
}

/// Builds the suites among the tests that are selected, in the order of their packages' folders.
pub(crate) fn build(selection: &[&str]) -> anyhow::Result<Vec<Suite>> {
    let output = cargo::command(&["test", "--no-run", "--message-format=json-render-diagnostics"])
        .args(selection)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo test")?;
    ensure!(output.status.success(), "the tests do not build");
    among(&String::from_utf8_lossy(&output.stdout))
}

/// Builds the suite of every backend.
pub(crate) fn build_all() -> anyhow::Result<Vec<Suite>> {
    // The same selection as that of all tests, so that nothing is built twice.
    let all = ["--quiet", "--workspace", "--exclude", cargo::BENCH, "--all-features"];
    let suites = build(&[&all[..], &["--test", SUITE]].concat())?;
    ensure!(!suites.is_empty(), "no package has a test named `{SUITE}`");
    Ok(suites)
}

/// The suites among the JSON messages of a build.
fn among(messages: &str) -> anyhow::Result<Vec<Suite>> {
    #[derive(Deserialize)]
    struct Message {
        target: Option<Target>,
        manifest_path: Option<PathBuf>,
        executable: Option<PathBuf>,
    }

    let mut suites = Vec::new();
    for line in messages.lines() {
        let message: Message =
            serde_json::from_str(line).with_context(|| format!("cargo printed {line}"))?;
        if let (Some(target), Some(manifest), Some(executable)) =
            (message.target, message.manifest_path, message.executable)
            && target.name == SUITE
            && target.kind.iter().any(|kind| kind == "test")
        {
            let folder = manifest.parent().map(Path::to_path_buf).unwrap_or_default();
            suites.push(Suite { folder, executable });
        }
    }
    suites.sort();
    Ok(suites)
}

impl Suite {
    /// Its cases, in its own order.
    pub(crate) fn cases(&self) -> anyhow::Result<Vec<Case>> {
        let listing = self.answer(&["--list"], true)?;
        listed(&listing).with_context(|| self.executable.display().to_string())
    }

    /// The cases that it ignores for what its backend or fixture lacks, and not for their length.
    ///
    /// The suite is told to run those only, and answers for each why it does not; one after the
    /// other, so that they stand in its own order.
    pub(crate) fn ignored(&self) -> anyhow::Result<Vec<Ignored>> {
        let said = self.answer(&["--ignored", "--color", "never", "--test-threads", "1"], true)?;
        refusals(&said).with_context(|| self.executable.display().to_string())
    }

    /// The capabilities that its backends declare.
    pub(crate) fn capabilities(&self) -> anyhow::Result<Vec<Declared>> {
        let mut command = self.command(&[], false);
        command.env("SESSILE_CAPABILITIES", "1");
        let report = cargo::captured(command)?;
        ensure!(report.passed, "{}: {}", self.executable.display(), report.text.trim_end());
        let declared = report.text.lines().map(|line| {
            let (backend, capability) =
                line.split_once(' ').with_context(|| format!("`{line}` declares nothing"))?;
            Ok(Declared { backend: backend.to_owned(), capability: capability.to_owned() })
        });
        declared.collect()
    }

    /// The cases that it ignores for their length only.
    pub(crate) fn of_minutes(&self) -> anyhow::Result<Vec<Case>> {
        let said = self.answer(&["--ignored", "--color", "never", "--test-threads", "1"], false)?;
        let ignored = refusals(&said).with_context(|| self.executable.display().to_string())?;
        let long = ignored.into_iter().filter(|it| it.reason.contains(SOAK));
        Ok(long.map(|it| it.case).collect())
    }

    /// What runs one case at its full size.
    pub(crate) fn full_size(&self, case: &Case) -> Command {
        let name = format!("{}/{}", case.backend, case.name);
        self.command(&["--exact", &name], true)
    }

    /// The folder of its package, from the root.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.strip_prefix(cargo::root()).unwrap_or(&self.folder)
    }

    fn command(&self, arguments: &[&str], soak: bool) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(arguments).current_dir(&self.folder);
        command.env(SOAK, if soak { "1" } else { "0" });
        // What a suite lists and ignores is a matter of its backends, not of what is up today.
        for variable in ["SESSILE_TEST_LOCAL", "SESSILE_TEST_BUCKET"] {
            command.env_remove(variable);
        }
        command
    }

    fn answer(&self, arguments: &[&str], soak: bool) -> anyhow::Result<String> {
        let report = cargo::captured(self.command(arguments, soak))?;
        if !report.passed {
            let name = self.executable.display();
            bail!("{name} does not answer {arguments:?}: {}", report.text.trim_end());
        }
        Ok(report.text)
    }
}

/// Reads a listing; a line that is no case is an error, so that none gets lost.
fn listed(listing: &str) -> anyhow::Result<Vec<Case>> {
    let lines = listing.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            line.strip_suffix(": test").and_then(case).with_context(|| {
                format!("`{line}` is no case: expected `[tag,tag] backend/group/case: test`")
            })
        })
        .collect()
}

/// Reads what a suite says of the cases that it ignores; one that ran is an error.
fn refusals(said: &str) -> anyhow::Result<Vec<Ignored>> {
    let lines = said.lines().filter(|line| line.starts_with("test ["));
    lines
        .map(|line| refusal(line).with_context(|| format!("`{line}` tells of no ignored case")))
        .collect()
}

fn refusal(line: &str) -> Option<Ignored> {
    let (text, verdict) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let reason = verdict.strip_prefix("ignored (")?.strip_suffix(')')?;
    Some(Ignored { case: case(text.trim_end())?, reason: reason.to_owned() })
}

/// Reads `[tag,tag] backend/group/case`.
fn case(text: &str) -> Option<Case> {
    let (tags, name) = text.strip_prefix('[')?.split_once("] ")?;
    let (backend, name) = name.trim_start().split_once('/')?;
    let (group, rest) = name.split_once('/')?;
    let is_whole = tags.split(',').chain([backend, group, rest]).all(|part| !part.is_empty());
    is_whole.then(|| Case {
        backend: backend.to_owned(),
        name: name.to_owned(),
        tags: tags.split(',').map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_becomes_cases() {
        let cases =
            listed("[AppendIsAtomic,TORN-1] memory/append/all_or_nothing: test\n\n").unwrap();
        let expected = Case {
            backend: "memory".to_owned(),
            name: "append/all_or_nothing".to_owned(),
            tags: vec!["AppendIsAtomic".to_owned(), "TORN-1".to_owned()],
        };
        assert_eq!(cases, [expected]);
    }

    #[test]
    fn a_line_that_is_no_case_is_an_error() {
        for line in [
            "memory/append/untagged: test",
            "[] memory/append/untagged: test",
            "[a,] memory/append/half_tagged: test",
            "[a] memory/ungrouped: test",
            "[a] memory//nameless: test",
            "[a] memory/append/measured: bench",
            "noise",
        ] {
            let error = listed(line).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{line}` is no case")), "{error}");
        }
    }

    #[test]
    fn ignored_cases_are_read_with_their_reasons() {
        let said = "\nrunning 2 tests\n\
             test [Lacks,a/1] memory/lack/of_mask         ... ignored (it needs a mask)\n\
             test [Lacks]     memory/lack/of_purge_or_not ... ignored (it needs a purge)\n\n\
             test result: ok. 0 passed; 0 failed; 2 ignored; 0 measured\n";
        let ignored = refusals(said).unwrap();
        let told: Vec<_> = ignored.iter().map(|it| (&*it.case.name, &*it.reason)).collect();
        assert_eq!(
            told,
            [("lack/of_mask", "it needs a mask"), ("lack/of_purge_or_not", "it needs a purge")]
        );
        assert!(refusals("test [a] memory/append/x ... ok\n").is_err());
    }

    #[test]
    fn suites_are_found_by_name_and_kind() {
        let message = |name: &str, kind: &str, folder: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/w/{folder}/Cargo.toml",
                "target":{{"name":"{name}","kind":["{kind}"],"src_path":"/w/x.rs"}},
                "executable":"/t/{folder}-{name}"}}"#
            )
            .replace('\n', "")
        };
        let messages = [
            message("conformance", "test", "memory"),
            message("conformance", "lib", "suite"),
            message("other", "test", "fs"),
            message("conformance", "test", "fs"),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let suites = among(&messages.join("\n")).unwrap();
        let folders: Vec<_> = suites.iter().map(|suite| suite.folder.as_path()).collect();
        assert_eq!(folders, [Path::new("/w/fs"), Path::new("/w/memory")]);
    }
}
