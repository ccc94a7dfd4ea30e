//! The suite as a program: an integration test without a harness of its own.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Trial};

use crate::case::Case;
use crate::cases::{cases, sessions};
use crate::failed::Failed;
use crate::fixture::Fixture;
use crate::trial::{self, Offer};

/// Runs the suite as `cargo test` expects it, with the usual arguments.
///
/// Each case is one trial, listed as `[tag,tag] backend/group/case: test`. What does not apply is
/// ignored by name.
pub fn main(backend: &str, fixture: impl Fixture + 'static) -> ExitCode {
    let fixture: Arc<dyn Fixture> = Arc::new(fixture);
    // A fixture that can't even tell what it offers fails in every case, each saying why.
    let offer = Offer::of(Arc::clone(&fixture)).ok();
    let all = cases().chain(sessions());
    let trials = all.map(|case| trial(backend, case, offer.as_ref(), &fixture));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn trial(
    backend: &str,
    case: &'static Case,
    offer: Option<&Offer>,
    fixture: &Arc<dyn Fixture>,
) -> Trial {
    let refusal = offer.and_then(|offer| offer.refusal(case));
    let (fixture, is_ignored) = (Arc::clone(fixture), refusal.is_some());
    let run = move || match refusal {
        // Whoever asks for ignored trials is told why this one is.
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => trial::run(case, fixture)
            .map(|()| Completion::Completed)
            .map_err(|failed: Failed| failed.into()),
    };
    Trial::ignorable_test(format!("{backend}/{}", case.name), run)
        .with_kind(case.tags.join(","))
        .with_ignored_flag(is_ignored)
}
