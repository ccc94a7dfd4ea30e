//! What a place may do wrong beyond what a line may do to it.

use sessile_core::EntryType;
use sessile_core::backend::{Appended, Backend, Expected};
use sessile_core::{Commit, Error, SessionKey, StoredCommit, Tip};

/// Something that a place must never do: planted, to show that it is noticed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use async_trait::async_trait;
/// # use sessile_conformance::{Failed, Footprint, Place};
/// # use sessile_core::Backend;
/// # use sessile_memory::MemoryBackend;
/// use sessile_conformance::simulation::{Defect, simulate};
///
/// # struct Memory(MemoryBackend);
/// # #[async_trait]
/// # impl Place for Memory {
/// #     async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
/// #         Ok(Arc::new(self.0.clone()))
/// #     }
/// #     async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
/// #         Ok(None)
/// #     }
/// # }
/// # let place = || -> Arc<dyn Place> { Arc::new(Memory(MemoryBackend::new())) };
/// // Before a simulation that finds nothing is believed: does it find what is planted?
/// for defect in Defect::ALL {
///     let is_noticed = |seed| simulate(&place(), seed, Some(defect)).is_err();
///     assert!((0..60).any(is_noticed), "{defect:?}");
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// It tells of some appends that it has done them, and drops them.
    DropsWhatItTold,
    /// It appends wherever the journal ends, whatever was expected.
    IgnoresThePrecondition,
    /// It does so for what is written under a claim only.
    DropsTheFence,
    /// It serves some commits without their last entry.
    ServesHalfACommit,
    /// It puts documents whatever their revision.
    SwapsAnything,
}

impl Defect {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::DropsWhatItTold,
        Self::IgnoresThePrecondition,
        Self::DropsTheFence,
        Self::ServesHalfACommit,
        Self::SwapsAnything,
    ];

    /// Where an append goes in place of where it was to go.
    pub(super) async fn misplaced(
        self,
        backend: &dyn Backend,
        key: &SessionKey,
        expected: Expected,
        commits: &[Commit],
    ) -> Expected {
        let under_a_claim = || {
            let mut entries = commits.iter().flat_map(Commit::entries);
            entries.any(|entry| entry.claim.is_some() || entry.entry_type == EntryType::Outcome)
        };
        let is_meant = match self {
            Self::IgnoresThePrecondition => true,
            Self::DropsTheFence => under_a_claim(),
            _ => false,
        };
        match (expected, backend.head(key).await) {
            (Expected::At(tip), Ok(head)) if is_meant && tip != Tip::ABSENT => {
                Expected::At(head.tip)
            }
            _ => expected,
        }
    }

    /// What is told of an append that is dropped.
    pub(super) fn told(tip: Tip, commits: &[Commit]) -> Result<Vec<Appended>, Error> {
        let mut tip = tip;
        let told = commits.iter().map(|commit| {
            let stored = commit.stored_at(tip, tip.position)?;
            tip = stored.tip();
            Ok(Appended { first: stored.first_seq(), tip, replayed: false })
        });
        told.collect()
    }

    /// A commit as it is served.
    pub(super) fn served(self, mut commit: StoredCommit) -> StoredCommit {
        if self == Self::ServesHalfACommit && commit.entries.len() > 1 {
            commit.entries.pop();
        }
        commit
    }
}
