//! The suite as a program: an integration test without a harness of its own.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Trial};

use crate::case::Case;
use crate::cases::{cases, sessions};
use crate::failed::Failed;
use crate::fixture::Fixture;
use crate::trial::{self, Offer};

/// Where this is set, nothing runs: each capability that the backend declares is printed on a line.
const TELLS: &str = "SESSILE_CAPABILITIES";

/// Runs the suite as `cargo test` expects it, with the usual arguments.
///
/// Each case is one trial, listed as `[tag,tag] backend/group/case: test`. What does not apply is
/// ignored by name. Where `SESSILE_CAPABILITIES` is set, the capabilities that the backend declares
/// are printed instead, one a line.
pub fn main(backend: &str, fixture: impl Fixture + 'static) -> ExitCode {
    let fixture: Arc<dyn Fixture> = Arc::new(fixture);
    let arguments = Arguments::from_args();
    let offer = Offer::of(Arc::clone(&fixture));
    match &offer {
        Ok(offer) if std::env::var_os(TELLS).is_some() => {
            let told = io::stdout().write_all(offer.capabilities().as_bytes());
            return if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        // Whoever asks what is ignored would else be told that everything applies.
        Err(failed) if arguments.ignored => {
            // Without it there is still the exit status.
            _ = writeln!(io::stderr(), "{failed}");
            return ExitCode::FAILURE;
        }
        _ => {}
    }
    // A fixture that can't even tell what it offers fails in every case, each saying why.
    let offer = offer.ok();
    let all = cases().chain(sessions());
    let trials = all.map(|case| trial(backend, case, offer.as_ref(), &fixture));
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
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
