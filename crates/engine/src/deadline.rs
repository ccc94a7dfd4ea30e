//! The time by which a call must have its answer, and the waits between attempts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sessile_core::{Error, ErrorKind};
use tokio::runtime::Handle;
use tokio::time::{self, Instant};

use crate::entropy::{self, Entropy};

/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// A time after which nobody waits any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// A time from now.
    pub(crate) fn after(duration: Duration) -> Self {
        let now = Instant::now();
        // Far enough away to mean never, near enough to be told by every platform's clock.
        let far = Duration::from_hours(24 * 365);
        Self(now + duration.min(far))
    }

    /// The later one.
    pub(crate) fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// Waits for something, but not longer.
    ///
    /// # Errors
    /// [`ErrorKind::Deadline`]; whoever asked for a change must add that its outcome is unknown.
    /// [`ErrorKind::Unsupported`] outside a tokio runtime, where nobody can wait.
    pub(crate) async fn bound<F: Future>(self, future: F) -> Result<F::Output, Error> {
        Handle::try_current().map_err(|error| {
            Error::new(ErrorKind::Unsupported, "there is no tokio runtime to run on")
                .with_source(error)
        })?;
        time::timeout_at(self.0, future).await.map_err(|_| passed())
    }

    /// Refuses to begin what would be late.
    ///
    /// # Errors
    /// [`ErrorKind::Deadline`].
    pub(crate) fn check(self) -> Result<(), Error> {
        if Instant::now() < self.0 { Ok(()) } else { Err(passed()) }
    }
}

fn passed() -> Error {
    Error::new(ErrorKind::Deadline, "the deadline passed before the answer came")
        .with_hint("try again, or open the store with a longer deadline")
        .retryable()
}

/// Waits so long, or until something else happens.
pub(crate) async fn pause<F: Future<Output = ()>>(duration: Duration, earlier: F) {
    drop(time::timeout(duration, earlier).await);
}

/// A deadline that is put off whenever there is progress, for what takes longer the longer a
/// session is.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    limit: Duration,
    until: Arc<Mutex<Deadline>>,
}

impl Patience {
    /// So long may it last until there is progress for the first time, and then until the next.
    pub(crate) fn of(limit: Duration) -> Self {
        Self { limit, until: Arc::new(Mutex::new(Deadline::after(limit))) }
    }

    /// Says that there is progress.
    pub(crate) fn renew(&self) {
        *self.lock() = Deadline::after(self.limit);
    }

    /// The deadline as it is put off so far.
    pub(crate) fn deadline(&self) -> Deadline {
        *self.lock()
    }

    /// Waits for something as long as there is progress.
    ///
    /// # Errors
    /// Those of [`Deadline::bound`].
    pub(crate) async fn bound<F: Future>(&self, future: F) -> Result<F::Output, Error> {
        let mut future = std::pin::pin!(future);
        loop {
            let deadline = self.deadline();
            match deadline.bound(future.as_mut()).await {
                Err(_) if self.deadline().0 > deadline.0 => {}
                bounded => return bounded,
            }
        }
    }

    /// The deadline is replaced as a whole, so a holder that panicked leaves it whole.
    fn lock(&self) -> MutexGuard<'_, Deadline> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Deadline> for Patience {
    /// One that nothing puts off.
    fn from(deadline: Deadline) -> Self {
        Self { limit: Duration::ZERO, until: Arc::new(Mutex::new(deadline)) }
    }
}

/// Waits between attempts that grow, each by chance shorter than it might be, so that rivals do
/// not meet again.
#[derive(Debug)]
pub(crate) struct Backoff {
    bound: Duration,
}

impl Backoff {
    /// The first wait is shorter than 4 ms.
    pub(crate) const fn new() -> Self {
        Self { bound: Duration::from_millis(4) }
    }

    /// Waits before the next attempt; answers whether there is time left for one.
    pub(crate) async fn wait(&mut self, entropy: &dyn Entropy, deadline: Deadline) -> bool {
        let bound = u64::try_from(self.bound.as_micros()).unwrap_or(u64::MAX);
        let wait = Duration::from_micros(entropy::below(entropy, bound));
        self.bound = (self.bound * 2).min(LONGEST_WAIT);
        let until = Instant::now() + wait;
        if until >= deadline.0 {
            return false;
        }
        time::sleep_until(until).await;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SystemEntropy;

    #[tokio::test(start_paused = true)]
    async fn waits_grow_up_to_a_second_and_end_before_the_deadline() {
        let start = Instant::now();
        let deadline = Deadline::after(Duration::from_secs(20));
        let mut backoff = Backoff::new();
        let mut waits = 0;
        while backoff.wait(&SystemEntropy, deadline).await {
            waits += 1;
        }
        assert!(start.elapsed() < Duration::from_secs(20));
        assert!((20..200).contains(&waits), "{waits} waits");
    }

    #[test]
    fn outside_a_runtime_nothing_is_waited_for() {
        let waiting = std::pin::pin!(Deadline::after(Duration::MAX).bound(std::future::ready(1)));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(Err(error)) = waiting.poll(&mut context) else {
            panic!("it waits");
        };
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }

    #[tokio::test(start_paused = true)]
    async fn progress_puts_a_deadline_off_and_nothing_else_does() {
        let start = Instant::now();
        let patience = Patience::of(Duration::from_secs(1));
        let steps = async {
            for _ in 0..10 {
                time::sleep(Duration::from_millis(900)).await;
                patience.renew();
            }
            std::future::pending::<()>().await;
        };
        let error = patience.bound(steps).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deadline);
        assert_eq!(start.elapsed(), Duration::from_secs(10));
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_too_long_is_a_deadline_that_may_be_tried_again() {
        let deadline = Deadline::after(Duration::from_secs(1));
        let error = deadline.bound(std::future::pending::<()>()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deadline);
        assert!(error.may_retry());
    }
}
