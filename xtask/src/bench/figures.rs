//! What the bench has measured, and the ratios of it.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::Deserialize;

/// A line that the bench prints; `crates/bench/src/record.rs` writes it.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Record {
    Machine { facts: Vec<(String, String)> },
    Value { workload: String, contender: String, round: usize, value: f64 },
    Costs { workload: String, contender: String, costs: Costs },
}

/// What one operation of a contender costs; absent is what nothing has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Costs {
    pub(super) flushes: Option<f64>,
    pub(super) syscalls: Option<f64>,
    pub(super) bytes_written: Option<f64>,
    pub(super) bytes_read: Option<f64>,
    pub(super) peak_mib: Option<f64>,
}

/// A contender of a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Series {
    workload: String,
    pub(super) contender: String,
    /// By round.
    rounds: BTreeMap<usize, f64>,
    pub(super) costs: Option<Costs>,
}

/// The middle of some values, and how far they reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) lowest: f64,
    pub(super) highest: f64,
}

impl Spread {
    /// None of no values, or of one that is no number.
    pub(super) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let upper = *values.get(values.len() / 2)?;
        let lower = *values.get(values.len().checked_sub(1)? / 2)?;
        let (lowest, highest) = (*values.first()?, *values.last()?);
        let finite = lowest.is_finite() && highest.is_finite();
        finite.then(|| Self { median: f64::midpoint(lower, upper), lowest, highest })
    }
}

impl Series {
    fn take(&mut self, record: &Record) {
        match record {
            Record::Value { round, value, .. } => _ = self.rounds.insert(*round, *value),
            Record::Costs { costs, .. } => self.costs = Some(*costs),
            Record::Machine { .. } => {}
        }
    }

    pub(super) fn spread(&self) -> Option<Spread> {
        Spread::of(self.rounds.values().copied().collect())
    }

    pub(super) fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// How many times that of another one; each ratio is formed inside one round.
    pub(super) fn ratio(&self, other: &Self) -> Option<Spread> {
        let pairs = self.rounds.iter().filter_map(|(round, own)| {
            let other = other.rounds.get(round)?;
            Some(own / other)
        });
        Spread::of(pairs.collect())
    }
}

/// Everything that a run has measured.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) facts: Vec<(String, String)>,
    /// In the order in which contenders have shown themselves.
    series: Vec<Series>,
}

impl Figures {
    /// Takes in a line; answers the workload's name if it is the first of one.
    pub(super) fn take(&mut self, line: &str) -> anyhow::Result<Option<String>> {
        let record =
            serde_json::from_str(line).with_context(|| format!("the bench said {line}"))?;
        let (workload, contender) = match &record {
            Record::Machine { facts } => {
                self.facts.clone_from(facts);
                return Ok(None);
            }
            Record::Value { workload, contender, .. }
            | Record::Costs { workload, contender, .. } => (workload, contender),
        };
        let begun = self.of(workload).next().is_none().then(|| workload.clone());
        let known = self
            .series
            .iter_mut()
            .find(|it| it.workload == *workload && it.contender == *contender);
        if let Some(series) = known {
            series.take(&record);
        } else {
            let (workload, contender) = (workload.clone(), contender.clone());
            let mut series = Series { workload, contender, ..Series::default() };
            series.take(&record);
            self.series.push(series);
        }
        Ok(begun)
    }

    /// The contenders of a workload; none where it did not run.
    pub(super) fn of(&self, workload: &str) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(move |series| series.workload == workload)
    }

    pub(super) fn get(&self, workload: &str, contender: &str) -> Option<&Series> {
        self.of(workload).find(|series| series.contender == contender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(lines: &[&str]) -> Figures {
        let mut figures = Figures::default();
        for line in lines {
            figures.take(line).unwrap();
        }
        figures
    }

    #[test]
    fn a_ratio_is_formed_inside_a_round() {
        // The machine was twice as slow in the second round, for both.
        let figures = figures(&[
            r#"{"kind":"value","workload":"w","contender":"own","round":0,"value":1.0}"#,
            r#"{"kind":"value","workload":"w","contender":"floor","round":0,"value":2.0}"#,
            r#"{"kind":"value","workload":"w","contender":"floor","round":1,"value":4.0}"#,
            r#"{"kind":"value","workload":"w","contender":"own","round":1,"value":2.0}"#,
        ]);
        let own = figures.get("w", "own").unwrap();
        let ratio = own.ratio(figures.get("w", "floor").unwrap()).unwrap();
        assert_eq!(ratio, Spread { median: 0.5, lowest: 0.5, highest: 0.5 });
        assert_eq!(own.spread().unwrap(), Spread { median: 1.5, lowest: 1.0, highest: 2.0 });
    }

    #[test]
    fn costs_and_facts_are_kept_beside_the_values() {
        let mut figures = figures(&[
            r#"{"kind":"machine","facts":[["cores","2"]]}"#,
            r#"{"kind":"costs","workload":"w","contender":"own","costs":{"flushes":1.0,"syscalls":null,"bytes_written":2.0,"bytes_read":0.0,"peak_mib":null}}"#,
        ]);
        assert_eq!(figures.facts, [("cores".to_owned(), "2".to_owned())]);
        let costs = figures.get("w", "own").unwrap().costs.unwrap();
        assert_eq!((costs.flushes, costs.syscalls), (Some(1.0), None));
        assert_eq!(figures.get("w", "own").unwrap().spread(), None);
        let line = r#"{"kind":"value","workload":"x","contender":"own","round":0,"value":1.0}"#;
        assert_eq!(figures.take(line).unwrap().as_deref(), Some("x"));
        assert_eq!(figures.take(line).unwrap(), None);
    }

    #[test]
    fn what_is_no_record_is_an_error() {
        assert!(Figures::default().take("error: no").is_err());
    }

    #[test]
    fn what_is_no_number_has_no_spread() {
        assert_eq!(Spread::of(Vec::new()), None);
        assert_eq!(Spread::of(vec![1.0, f64::NAN]), None);
        assert_eq!(Spread::of(vec![1.0, f64::INFINITY]), None);
    }
}
