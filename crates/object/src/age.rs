//! Ages by a clock that counts the time in which the machine was suspended.
//!
//! A handle that slept must not take its last look for a young one.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A moment of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(Duration);

impl Moment {
    /// The moment now.
    pub(crate) fn now() -> Self {
        let now = clock_gettime(CLOCK);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let nanos = u32::try_from(now.tv_nsec).unwrap_or(0);
        let now = Duration::new(seconds, nanos);
        #[cfg(test)]
        let now = now + asleep::for_so_long();
        Self(now)
    }

    /// How long ago it was.
    pub(crate) fn age(self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}

/// The clock that goes on while the machine is suspended.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: ClockId = ClockId::Boottime;

/// Elsewhere the monotonic clock is the nearest that there is.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Sleep that a test makes up for its own thread.
#[cfg(test)]
pub(crate) mod asleep {
    use std::cell::Cell;
    use std::time::Duration;

    thread_local! {
        static SLEPT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    pub(super) fn for_so_long() -> Duration {
        SLEPT.get()
    }

    /// Lets the clock of this thread go on.
    pub(crate) fn sleep(time: Duration) {
        SLEPT.set(SLEPT.get() + time);
    }
}
