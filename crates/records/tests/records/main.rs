//! Checkpoints, effects, snapshots and bindings on a backend in memory, and on one that fails as it is told to.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where something is not as it should be"
)]

mod line;
mod scene;

mod bindings;
mod effects;
mod forcing;
mod kills;
mod listing;
mod model;
mod positions;
mod races;
mod reconciling;
mod snapshots;
mod swapping;
mod trouble;
