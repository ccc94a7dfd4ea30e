//! Workflow sessions: whose they are, what they must not do, what is told of them.
//!
//! Each case looks through several handles, as processes that relieve one another do.

mod scene;
mod begin;
mod refuse;
mod resume;
mod event;
mod discover;
mod read;
pub(super) mod board;

use crate::case::Case;

/// The tables, each of one group.
pub(super) const GROUPS: &[&[Case]] =
    &[begin::CASES, refuse::CASES, resume::CASES, event::CASES, discover::CASES, read::CASES];
