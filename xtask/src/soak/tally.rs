//! What runs say that they did, added up.

use std::collections::BTreeMap;

/// What is counted, as it stands after a number in what a test prints.
const COUNTED: &[&str] =
    &["seeds", "calls", "faults", "commits", "images", "kills", "executions", "requests"];

/// Sums of what was counted so far.
#[derive(Debug, Default)]
pub(super) struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    /// Adds what a run printed.
    pub(super) fn add(&mut self, printed: &str) {
        let words: Vec<&str> = printed
            .split(|sign: char| !sign.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            let [number, what] = pair else { continue };
            let Some(what) = COUNTED.iter().find(|it| *it == what) else { continue };
            if let Ok(number) = number.parse::<u64>() {
                *self.0.entry(what).or_default() += number;
            }
        }
    }

    /// The sums as a line; empty if nothing was counted.
    pub(super) fn told(&self) -> String {
        let sums: Vec<String> = COUNTED
            .iter()
            .filter_map(|what| self.0.get(what).map(|sum| format!("{sum} {what}")))
            .collect();
        sums.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_what_is_counted_are_added_up_in_one_order() {
        let mut tally = Tally::default();
        assert_eq!(tally.told(), "");
        tally.add("running 3 tests\n300 seeds: 10 calls, 6 faults, 3 commits\n12 images\n");
        tally.add("2 seeds: 7 faults of the filesystem\nseed 4: 5 commits\n");
        assert_eq!(tally.told(), "302 seeds, 10 calls, 13 faults, 8 commits, 12 images");
    }
}
