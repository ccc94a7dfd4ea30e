//! What a backend declares that it can do.

use std::collections::BTreeSet;
use std::time::Duration;

/// Something that not every backend can do.
///
/// # Examples
/// ```
/// use sessile_core::backend::{Backend as _, Capability};
/// use sessile_memory::MemoryBackend;
///
/// let can = MemoryBackend::new().capabilities();
/// // It has all that needs no disk.
/// assert!(can.has(Capability::Purge) && !can.has(Capability::Durable));
/// let lacks: Vec<_> = Capability::ALL.iter().filter(|it| !can.has(**it)).collect();
/// assert_eq!(lacks, [&Capability::Durable, &Capability::CrossProcess]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// What is acknowledged survives the process and a power cut.
    Durable,
    /// Several processes may use one place at once.
    CrossProcess,
    /// A journal can be rewritten physically.
    Rewrite,
    /// The data of single entries can be removed.
    Mask,
    /// A deleted journal can be removed but for its tombstone.
    Purge,
}

impl Capability {
    /// Every capability.
    pub const ALL: &'static [Self] =
        &[Self::Durable, Self::CrossProcess, Self::Rewrite, Self::Mask, Self::Purge];

    /// The stable name of the capability.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::CrossProcess => "cross_process",
            Self::Rewrite => "rewrite",
            Self::Mask => "mask",
            Self::Purge => "purge",
        }
    }
}

/// What a backend declares.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use sessile_core::backend::{Capabilities, Capability};
///
/// // A place whose catalog is written now and then only.
/// let declared = Capabilities::of([Capability::Durable, Capability::CrossProcess])
///     .with_recency_lag(Duration::from_secs(5));
/// assert!(declared.has(Capability::Durable));
/// // Whoever asks for what is not declared is refused.
/// assert!(!declared.has(Capability::Mask));
/// assert_eq!(declared.recency_lag(), Duration::from_secs(5));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    has: BTreeSet<Capability>,
    recency_lag: Duration,
}

impl Capabilities {
    /// Declares these, and a recency order that is never stale.
    pub fn of(has: impl IntoIterator<Item = Capability>) -> Self {
        Self { has: has.into_iter().collect(), recency_lag: Duration::ZERO }
    }

    /// Declares how stale the order of [`recent`](super::Backend::recent) may be.
    #[must_use]
    pub const fn with_recency_lag(mut self, lag: Duration) -> Self {
        self.recency_lag = lag;
        self
    }

    /// Whether a capability is declared.
    pub fn has(&self, capability: Capability) -> bool {
        self.has.contains(&capability)
    }

    /// How stale the order of [`recent`](super::Backend::recent) may be.
    pub const fn recency_lag(&self) -> Duration {
        self.recency_lag
    }
}
