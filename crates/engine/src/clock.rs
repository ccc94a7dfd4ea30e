//! The one door of time.

use std::fmt;
use std::time::SystemTime;

use sessile_core::UnixMillis;

/// Tells the time that a store writes into its entries.
///
/// Times are for people: no order, position or cursor depends on them alone, so a clock that is
/// wrong, jumps or stands still makes no session wrong.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_core::UnixMillis;
/// use sessile_engine::{Clock, Options};
///
/// #[derive(Debug)]
/// struct Stopped;
///
/// impl Clock for Stopped {
///     fn now(&self) -> UnixMillis {
///         UnixMillis(1_790_000_000_000)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// // Tests whose sessions are the same bytes in every run begin with it.
/// let options = Options::default().clock(Arc::new(Stopped));
/// let store = Store::with(Arc::new(MemoryBackend::new()), options);
/// let info = store.create(NewSession::new()).await?.info();
/// assert_eq!(info.header.created_at, UnixMillis(1_790_000_000_000));
/// # Ok(())
/// # }
/// ```
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time now.
    fn now(&self) -> UnixMillis;
}

/// The clock of the machine.
///
/// # Examples
/// ```
/// use sessile_engine::Clock as _;
/// use sessile_engine::SystemClock;
///
/// let year_2020 = 1_577_836_800_000;
/// assert!(SystemClock.now().millis() > year_2020);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn now(&self) -> UnixMillis {
        // A clock that is set before 1970 reads as 1970.
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_machine_has_left_1970() {
        assert!(SystemClock.now() > UnixMillis(1_000_000_000_000));
    }
}
