//! What a check says: findings, each with its place, and whether the check passed.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

/// Whether a finding fails the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Refused,
    Warned,
}

/// One thing that is wrong, where, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Relative to the root of the workspace.
    path: PathBuf,
    /// Counted from one; `None` when the finding is about the whole file.
    line: Option<usize>,
    severity: Severity,
    text: String,
}

impl Finding {
    /// A finding about one line.
    pub(crate) fn at(path: &Path, line: usize, text: impl Into<String>) -> Self {
        let severity = Severity::Refused;
        Self { path: path.to_path_buf(), line: Some(line), severity, text: text.into() }
    }

    /// A finding about a whole file.
    pub(crate) fn about(path: &Path, text: impl Into<String>) -> Self {
        let severity = Severity::Refused;
        Self { path: path.to_path_buf(), line: None, severity, text: text.into() }
    }

    /// The same finding as a warning: it is printed, and the check still passes.
    pub(crate) fn warned(self) -> Self {
        Self { severity: Severity::Warned, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(out, "{line}:")?;
        }
        if self.severity == Severity::Warned {
            write!(out, " warning:")?;
        }
        write!(out, " {}", self.text)
    }
}

/// What a command has to say when it is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) passed: bool,
    /// Whole lines, each with its end.
    pub(crate) text: String,
}

impl Report {
    /// The findings, one a line, and below them a summary that starts with the name of the check.
    pub(crate) fn of(check: &str, covered: &str, findings: &[Finding]) -> Self {
        let refused =
            findings.iter().filter(|finding| finding.severity == Severity::Refused).count();
        let mut text = String::new();
        for finding in findings {
            // Writing to a `String` cannot fail.
            _ = writeln!(text, "{finding}");
        }
        _ = match refused {
            0 => writeln!(text, "{check}: ok, {covered}"),
            _ => writeln!(text, "{check}: {refused} refused, {covered}"),
        };
        Self { passed: refused == 0, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_shows_its_place_first() {
        let finding = Finding::at(Path::new("src/lib.rs"), 7, "names a ghost");
        assert_eq!(finding.to_string(), "src/lib.rs:7: names a ghost");
        let finding = Finding::about(Path::new("src/lib.rs"), "is long").warned();
        assert_eq!(finding.to_string(), "src/lib.rs: warning: is long");
    }

    #[test]
    fn one_refusal_fails_the_check_and_a_warning_does_not() {
        let warning = Finding::about(Path::new("a.rs"), "is long").warned();
        let refusal = Finding::about(Path::new("b.rs"), "is longer");
        assert!(Report::of("tidy", "2 files", &[]).passed);
        assert!(Report::of("tidy", "2 files", std::slice::from_ref(&warning)).passed);
        let report = Report::of("tidy", "2 files", &[warning, refusal]);
        assert!(!report.passed);
        assert!(report.text.ends_with("tidy: 1 refused, 2 files\n"), "{}", report.text);
    }
}
