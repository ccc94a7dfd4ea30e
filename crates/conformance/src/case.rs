//! The case: one thing that must hold on every backend.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::Capability;

use crate::failed::Failed;
use crate::fixture::Place;

/// How long a case may take, and with it when it runs.
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
pub type Running<T = ()> = Pin<Box<dyn Future<Output = Result<T, Failed>> + Send>>;

/// One thing that must hold on every backend, or on every one that offers what it needs.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its group and what it says, as in `append/a_stale_tip_is_a_conflict`.
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
