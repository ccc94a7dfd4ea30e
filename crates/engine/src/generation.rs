//! Which changes of a store that writes behind are durable.

use std::fmt;

/// The number of a change that was told before it was durable, counted for each store from 1: what
/// has a smaller one was told earlier.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use sessile_engine::{Generation, NewSession, Options, Store};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let options = Options::default().write_behind();
/// let store = Store::with(Arc::new(MemoryBackend::new()), options);
/// let session = store.create(NewSession::new()).await?;
/// let waits: Option<Generation> = session.append_behind(["hi"]).await?;
/// // Durable from here on.
/// store.flush_through(waits.expect("the store writes behind")).await?;
/// store.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(u64);

impl Generation {
    /// The next one.
    pub(crate) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The plain number; 0 where nothing was told yet.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
