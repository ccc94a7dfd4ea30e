//! Records that are kept as documents of the backend: checkpoints, effects, snapshots and bindings.
//!
//! Each case uses several handles in turn, as processes that relieve one another do.

mod scene;
mod checkpoint;
mod follow;
mod distress;
mod effect;
mod snapshot;
mod binding;

use crate::case::Case;

/// The tables, each of one group.
pub(super) const GROUPS: &[&[Case]] = &[
    checkpoint::CASES,
    follow::CASES,
    distress::CASES,
    effect::CASES,
    snapshot::CASES,
    binding::CASES,
];
