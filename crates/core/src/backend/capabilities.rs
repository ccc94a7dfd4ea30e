//! What a backend declares that it can do.

use std::collections::BTreeSet;
use std::time::Duration;

/// Something that not every backend can do.
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
