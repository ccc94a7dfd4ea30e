//! The case: one thing that must hold on every backend.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::Capability;

use crate::failed::Failed;
use crate::fixture::Place;

/// How long a case may take, and with it when it runs.
///
/// # Examples
/// ```
/// use sessile_conformance::{Case, Size};
///
/// const CASE: Case = Case::new("ours/it_holds", &["ReadsAreExact"], |_| {
///     Box::pin(async { Ok(()) })
/// });
/// // A case of random steps is worth minutes before a release, and none of each commit's time.
/// const LONG: Case = CASE.full();
/// assert_eq!((CASE.size, LONG.size), (Size::Ci, Size::Full));
/// assert!(CASE.size.deadline() < LONG.size.deadline());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Seconds: it always runs.
    Ci,
    /// Minutes: it runs where `SESSILE_SOAK=1` is set.
    Full,
}

impl Size {
    /// After which time a case counts as hanging, on the slowest machine that is worth a run.
    pub const fn deadline(self) -> Duration {
        match self {
            Self::Ci => Duration::from_mins(1),
            Self::Full => Duration::from_mins(20),
        }
    }
}

/// What a backend or its fixture must offer for a case to make sense.
///
/// # Examples
/// ```
/// use sessile_conformance::broken::SPECIMENS;
/// use sessile_conformance::{Case, Need, Verdict, run_all};
///
/// static CASE: Case = Case::new("ours/damage_is_told", &["DamagedDocumentsAreKept"], |_| {
///     Box::pin(async { panic!("it runs only where it can") })
/// })
/// .needing(&[Need::Damage]);
///
/// # fn main() -> Result<(), sessile_conformance::Failed> {
/// let memory = SPECIMENS.iter().find(|it| it.name == "sound").expect("it is one");
/// // What does not apply is not left out, but told with its reason.
/// let verdicts = run_all(&(memory.fixture)(), [&CASE])?;
/// let reason = "it needs a fixture that can damage what is stored".to_owned();
/// assert_eq!(verdicts[0].1, Verdict::Ignored(reason));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// The backend declares a capability.
    Has(Capability),
    /// The backend does not declare a capability.
    Lacks(Capability),
    /// The fixture tells a [footprint](Place::footprint).
    Footprint,
    /// The fixture can [damage](Place::damage) what is stored.
    Damage,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Has(capability) => write!(f, "a backend that has {}", capability.name()),
            Self::Lacks(capability) => write!(f, "a backend without {}", capability.name()),
            Self::Footprint => f.write_str("a fixture that tells its footprint"),
            Self::Damage => f.write_str("a fixture that can damage what is stored"),
        }
    }
}

/// A case under way, or a part of one.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_conformance::{Case, Place, Running};
///
/// /// What several cases begin with: two handles, as of two processes.
/// fn two(place: Arc<dyn Place>) -> Running<[Arc<dyn sessile_core::Backend>; 2]> {
///     Box::pin(async move { Ok([place.handle().await?, place.handle().await?]) })
/// }
///
/// static CASE: Case = Case::new("ours/handles_declare_the_same", &["LacksAreRefused"], |place| {
///     Box::pin(async move {
///         let [one, other] = two(place).await?;
///         assert_eq!(one.capabilities(), other.capabilities());
///         Ok(())
///     })
/// });
/// # use sessile_conformance::{Verdict, broken::SPECIMENS, run_all};
/// # fn main() -> Result<(), sessile_conformance::Failed> {
/// # let fixture = (SPECIMENS[0].fixture)();
/// assert_eq!(run_all(&fixture, [&CASE])?[0].1, Verdict::Passed);
/// # Ok(())
/// # }
/// ```
pub type Running<T = ()> = Pin<Box<dyn Future<Output = Result<T, Failed>> + Send>>;

/// One thing that must hold on every backend, or on every one that offers what it needs.
///
/// # Examples
/// ```
/// # use sessile_conformance::{Verdict, broken::SPECIMENS, run_all};
/// use sessile_conformance::{Case, Failed};
/// use sessile_engine::{NewSession, Store};
///
/// // Beside those of the suite, one of your own: what your program asks of its backend.
/// static CASE: Case = Case::new("ours/titles_are_kept", &["PayloadsAreVerbatim"], |place| {
///     Box::pin(async move {
///         let new = NewSession::new().title("déjà vu");
///         let id = Store::on(place.handle().await?).create(new).await?.id().clone();
///         // As the next process finds it.
///         let session = Store::on(place.handle().await?).open_session(&id).await?;
///         let title = session.info().meta.title();
///         let kept = title.as_deref() == Some("déjà vu");
///         kept.then_some(()).ok_or_else(|| Failed::new(format!("the title is {title:?}")))
///     })
/// });
/// # fn main() -> Result<(), Failed> {
/// # let fixture = (SPECIMENS[0].fixture)();
/// assert_eq!(run_all(&fixture, [&CASE])?[0].1, Verdict::Passed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its group and what it says, as in `append/a_batch_is_refused_as_a_whole`.
    pub name: &'static str,
    /// The [tags](crate::Tag) of what it checks; never none.
    pub tags: &'static [&'static str],
    /// How long it may take.
    pub size: Size,
    /// What it can't do without.
    pub needs: &'static [Need],
    /// Runs it on a fresh place.
    pub run: fn(Arc<dyn Place>) -> Running,
}

impl Case {
    /// A case of seconds that runs on every backend.
    pub const fn new(
        name: &'static str,
        tags: &'static [&'static str],
        run: fn(Arc<dyn Place>) -> Running,
    ) -> Self {
        Self { name, tags, size: Size::Ci, needs: &[], run }
    }

    /// The same case, only where these needs are met.
    #[must_use]
    pub const fn needing(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }

    /// The same case as one of minutes.
    #[must_use]
    pub const fn full(self) -> Self {
        Self { size: Size::Full, ..self }
    }
}
