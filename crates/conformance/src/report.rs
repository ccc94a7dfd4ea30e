//! The suite as a function: each case with what came of it.

use std::sync::Arc;

use crate::case::Case;
use crate::failed::Failed;
use crate::fixture::Fixture;
use crate::trial::{self, Offer};

/// What came of a case.
///
/// # Examples
/// ```
/// use sessile_conformance::broken::SPECIMENS;
/// use sessile_conformance::{Verdict, cases, run_all};
///
/// # fn main() -> Result<(), sessile_conformance::Failed> {
/// let backend = SPECIMENS.iter().find(|it| it.name == "lists_backwards").expect("it is one");
/// let listing = cases().filter(|case| case.name.starts_with("list/"));
/// // For a report of one's own: what is wrong is told apart from what was not tried.
/// let mut report = Vec::new();
/// for (case, verdict) in run_all(&(backend.fixture)(), listing)? {
///     match verdict {
///         Verdict::Passed => {}
///         Verdict::Failed(why) => report.push(format!("{} fails: {why}", case.name)),
///         Verdict::Ignored(why) => report.push(format!("{} was not tried: {why}", case.name)),
///     }
/// }
/// let first = "list/is_in_the_order_of_ids fails: ";
/// assert!(report.iter().any(|line| line.starts_with(first)), "{report:?}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It held.
    Passed,
    /// It did not hold, or the case panicked or hung.
    Failed(Failed),
    /// It did not run, and why.
    Ignored(String),
}

/// Runs cases, each on a place of its own.
///
/// # Errors
/// Whatever keeps the fixture from telling what its backend offers.
pub fn run_all(
    fixture: &Arc<dyn Fixture>,
    cases: impl IntoIterator<Item = &'static Case>,
) -> Result<Vec<(&'static Case, Verdict)>, Failed> {
    let offer = Offer::of(Arc::clone(fixture))?;
    let verdict = |case: &Case| match offer.refusal(case) {
        Some(reason) => Verdict::Ignored(reason),
        None => match trial::run(case, Arc::clone(fixture)) {
            Ok(()) => Verdict::Passed,
            Err(failed) => Verdict::Failed(failed),
        },
    };
    Ok(cases.into_iter().map(|case| (case, verdict(case))).collect())
}
