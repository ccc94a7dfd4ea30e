//! What ran so far, part by part, and what did not.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::bounded::Ended;
use super::tally::Tally;
use crate::report::Report;

/// What became of the runs of a part.
#[derive(Debug, Default)]
struct Part {
    name: String,
    ended: usize,
    failed: usize,
    cut: usize,
    /// How many were left when its time was over.
    not_begun: usize,
    took: Duration,
}

/// What ran so far.
#[derive(Debug, Default)]
pub(super) struct Course {
    parts: Vec<Part>,
    tally: Tally,
    failures: Vec<(String, String)>,
}

impl Course {
    /// Begins a part: what runs from here on is of it.
    pub(super) fn begin(&mut self, name: &str) {
        println!("-- {name}");
        self.parts.push(Part { name: name.to_owned(), ..Part::default() });
    }

    /// Runs something of the part, and prints how it ended.
    pub(super) fn note(
        &mut self,
        what: &str,
        hint: &str,
        run: impl FnOnce() -> anyhow::Result<Ended>,
    ) {
        let begun = Instant::now();
        let ended = run().unwrap_or_else(|error| {
            let text = format!("{error:#}\n");
            Ended::Itself(Report { passed: false, text })
        });
        let took = begun.elapsed();
        let verdict = match &ended {
            Ended::Itself(Report { passed: true, .. }) => "ok",
            Ended::Itself(_) => "FAILED",
            Ended::Cut(_) => "cut",
        };
        println!("{verdict:6}  {:7.1} s  {what}", took.as_secs_f64());
        let Some(part) = self.parts.last_mut() else { return };
        part.took += took;
        match ended {
            Ended::Itself(Report { passed, text }) => {
                part.ended += 1;
                self.tally.add(&text);
                if !passed {
                    part.failed += 1;
                    self.failures.push((what.to_owned(), format!("{}\n{hint}", text.trim_end())));
                }
            }
            // What it printed is not counted: it did not say that it was well.
            Ended::Cut(_) => part.cut += 1,
        }
    }

    /// The time of the part is over, and so many of its runs were never begun.
    pub(super) fn leave_out(&mut self, count: usize) {
        if let Some(part) = self.parts.last_mut() {
            part.not_begun += count;
        }
    }

    /// What is told in the end. A part of which nothing ran to its end has shown nothing, and so
    /// fails the whole.
    pub(super) fn conclude(self) -> Report {
        let mut text = String::new();
        for (what, output) in &self.failures {
            // Writing to a `String` cannot fail.
            _ = writeln!(text, "\n---- {what} ----\n{}", output.trim_end());
        }
        let (mut runs, mut left, mut empty) = (0, 0, 0);
        for part in &self.parts {
            _ = writeln!(text, "{}", part.told());
            runs += part.ended;
            left += part.cut + part.not_begun;
            empty += usize::from(part.ended == 0);
        }
        let told = self.tally.told();
        if !told.is_empty() {
            _ = writeln!(text, "{told}");
        }
        let failed = self.failures.len();
        let passed = failed == 0 && empty == 0 && runs > 0;
        let verdict = if passed { "ok" } else { "FAILED" };
        _ = write!(text, "soak: {verdict}, {failed} of {runs} runs failed");
        if left > 0 {
            _ = write!(text, ", {left} were cut short or not begun");
        }
        if empty > 0 {
            _ = write!(text, ", {empty} parts show nothing: give it more minutes");
        }
        text.push('\n');
        Report { passed, text }
    }
}

impl Part {
    fn told(&self) -> String {
        let Self { name, ended, failed, cut, not_begun, took } = self;
        let verdict = match (*failed, *ended) {
            (0, 0) => "NOTHING",
            (0, _) => "ok",
            _ => "FAILED",
        };
        let seconds = took.as_secs();
        let mut told = format!("{verdict:7} {seconds:5} s  {name}: {ended} ended");
        for (count, what) in [(failed, "failed"), (cut, "cut short"), (not_begun, "not begun")] {
            if *count > 0 {
                // Writing to a `String` cannot fail.
                _ = write!(told, ", {count} {what}");
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(passed: bool, text: &str) -> Ended {
        Ended::Itself(Report { passed, text: text.to_owned() })
    }

    #[test]
    fn a_failure_is_shown_with_the_way_to_take_it_again() {
        let mut course = Course::default();
        course.begin("first");
        course.note("a", "again: x", || Ok(ended(true, "")));
        course.note("b", "again: y", || Ok(ended(false, "seed 7\n")));
        let report = course.conclude();
        assert!(!report.passed);
        let told = "\n---- b ----\nseed 7\nagain: y\n\
            FAILED      0 s  first: 2 ended, 1 failed\nsoak: FAILED, 1 of 2 runs failed\n";
        assert_eq!(report.text, told);
        assert!(!Course::default().conclude().passed, "nothing ran");
    }

    #[test]
    fn what_was_cut_short_or_not_begun_is_told_and_counts_for_nothing() {
        let mut course = Course::default();
        course.begin("first");
        course.note("a", "", || Ok(ended(true, "3 seeds")));
        course.note("b", "", || Ok(Ended::Cut("5 seeds".to_owned())));
        course.leave_out(4);
        let report = course.conclude();
        assert!(report.passed);
        let told = "ok          0 s  first: 1 ended, 1 cut short, 4 not begun\n3 seeds\n\
            soak: ok, 0 of 1 runs failed, 5 were cut short or not begun\n";
        assert_eq!(report.text, told);
    }

    #[test]
    fn a_part_of_which_nothing_ended_fails_the_whole() {
        let mut course = Course::default();
        course.begin("first");
        course.note("a", "", || Ok(ended(true, "")));
        course.begin("second");
        course.note("b", "", || Ok(Ended::Cut(String::new())));
        let report = course.conclude();
        assert!(!report.passed);
        let last = "NOTHING     0 s  second: 0 ended, 1 cut short\nsoak: FAILED, 0 of 1 runs \
            failed, 1 were cut short or not begun, 1 parts show nothing: give it more minutes\n";
        assert!(report.text.ends_with(last), "{}", report.text);
    }
}
