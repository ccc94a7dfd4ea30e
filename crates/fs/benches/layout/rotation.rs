//! Contenders take turns, so that whatever else the machine does falls on all of them alike.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, Instant};

use super::Ground;
use super::device::Counters;

/// One layout, with the files it works on.
pub(crate) trait Contender {
    /// What must happen before an operation without being part of it.
    fn prepare(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// The operation whose time counts, the `index`-th of this repetition.
    fn operate(&mut self, index: usize) -> io::Result<()>;
}

/// A contender's name, and how to make it anew in an empty directory.
pub(crate) struct Entrant {
    name: &'static str,
    make: Box<Make>,
}

type Make = dyn Fn(&Ground, &Path) -> io::Result<Box<dyn Contender>>;

impl Entrant {
    pub(crate) fn new<C: Contender + 'static>(
        name: &'static str,
        make: impl Fn(&Ground, &Path) -> io::Result<C> + 'static,
    ) -> Self {
        Self { name, make: Box::new(move |ground, home| Ok(Box::new(make(ground, home)?))) }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) repetitions: usize,
    /// Turns that each contender gets in a repetition.
    pub(crate) turns: usize,
    /// Operations in one turn.
    pub(crate) operations: usize,
}

/// What one contender did in one repetition.
pub(crate) struct Repetition {
    pub(crate) times: Vec<Duration>,
    /// Absent where the device tells nothing.
    pub(crate) device: Option<Counters>,
}

/// A contender's repetitions, in order; none if the filesystem refuses what it does.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) repetitions: Vec<Repetition>,
}

pub(crate) fn rotate(plan: Plan, ground: &Ground, entrants: &[Entrant]) -> io::Result<Vec<Row>> {
    let mut rows: Vec<Row> =
        entrants.iter().map(|it| Row { name: it.name, repetitions: Vec::new() }).collect();
    for number in 0..plan.repetitions {
        let results = repeat(plan, ground, entrants, number)?;
        for (row, result) in rows.iter_mut().zip(results) {
            row.repetitions.extend(result);
        }
    }
    Ok(rows)
}

/// One repetition, on new files. Every other one goes backwards, so that nobody always follows
/// the same neighbour and what that one left for the disk to do.
fn repeat(
    plan: Plan,
    ground: &Ground,
    entrants: &[Entrant],
    number: usize,
) -> io::Result<Vec<Option<Repetition>>> {
    let homes = tempfile::tempdir_in(&ground.directory)?;
    let mut running = Vec::new();
    for (index, entrant) in entrants.iter().enumerate() {
        let home = homes.path().join(index.to_string());
        std::fs::create_dir(&home)?;
        let times = Vec::with_capacity(plan.turns * plan.operations);
        let device = Some(Counters::default());
        running.push(((entrant.make)(ground, &home)?, Some(Repetition { times, device })));
    }
    let mut order: Vec<usize> = (0..running.len()).collect();
    if number % 2 == 1 {
        order.reverse();
    }
    for _ in 0..plan.turns {
        for &index in &order {
            let Some((contender, result)) = running.get_mut(index) else {
                continue;
            };
            let Some(repetition) = result else { continue };
            match turn(plan, ground, contender.as_mut(), repetition) {
                Err(error) if error.kind() == ErrorKind::Unsupported => *result = None,
                done => done?,
            }
        }
        order.rotate_left(1);
    }
    Ok(running.into_iter().map(|(_, result)| result).collect())
}

fn turn(
    plan: Plan,
    ground: &Ground,
    contender: &mut dyn Contender,
    repetition: &mut Repetition,
) -> io::Result<()> {
    let before = ground.device.counters();
    let first = repetition.times.len();
    for index in first..first + plan.operations {
        contender.prepare()?;
        let start = Instant::now();
        contender.operate(index)?;
        repetition.times.push(start.elapsed());
    }
    let during = ground.device.counters().zip(before).map(|(after, before)| after - before);
    repetition.device = repetition.device.zip(during).map(|(sum, during)| sum + during);
    Ok(())
}
