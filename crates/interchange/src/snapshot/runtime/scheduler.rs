//! Where a scheduler is.

use sessile_core::Error;

use crate::json::{JsonText, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names};
use crate::snapshot::progress::{Phases, Progress};

const PLACE: &str = "loop.scheduler";

/// Refuses a scheduler that does not fit the loop it stands in; a loop without one fits.
///
/// Its counters (`turn_count`, `index`, `round_in_phase`, `rounds_run`, each at most 2^63 - 1) must
/// be those of the loop where both have them, and whoever is `pending` must be on the roster. What
/// else it holds is refused.
///
/// # Errors
/// [`ErrorKind::Corrupt`](sessile_core::ErrorKind::Corrupt) that names the part that does not fit,
/// and the two ways out.
pub fn check_scheduler(progress: &Progress, roster: &[JsonText]) -> Result<(), Error> {
    check(progress, roster).map_err(Fault::when_read)
}

fn check(progress: &Progress, roster: &[JsonText]) -> Result<(), Fault> {
    let Some(scheduler) = &progress.scheduler else { return Ok(()) };
    let value = Value::Object(scheduler.clone());
    let optional = &["turn_count", "index", "round_in_phase", "rounds_run", "pending"];
    let fields = Fields::of(&value, PLACE, Names { required: &[], optional })?;
    let phase = |of: fn(&Phases) -> Option<u64>| progress.phases.as_ref().and_then(of);
    let counters = [
        ("turn_count", progress.turn_count),
        ("index", phase(|it| it.index)),
        ("round_in_phase", phase(|it| it.round_in_phase)),
        ("rounds_run", phase(|it| it.rounds_run)),
    ];
    for (name, outer) in counters {
        let inner = fields.maybe_count(name)?;
        if inner.zip(outer).is_some_and(|(inner, outer)| inner != outer) {
            return Err(Fault::new(format!("{PLACE}.{name} is not that of the loop")));
        }
    }
    if fields.present("pending").is_some() && !roster.contains(&fields.text("pending")?) {
        return Err(Fault::new(format!("{PLACE}.pending is no participant")));
    }
    Ok(())
}
