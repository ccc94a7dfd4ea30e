//! How a store on a filesystem is opened.

use std::time::Duration;

/// The options of a store on a filesystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How long a writer waits for another process to finish its append; 30 s.
    pub lock_deadline: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { lock_deadline: Duration::from_secs(30) }
    }
}
