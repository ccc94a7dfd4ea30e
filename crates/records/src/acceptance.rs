//! The record of identities that somebody has accepted for a snapshot.

use std::fmt;

use serde::{Deserialize, Serialize};
use sessile_core::{Error, Payload, UnixMillis};

use crate::members::{Members, Unreadable, Writing};

/// How many are kept of a snapshot, the last ones.
const KEPT: usize = 32;

/// That a run of another identity was let go on from a snapshot.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::Space;
/// # use sessile_interchange::{json::Object, snapshot::OwnSnapshot};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Acceptance, Snapshots};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let snapshots = Snapshots::on(Arc::new(memory.clone()), Space::default());
/// # let name = "run-7".parse()?;
/// let [large, small] = ["large", "small"].map(|model| Object::default().with("model", model));
/// let revision = snapshots.save(&name, &OwnSnapshot::of(large, 1_u64)?, None).await?;
/// snapshots.accept::<OwnSnapshot>(&name, &small, revision).await?;
///
/// // Whoever asks later why another model went on with the run sees that somebody said so.
/// let accepted: Vec<Acceptance> = snapshots.accepted(&name).await?;
/// assert_eq!(accepted[0].saved.as_str(), r#"{"model":"large"}"#);
/// assert_eq!(accepted[0].current.as_str(), r#"{"model":"small"}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Acceptance {
    /// When it was.
    pub at: UnixMillis,
    /// The identity that the snapshot had, a JSON object.
    pub saved: Payload,
    /// The identity that it has since, a JSON object.
    pub current: Payload,
}

impl fmt::Debug for Acceptance {
    /// Tells sizes only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptance")
            .field("at", &self.at)
            .field("saved", &self.saved.len())
            .field("current", &self.current.len())
            .finish()
    }
}

/// What the document of a snapshot's acceptances holds.
#[derive(Debug, Default)]
pub(crate) struct Accepted {
    pub(crate) all: Vec<Acceptance>,
    unknown: Members,
}

impl Accepted {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut unknown = Members::read(bytes)?;
        Ok(Self { all: unknown.required("accepted")?, unknown })
    }

    pub(crate) fn write(&self) -> Result<Vec<u8>, Error> {
        Writing::new().member("accepted", &self.all)?.end(&self.unknown)
    }

    /// Adds one, and lets go of the first ones where there are too many.
    pub(crate) fn add(&mut self, saved: Payload, current: Payload, now: UnixMillis) {
        self.all.push(Acceptance { at: now, saved, current });
        let beyond = self.all.len().saturating_sub(KEPT);
        self.all.drain(..beyond);
    }
}
