//! The figures of a store.

use sessile_core::Space;
use sessile_core::backend::Capabilities;

use crate::behind::Backlog;
use crate::opened::Opened;
use crate::residency::{Figures, Residency};

/// What a store is doing at one moment: figures of this process, exact, and asked of nobody.
///
/// How many sessions there are, and in which state, stands in the store and not here:
/// [`Store::census`](crate::Store::census) counts them.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Status;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let status: Status = store.status();
/// assert_eq!((status.backend, status.space.as_str(), status.closed), ("memory", "default", false));
/// # drop(session);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The kind of its [backend](sessile_core::Backend::name): `memory`, `fs`.
    pub backend: &'static str,
    /// What the backend can do.
    pub capabilities: Capabilities,
    /// The space that the handle sees.
    pub space: Space,
    /// How many sessions are held open, in all spaces, each counted once for each time that it was
    /// opened.
    pub sessions: usize,
    /// How many sessions are hot, in all spaces: folded in memory since they were last changed.
    pub hot_sessions: usize,
    /// How many others are folded in memory, because there is room for them.
    pub cached_sessions: usize,
    /// About how many bytes the folds of both take.
    pub cache_bytes: usize,
    /// How many sessions are hot at most, unless what waits to be written keeps more of them.
    pub hot_target: usize,
    /// About how many bytes the folds take at most, with the same exception.
    pub cache_target: usize,
    /// How many sessions had to stop being hot for want of room since the store was opened.
    pub evictions: u64,
    /// What waits to be written, in all spaces; none where everything is durable before it is told.
    pub waiting: Option<Backlog>,
    /// How many mutations are under way, in all spaces; those whose callers went away too.
    pub mutations: usize,
    /// Whether the store was closed to mutations.
    pub closed: bool,
}

impl Status {
    pub(crate) fn of(opened: &Opened, residency: &Residency, space: &Space) -> Self {
        let Figures { hot, cached, bytes, evictions } = residency.figures();
        let options = opened.options();
        Self {
            backend: opened.backend().name(),
            capabilities: opened.backend().capabilities(),
            space: space.clone(),
            sessions: opened.sessions(),
            hot_sessions: hot,
            cached_sessions: cached,
            cache_bytes: bytes,
            hot_target: options.hot_target.max(1),
            cache_target: options.cache_target,
            evictions,
            waiting: residency.behind().map(|behind| behind.figures()),
            mutations: opened.gate().within(),
            closed: opened.gate().is_shut(),
        }
    }
}
