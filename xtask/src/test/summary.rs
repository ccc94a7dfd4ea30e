//! What `cargo test` says it ran, added up from the result line of each test binary.

use std::fmt;

/// The sum over all result lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// Binaries that hold a selected test; the doc examples of a crate count as one.
    binaries: usize,
}

impl Summary {
    /// Takes in a line of output; only a result line changes anything.
    pub(super) fn add(&mut self, line: &str) {
        let Some((passed, failed, ignored)) = counts(line) else {
            return;
        };
        self.passed += passed;
        self.failed += failed;
        self.ignored += ignored;
        self.binaries += usize::from(passed + failed + ignored > 0);
    }

    /// Whether no test ran.
    pub(super) fn is_empty(&self) -> bool {
        self.passed + self.failed == 0
    }

    /// Whether at least one test ran, and none failed.
    pub(super) fn is_success(&self) -> bool {
        !self.is_empty() && self.failed == 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, ignored, binaries } = self;
        let total = passed + failed + ignored;
        write!(
            out,
            "{passed} passed, {failed} failed, {ignored} ignored, {total} in all; binaries: {binaries}"
        )
    }
}

/// Passed, failed and ignored of a line like
/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; ...`.
fn counts(line: &str) -> Option<(usize, usize, usize)> {
    // The verdict between the two marks may be coloured.
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = counts.split("; ");
    let mut next = |what: &str| counts.next()?.strip_suffix(what)?.trim_end().parse().ok();
    Some((next("passed")?, next("failed")?, next("ignored")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered \
                          out; finished in 0.00s\n";
    const FAILURE: &str = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 9 \
                           filtered out; finished in 0.00s\n";
    const EMPTY: &str = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered \
                         out; finished in 0.00s\n";

    fn sum(lines: &[&str]) -> Summary {
        let mut summary = Summary::default();
        for line in lines {
            summary.add(line);
        }
        summary
    }

    #[test]
    fn result_lines_add_up() {
        let summary = sum(&[RESULT, "running 3 tests\n", FAILURE, EMPTY]);
        assert_eq!(summary.to_string(), "4 passed, 2 failed, 1 ignored, 7 in all; binaries: 2");
    }

    #[test]
    fn a_coloured_verdict_counts() {
        let line = RESULT.replace("ok", "\u{1b}[32mok\u{1b}[0m");
        assert_eq!(sum(&[&line]), sum(&[RESULT]));
    }

    #[test]
    fn other_lines_count_for_nothing() {
        let lines = ["test a ... ok\n", "test result: ok\n", "test result: ok. x passed; 1\n", ""];
        assert_eq!(sum(&lines), Summary::default());
    }

    #[test]
    fn success_needs_a_test_that_ran() {
        assert!(sum(&[RESULT]).is_success());
        assert!(!sum(&[EMPTY]).is_success());
        assert!(!sum(&[]).is_success());
        assert!(!sum(&[RESULT, FAILURE]).is_success());
    }
}
