//! Snapshots and bindings as files of the caller's own.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where something is not as it should be"
)]

mod bindings;
mod snapshots;
