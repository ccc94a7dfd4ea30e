//! `cargo xtask test --list`: which case checks what, on which backend.
//!
//! A backend's suite is an integration test named `conformance` that lists its cases as
//! `[tag,tag] backend/group/case: test`. Nothing here runs a case.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::cargo::{self, Target};
use crate::report::Report;

/// The name of the integration test in which a backend runs the suite.
const SUITE: &str = "conformance";

/// Builds the tests and prints one row for each conformance case.
pub(super) fn cases(arguments: &[&str]) -> anyhow::Result<Report> {
    let output = cargo::command(&["test", "--no-run", "--message-format=json-render-diagnostics"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo test")?;
    if !output.status.success() {
        return Ok(Report { passed: false, text: "the tests do not build\n".to_owned() });
    }
    let mut rows = Vec::new();
    for suite in suites(&String::from_utf8_lossy(&output.stdout))? {
        let listing = listing(&suite)?;
        rows.extend(parse(&listing).with_context(|| suite.executable.display().to_string())?);
    }
    let text = if rows.is_empty() {
        format!("no conformance cases: no package has a test named `{SUITE}` that lists one\n")
    } else {
        table(&rows)
    };
    Ok(Report { passed: true, text })
}

/// A conformance case of one backend.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    backend: String,
    /// `group/case`.
    case: String,
    tags: String,
}

/// A suite that was built.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Suite {
    /// The folder of its package, in which cargo would run it.
    folder: PathBuf,
    executable: PathBuf,
}

/// The suites among the JSON messages of a build, in the order of their packages' folders.
fn suites(messages: &str) -> anyhow::Result<Vec<Suite>> {
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

/// What the suite prints when asked for its cases.
fn listing(suite: &Suite) -> anyhow::Result<String> {
    let mut command = Command::new(&suite.executable);
    command.arg("--list").current_dir(&suite.folder);
    let report = cargo::captured(command)?;
    if !report.passed {
        bail!("{} cannot list its cases: {}", suite.executable.display(), report.text.trim_end());
    }
    Ok(report.text)
}

/// Reads a listing; a line that is no case is an error, so that none gets lost.
fn parse(listing: &str) -> anyhow::Result<Vec<Row>> {
    let lines = listing.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            row(line).with_context(|| {
                format!("`{line}` is no case: expected `[tag,tag] backend/group/case: test`")
            })
        })
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let (tags, name) = line.strip_prefix('[')?.strip_suffix(": test")?.split_once("] ")?;
    let (backend, case) = name.split_once('/')?;
    let (group, rest) = case.split_once('/')?;
    let is_whole = tags.split(',').chain([backend, group, rest]).all(|part| !part.is_empty());
    is_whole.then(|| Row {
        backend: backend.to_owned(),
        case: case.to_owned(),
        tags: tags.replace(',', " "),
    })
}

/// The rows below each other in columns, and how many there are.
fn table(rows: &[Row]) -> String {
    let width = |cell: fn(&Row) -> &str| rows.iter().map(|row| cell(row).len()).max().unwrap_or(0);
    let backend_width = width(|row| &row.backend);
    let case_width = width(|row| &row.case);
    let mut backends: Vec<&str> = rows.iter().map(|row| row.backend.as_str()).collect();
    backends.sort_unstable();
    backends.dedup();
    let mut text = String::new();
    for Row { backend, case, tags } in rows {
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "{backend:backend_width$}  {case:case_width$}  {tags}");
    }
    _ = writeln!(text, "cases: {}; backends: {}", rows.len(), backends.len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_becomes_rows() {
        let rows = parse(
            "[AppendIsAtomic,TORN-1] memory/append/all_or_nothing: test\n\
             [records/22] fs/documents/swap: test\n\n",
        )
        .unwrap();
        let expected = "\
memory  append/all_or_nothing  AppendIsAtomic TORN-1
fs      documents/swap         records/22
cases: 2; backends: 2
";
        assert_eq!(table(&rows), expected);
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
            let error = parse(line).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{line}` is no case")), "{error}");
        }
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
        let suites = suites(&messages.join("\n")).unwrap();
        let folders: Vec<_> = suites.iter().map(|suite| suite.folder.as_path()).collect();
        assert_eq!(folders, [Path::new("/w/fs"), Path::new("/w/memory")]);
    }
}
