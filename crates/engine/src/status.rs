//! The figures of a store.

use sessile_core::Space;
use sessile_core::backend::Capabilities;

use crate::opened::Opened;

/// What a store is doing at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The kind of its [backend](sessile_core::Backend::name): `memory`, `fs`.
    pub backend: &'static str,
    /// What the backend can do.
    pub capabilities: Capabilities,
    /// The space that the handle sees.
    pub space: Space,
    /// How many sessions are held open, in all spaces: by handles, and by calls that run.
    pub sessions: usize,
    /// How many mutations are under way, in all spaces; those whose callers went away too.
    pub mutations: usize,
    /// Whether the store was closed to mutations.
    pub closed: bool,
}

impl Status {
    pub(crate) fn of(opened: &Opened, space: &Space) -> Self {
        Self {
            backend: opened.backend().name(),
            capabilities: opened.backend().capabilities(),
            space: space.clone(),
            sessions: opened.sessions(),
            mutations: opened.gate().within(),
            closed: opened.gate().is_shut(),
        }
    }
}
