//! The suite as a program: an integration test without a harness of its own.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Trial};

use crate::case::Case;
use crate::cases::all;
use crate::failed::Failed;
use crate::fixture::Fixture;
use crate::trial::{self, Offer};

/// Where this is set, nothing runs: each capability that the backend declares is printed on a line.
const TELLS: &str = "SESSILE_CAPABILITIES";

/// Runs the suite as `cargo test` expects it, with the usual arguments.
///
/// Each case is one trial, listed as `[tag,tag] backend/group/case: test`. What does not apply is
/// ignored by name. Where `SESSILE_CAPABILITIES` is set, the capabilities that the backend declares
/// are printed instead, each on a line after the backend's name.
pub fn main(backend: &str, fixture: impl Fixture + 'static) -> ExitCode {
    main_of([Suite::of(backend, fixture)])
}

/// Runs the suite on several backends in one program, one after the other in its listing; the
/// rest is as in [`main()`].
pub fn main_of(suites: impl IntoIterator<Item = Suite>) -> ExitCode {
    let arguments = Arguments::from_args();
    let tells = std::env::var_os(TELLS).is_some();
    let (mut trials, mut told) = (Vec::new(), String::new());
    for suite in suites {
        let offer = Offer::of(Arc::clone(&suite.fixture));
        match &offer {
            Ok(offer) if tells => {
                for capability in offer.capabilities() {
                    // Writing to a `String` can't fail.
                    _ = writeln!(told, "{} {capability}", suite.backend);
                }
            }
            // Whoever asks what is ignored would else be told that everything applies.
            Err(failed) if tells || arguments.ignored => {
                // Without it there is still the exit status.
                _ = writeln!(io::stderr(), "{}: {failed}", suite.backend);
                return ExitCode::FAILURE;
            }
            _ => {}
        }
        // A fixture that can't even tell what it offers fails in every case, each saying why.
        trials.extend(suite.trials(offer.ok()));
    }
    if tells {
        let told = io::stdout().write_all(told.as_bytes());
        return if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The suite on one backend: each case by name, and what becomes of it.
///
/// A backend may need a server that is not there. Then its cases stay in the listing, and the run
/// says of each why it did not pass: [missing](Self::missing) fails it, [left
/// out](Self::left_out) ignores it by name.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use async_trait::async_trait;
/// # use sessile_conformance::{Failed, Fixture, Place};
/// use sessile_conformance::Suite;
///
/// # struct Bucket;
/// # #[async_trait]
/// # impl Fixture for Bucket {
/// #     async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
/// #         Err(Failed::new("there is no server"))
/// #     }
/// # }
/// /// What `main_of` is to run: an unset variable must not pass for a server that is well.
/// fn suite(server: Option<&str>) -> Suite {
///     match server {
///         Some("skip") => Suite::of("bucket", Bucket).left_out("SERVER=skip"),
///         Some(_) => Suite::of("bucket", Bucket),
///         None => Suite::of("bucket", Bucket).missing("set SERVER, or SERVER=skip"),
///     }
/// }
/// assert!(format!("{:?}", suite(None)).contains("Missing"));
/// assert!(format!("{:?}", suite(Some("skip"))).contains("LeftOut"));
/// ```
pub struct Suite {
    backend: String,
    fixture: Arc<dyn Fixture>,
    absent: Option<Absent>,
}

/// Why no case can run.
#[derive(Clone, Debug)]
enum Absent {
    Missing(String),
    LeftOut(String),
}

impl Suite {
    /// The suite on the places of a fixture, under the backend's name.
    pub fn of(backend: impl Into<String>, fixture: impl Fixture + 'static) -> Self {
        Self { backend: backend.into(), fixture: Arc::new(fixture), absent: None }
    }

    /// The same suite where the backend's server should be there and is not: each case that
    /// applies fails with the reason, which names the way out.
    ///
    /// Which cases apply is asked of the fixture, so it must make places of the same capabilities
    /// without the server. No case runs on them.
    #[must_use]
    pub fn missing(self, reason: impl Into<String>) -> Self {
        Self { absent: Some(Absent::Missing(reason.into())), ..self }
    }

    /// The same suite where the backend's server was left out on purpose: each case is ignored by
    /// name, with the reason. The fixture is used as by [`missing`](Self::missing).
    #[must_use]
    pub fn left_out(self, reason: impl Into<String>) -> Self {
        Self { absent: Some(Absent::LeftOut(reason.into())), ..self }
    }

    fn trials(self, offer: Option<Offer>) -> impl Iterator<Item = Trial> {
        all().map(move |case| self.trial(case, offer.as_ref()))
    }

    fn trial(&self, case: &'static Case, offer: Option<&Offer>) -> Trial {
        let fate = self.fate(case, offer);
        let (fixture, is_ignored) = (Arc::clone(&self.fixture), matches!(fate, Fate::Ignored(_)));
        let run = move || match fate {
            Fate::Runs => trial::run(case, fixture)
                .map(|()| Completion::Completed)
                .map_err(|failed: Failed| failed.into()),
            Fate::Fails(reason) => Err(Failed::new(reason).into()),
            // Whoever asks for ignored trials is told why this one is.
            Fate::Ignored(reason) => Ok(Completion::ignored_with(reason)),
        };
        Trial::ignorable_test(format!("{}/{}", self.backend, case.name), run)
            .with_kind(case.tags.join(","))
            .with_ignored_flag(is_ignored)
    }

    fn fate(&self, case: &Case, offer: Option<&Offer>) -> Fate {
        // What does not apply is nobody's loss, whether the server is there or not.
        if let Some(reason) = offer.and_then(|offer| offer.refusal(case)) {
            return Fate::Ignored(reason);
        }
        match &self.absent {
            None => Fate::Runs,
            Some(Absent::Missing(reason)) => Fate::Fails(reason.clone()),
            Some(Absent::LeftOut(reason)) => Fate::Ignored(reason.clone()),
        }
    }
}

/// What becomes of a case.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Runs,
    Fails(String),
    Ignored(String),
}

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { backend, absent, fixture: _ } = self;
        f.debug_struct("Suite")
            .field("backend", backend)
            .field("absent", absent)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use sessile_core::Backend;
    use sessile_memory::MemoryBackend;

    use super::*;
    use crate::fixture::{Footprint, Place};

    struct Memory;

    #[async_trait]
    impl Fixture for Memory {
        async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
            Ok(Arc::new(Self))
        }
    }

    #[async_trait]
    impl Place for Memory {
        async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
            Ok(Arc::new(MemoryBackend::new()))
        }

        async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
            Ok(None)
        }
    }

    /// What becomes of each case where a server is there, and where it is not.
    fn fates(absent: impl FnOnce(Suite) -> Suite) -> Vec<(Fate, Fate)> {
        let offer = Offer::of(Arc::new(Memory)).unwrap();
        let (there, absent) = (Suite::of("made-up", Memory), absent(Suite::of("made-up", Memory)));
        let fates = |case| (there.fate(case, Some(&offer)), absent.fate(case, Some(&offer)));
        all().map(fates).collect()
    }

    #[test]
    fn a_missing_server_fails_each_case_that_would_run_and_no_other() {
        let fates = fates(|suite| suite.missing("no server"));
        let ran = fates.iter().filter(|(there, _)| *there == Fate::Runs).count();
        assert!(0 < ran && ran < fates.len());
        for (there, missing) in fates {
            match there {
                Fate::Runs => assert_eq!(missing, Fate::Fails("no server".to_owned())),
                _ => assert_eq!(missing, there),
            }
        }
    }

    #[test]
    fn a_server_that_was_left_out_ignores_each_case_by_name() {
        for (there, left_out) in fates(|suite| suite.left_out("on purpose")) {
            match there {
                Fate::Runs => assert_eq!(left_out, Fate::Ignored("on purpose".to_owned())),
                _ => assert_eq!(left_out, there),
            }
        }
    }

    #[test]
    fn every_case_of_a_suite_is_listed_under_its_backend() {
        let names: Vec<String> = Suite::of("made-up", Memory)
            .missing("no server")
            .trials(None)
            .map(|trial| trial.name().to_owned())
            .collect();
        let cases: Vec<String> = all().map(|case| format!("made-up/{}", case.name)).collect();
        assert_eq!(names, cases);
    }
}
