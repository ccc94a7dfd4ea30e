//! Times, which are for people: nothing is ordered, versioned or aged by them alone.

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z, as the writer's clock had it.
///
/// # Examples
/// ```
/// use sessile_core::UnixMillis;
///
/// let (earlier, later) = (UnixMillis(1_577_836_800_000), UnixMillis(1_577_836_800_001));
/// assert!(earlier < later);
/// assert_eq!(later.millis() - earlier.millis(), 1);
/// ```
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
