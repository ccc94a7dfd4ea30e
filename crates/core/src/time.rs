//! Times, which are for people: nothing is ordered, versioned or aged by them alone.

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z, as the writer's clock had it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UnixMillis(pub u64);

impl UnixMillis {
    /// The plain number of milliseconds.
    pub const fn millis(self) -> u64 {
        self.0
    }
}
