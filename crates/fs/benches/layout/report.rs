//! Prints tables that a page can take over as they are.
#![expect(clippy::print_stdout, reason = "a bench reports on its standard output")]

use std::time::Duration;

use super::Ground;
use super::device::Counters;
use super::rotation::{Plan, Repetition, Row};

pub(crate) fn heading(ground: &Ground) {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    println!("Linux {}, {processors} processors", kernel.trim_end());
    println!("{}", ground.device.filesystem);
    println!("lines of {} bytes on average", ground.messages.mean());
    println!("us: median; x: ratio to the first row, of medians and of totals");
    println!("KiB, writes, flushes: what the device was asked for, by operation");
}

pub(crate) fn table(title: &str, plan: Plan, rows: &[Row]) {
    let operations = plan.turns * plan.operations;
    println!("\n{title} ({} x {operations} operations)\n", plan.repetitions);
    println!("| {:<52} | us | x | lowest to highest | total x | KiB | writes | flushes |", "");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let Some(floor) = rows.first() else { return };
    for row in rows {
        println!("| {:<52} | {} |", row.name, Figures::of(row, floor).cells().join(" | "));
    }
}

/// A row's numbers: medians over its repetitions, and each ratio formed inside one.
struct Figures {
    micros: Vec<f64>,
    ratios: Vec<f64>,
    totals: Vec<f64>,
    kib: Vec<f64>,
    writes: Vec<f64>,
    flushes: Vec<f64>,
}

impl Figures {
    fn of(row: &Row, floor: &Row) -> Self {
        let own = |measure: fn(&Repetition) -> f64| row.repetitions.iter().map(measure).collect();
        let ratio = |measure: fn(&Repetition) -> f64| {
            let pairs = row.repetitions.iter().zip(&floor.repetitions);
            pairs.map(|(own, floor)| measure(own) / measure(floor)).collect()
        };
        let device = |measure: fn(Counters) -> f64| {
            row.repetitions.iter().filter_map(|it| it.by_operation(measure)).collect()
        };
        Self {
            micros: own(Repetition::middle),
            ratios: ratio(Repetition::middle),
            totals: ratio(Repetition::total),
            kib: device(|it| it.kib),
            writes: device(|it| it.writes),
            flushes: device(|it| it.flushes),
        }
    }

    fn cells(self) -> [String; 7] {
        let lowest = self.ratios.iter().copied().reduce(f64::min);
        let range = lowest.zip(self.ratios.iter().copied().reduce(f64::max));
        [
            cell(median(self.micros), 1),
            cell(median(self.ratios), 2),
            range.map_or_else(absent, |(low, high)| format!("{low:.2} to {high:.2}")),
            cell(median(self.totals), 2),
            cell(median(self.kib), 1),
            cell(median(self.writes), 2),
            cell(median(self.flushes), 2),
        ]
    }
}

impl Repetition {
    /// Microseconds of the operation in the middle.
    fn middle(&self) -> f64 {
        median(self.times.iter().map(Duration::as_secs_f64).collect()).unwrap_or(f64::NAN) * 1e6
    }

    fn total(&self) -> f64 {
        self.times.iter().sum::<Duration>().as_secs_f64()
    }

    fn by_operation(&self, measure: fn(Counters) -> f64) -> Option<f64> {
        let operations = u32::try_from(self.times.len()).ok().filter(|&count| count > 0)?;
        self.device.map(|device| measure(device) / f64::from(operations))
    }
}

fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(absent, |value| format!("{value:.decimals$}"))
}

fn absent() -> String {
    "n/a".to_owned()
}

/// The mean of the two in the middle, where their number is even.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get(values.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(lower, upper))
}
