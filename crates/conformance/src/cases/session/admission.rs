//! Requests that hold a session: that one does at a time, that what ended is told again and never
//! done again, and that nothing of a turn is lost or counts by halves.

mod stage;
mod claim;
mod replay;
mod turn;
mod fault;
mod recovery;
mod fence;
mod tool;
mod leave;
mod summary;
mod passage;

use crate::case::Case;

/// The tables, each of one group.
pub(super) const GROUPS: &[&[Case]] = &[
    claim::CASES,
    replay::CASES,
    turn::CASES,
    fault::CASES,
    recovery::CASES,
    fence::CASES,
    tool::CASES,
    leave::CASES,
    summary::CASES,
    passage::CASES,
];
