//! What was measured, as lines of JSON on standard output for `cargo xtask bench` to read.

use anyhow::Result;
use serde::Serialize;

/// One line.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Record<'a> {
    /// The machine and what runs on it; the first line.
    Machine { facts: Vec<(&'static str, String)> },
    /// What a contender took in one round: microseconds, unless the workload counts something
    /// else. Rounds of equal number belong together.
    Value { workload: &'static str, contender: &'a str, round: usize, value: f64 },
    /// What one operation of a contender costs.
    Costs { workload: &'static str, contender: &'a str, costs: Costs },
}

/// What an operation costs, counted in a process of its own.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Costs {
    /// Calls of `fdatasync`, `fsync` and the like; absent where nothing counts them.
    pub(crate) flushes: Option<f64>,
    /// Calls of the kernel, in all threads.
    pub(crate) syscalls: Option<f64>,
    /// Given to calls that write.
    pub(crate) bytes_written: Option<f64>,
    /// Taken from calls that read.
    pub(crate) bytes_read: Option<f64>,
    /// The most memory that the process had, above one that did nothing.
    pub(crate) peak_mib: Option<f64>,
}

impl Record<'_> {
    /// Prints the line.
    #[expect(clippy::print_stdout, reason = "the lines are the answer")]
    pub(crate) fn print(&self) -> Result<()> {
        println!("{}", serde_json::to_string(self)?);
        Ok(())
    }
}
