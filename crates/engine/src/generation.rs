//! Which changes of a store that writes behind are durable.

use std::fmt;

/// The number of a change that was told before it was durable, counted for each store from 1: what
/// has a smaller one was told earlier. Messages that are
/// [gathered](crate::Session::append_behind) into one commit share theirs.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Generation, NewSession, Options, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let backend = Arc::new(MemoryBackend::new());
/// let store = Store::with(backend.clone(), Options::default().write_behind());
/// let session = store.create(NewSession::new()).await?;
/// let one: Option<Generation> = session.append_behind(["one"]).await?;
/// let two = session.append_behind(["two"]).await?;
/// // Messages that are written together may share one.
/// assert!(one <= two);
///
/// // Durable from here on, and with it all that was told before it.
/// store.flush_through(two.expect("the store writes behind")).await?;
/// let elsewhere = Store::on(backend).open_session(session.id()).await?;
/// assert_eq!(elsewhere.info().messages, 2);
/// # store.close().await?;
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
