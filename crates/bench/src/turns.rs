//! Contenders take turns, so that whatever else the machine does falls on all of them alike.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::ground::Ground;
use crate::record::Record;

/// Does so many operations and answers one figure for them, as a rule the median in microseconds.
pub(crate) type Turn = Box<dyn FnMut(usize) -> Result<f64>>;

type Make = dyn Fn(&Arc<Ground>, &Path) -> Result<Turn>;

/// A contender's name, and how to make it in an empty folder.
pub(crate) struct Entrant {
    pub(crate) name: &'static str,
    /// How many operations it does in a round; some are too slow for as many as the others do.
    operations: usize,
    /// How many it does where its costs are counted; none where they are not.
    pub(crate) counted: usize,
    make: Box<Make>,
}

impl Entrant {
    pub(crate) fn new(
        name: &'static str,
        operations: usize,
        make: impl Fn(&Arc<Ground>, &Path) -> Result<Turn> + 'static,
    ) -> Self {
        Self { name, operations, counted: 0, make: Box::new(make) }
    }

    /// Counts the costs too, over so many operations.
    pub(crate) fn counted(self, operations: usize) -> Self {
        Self { counted: operations, ..self }
    }

    pub(crate) fn make(&self, ground: &Arc<Ground>, home: &Path) -> Result<Turn> {
        (self.make)(ground, home).with_context(|| self.name)
    }
}

/// How long a workload goes on beginning rounds, once it has the least number of them: a machine
/// that others use may be ten times as slow, and a check has to end.
const BUDGET: Duration = Duration::from_secs(30);

/// The least number of rounds.
const ROUNDS: usize = 3;

/// A workload: who takes part, and how often.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// The most rounds.
    pub(crate) rounds: usize,
    pub(crate) entrants: Vec<Entrant>,
}

/// Runs a workload in rounds and prints what was measured.
///
/// All contenders stand ready before the first round.
pub(crate) fn rotate(ground: &Arc<Ground>, workload: &Workload) -> Result<()> {
    let homes = ground.folder()?;
    let mut running = Vec::new();
    for (index, entrant) in workload.entrants.iter().enumerate() {
        let home: PathBuf = homes.path().join(index.to_string());
        std::fs::create_dir(&home)?;
        running.push((entrant, entrant.make(ground, &home)?));
    }
    let begun = Instant::now();
    // The first turn of each warms up what is cold: caches, lazily made files, the branch tables.
    for round in 0..=workload.rounds {
        if round > ROUNDS && begun.elapsed() > BUDGET {
            break;
        }
        for index in order(running.len(), round) {
            let Some((entrant, turn)) = running.get_mut(index) else { continue };
            let value = turn(entrant.operations).with_context(|| entrant.name)?;
            if let Some(round) = round.checked_sub(1) {
                let (workload, contender) = (workload.name, entrant.name);
                Record::Value { workload, contender, round, value }.print()?;
            }
        }
    }
    Ok(())
}

/// The order of a round: it begins with another one each time, and goes backwards every second
/// time, so that nobody always follows the same neighbour.
fn order(contenders: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..contenders).collect();
    order.rotate_left(round.checked_rem(contenders).unwrap_or(0));
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// The median time of an operation, in microseconds. What an operation gives is dropped outside.
pub(crate) fn timed<T>(
    operations: usize,
    mut operation: impl FnMut(usize) -> Result<T>,
) -> Result<f64> {
    let mut times = Vec::with_capacity(operations);
    for index in 0..operations {
        let start = Instant::now();
        let given = operation(index)?;
        times.push(micros(start));
        drop(given);
    }
    median(times)
}

/// The same of operations that are awaited.
pub(crate) async fn timed_async<T>(
    operations: usize,
    mut operation: impl AsyncFnMut(usize) -> Result<T>,
) -> Result<f64> {
    let mut times = Vec::with_capacity(operations);
    for index in 0..operations {
        let start = Instant::now();
        let given = operation(index).await?;
        times.push(micros(start));
        drop(given);
    }
    median(times)
}

/// Microseconds since then.
pub(crate) fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// The one in the middle, or between the two that are.
pub(crate) fn median(mut values: Vec<f64>) -> Result<f64> {
    values.sort_by(f64::total_cmp);
    let upper = values.get(values.len() / 2).context("nothing was measured")?;
    let lower = values.get(values.len().saturating_sub(1) / 2).unwrap_or(upper);
    Ok(f64::midpoint(*lower, *upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_begins_a_round_and_ends_one() {
        let rounds: Vec<Vec<usize>> = (0..6).map(|round| order(3, round)).collect();
        assert_eq!(rounds[..3], [vec![0, 1, 2], vec![0, 2, 1], vec![2, 0, 1]]);
        for contender in 0..3 {
            assert!(rounds.iter().any(|it| it[0] == contender), "{rounds:?}");
            assert!(rounds.iter().any(|it| it[2] == contender), "{rounds:?}");
        }
    }

    #[test]
    fn the_median_lies_in_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]).unwrap() - 2.0).abs() < f64::EPSILON);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]).unwrap() - 2.5).abs() < f64::EPSILON);
        assert!(median(Vec::new()).is_err());
    }
}
