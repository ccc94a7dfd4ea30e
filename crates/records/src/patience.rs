//! How long a call waits for the backend.

use std::time::Duration;

use sessile_core::{Error, ErrorKind};
use tokio::runtime::Handle;
use tokio::time::{self, Instant};

/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// A time after which nobody waits any more, and the wait before the next attempt.
#[derive(Debug)]
pub(crate) struct Patience {
    until: Instant,
    wait: Duration,
}

impl Patience {
    /// So long from now.
    pub(crate) fn of(duration: Duration) -> Self {
        // Far enough away to mean never, near enough to be told by every platform's clock.
        let far = Duration::from_hours(24 * 365);
        Self { until: Instant::now() + duration.min(far), wait: Duration::from_millis(2) }
    }

    /// Waits for something, but not longer.
    ///
    /// # Errors
    /// [`ErrorKind::Deadline`]; whoever asked for a change must add that its outcome is unknown.
    /// [`ErrorKind::Unsupported`] outside a tokio runtime, where nobody can wait.
    pub(crate) async fn bound<F: Future>(&self, future: F) -> Result<F::Output, Error> {
        Handle::try_current().map_err(|error| {
            Error::new(ErrorKind::Unsupported, "there is no tokio runtime to run on")
                .with_source(error)
        })?;
        time::timeout_at(self.until, future).await.map_err(|_| {
            Error::new(ErrorKind::Deadline, "the deadline passed before the answer came")
                .with_hint("try again, or allow more time in the options")
                .retryable()
        })
    }

    /// Waits before the next attempt, longer each time; answers whether there is time for one.
    pub(crate) async fn pause(&mut self) -> bool {
        let next = Instant::now() + self.wait;
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
        if next >= self.until {
            return false;
        }
        time::sleep_until(next).await;
        true
    }
}
