//! What an operation costs: counted in processes of their own, as the difference between doing it
//! so often and twice as often, so that whatever it takes to get ready falls out.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};

use crate::ground::Ground;
use crate::record::{Costs, Record};
use crate::turns::Workload;

/// The word that makes this program a child that is counted.
pub(crate) const CHILD: &str = "child";

/// Calls that make data durable.
const FLUSHES: &[&str] = &["fdatasync", "fsync", "syncfs", "sync_file_range", "msync"];

/// What a child has seen of itself.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    bytes_written: f64,
    bytes_read: f64,
    peak_mib: f64,
}

/// Counts the costs of all contenders of a workload that want them counted.
pub(crate) fn count(ground: &Arc<Ground>, workload: &Workload) -> Result<()> {
    let idle = run_child(ground, &[workload.name, "", "0"], None)?;
    for entrant in workload.entrants.iter().filter(|entrant| entrant.counted > 0) {
        let (once, twice) = (entrant.counted.to_string(), (entrant.counted * 2).to_string());
        let arguments = |operations| [workload.name, entrant.name, operations];
        let (less, more) = (
            run_child(ground, &arguments(&once), None)?,
            run_child(ground, &arguments(&twice), None)?,
        );
        let operations = f64::from(u32::try_from(entrant.counted)?);
        let mut costs = Costs {
            bytes_written: Some((more.bytes_written - less.bytes_written) / operations),
            bytes_read: Some((more.bytes_read - less.bytes_read) / operations),
            peak_mib: Some((more.peak_mib - idle.peak_mib).max(0.0)),
            ..Costs::default()
        };
        if let (Some(less), Some(more)) =
            (calls(ground, &arguments(&once))?, calls(ground, &arguments(&twice))?)
        {
            let of = |names: &BTreeMap<String, f64>, flush: bool| -> f64 {
                let counted =
                    names.iter().filter(|(name, _)| !flush || FLUSHES.contains(&&***name));
                counted.map(|(_, calls)| calls).sum()
            };
            costs.flushes = Some((of(&more, true) - of(&less, true)) / operations);
            costs.syscalls = Some((of(&more, false) - of(&less, false)) / operations);
        }
        let (workload, contender) = (workload.name, entrant.name);
        Record::Costs { workload, contender, costs }.print()?;
    }
    Ok(())
}

/// The calls of a child by name; none where there is no `strace`.
fn calls(ground: &Ground, arguments: &[&str]) -> Result<Option<BTreeMap<String, f64>>> {
    let folder = ground.folder()?;
    let report = folder.path().join("calls");
    match run_child(ground, arguments, Some(&report)) {
        Err(error) if is_missing(&error) => return Ok(None),
        other => other?,
    };
    let text = std::fs::read_to_string(&report)?;
    // `% time, seconds, usecs/call, calls, [errors,] name`, between a head and a total.
    let rows = text.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let name = (*fields.last()?).to_owned();
        let calls = fields.get(3)?.parse().ok()?;
        (name != "total").then_some((name, calls))
    });
    Ok(Some(rows.collect()))
}

fn is_missing(error: &anyhow::Error) -> bool {
    let found = error.downcast_ref::<std::io::Error>();
    found.is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn run_child(ground: &Ground, arguments: &[&str], report: Option<&Path>) -> Result<Seen> {
    let own = env::current_exe()?;
    let mut command = match report {
        None => Command::new(own),
        Some(report) => {
            let mut command = Command::new("strace");
            command.args(["-f", "-c", "-o"]).arg(report).arg(own);
            command
        }
    };
    command.arg(CHILD).args(arguments).arg(ground.directory()).stderr(Stdio::inherit());
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "a child failed: {arguments:?}");
    let mut fields = said.split_whitespace().map(str::parse);
    let mut next = || Ok::<f64, anyhow::Error>(fields.next().context("a child broke off")??);
    Ok(Seen { bytes_written: next()?, bytes_read: next()?, peak_mib: next()? })
}

/// Runs a contender in this process, which is a child, and says what it cost.
#[expect(clippy::print_stdout, reason = "the child tells its parent")]
pub(crate) fn be_child(
    ground: &Arc<Ground>,
    workload: &Workload,
    contender: &str,
    operations: usize,
) -> Result<()> {
    let home = ground.folder()?;
    if let Some(entrant) = workload.entrants.iter().find(|entrant| entrant.name == contender) {
        entrant.make(ground, home.path())?(operations)?;
    }
    let io = |name| field("/proc/self/io", name);
    println!("{} {} {}", io("wchar:")?, io("rchar:")?, peak_mib()?);
    Ok(())
}

/// The most memory that this process had so far.
pub(crate) fn peak_mib() -> Result<f64> {
    Ok(field("/proc/self/status", "VmHWM:")? / 1024.0)
}

fn field(path: &str, name: &str) -> Result<f64> {
    let text = std::fs::read_to_string(path)?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line.and_then(|line| line.split_whitespace().next());
    Ok(value.with_context(|| format!("{path} lacks {name}"))?.parse()?)
}
