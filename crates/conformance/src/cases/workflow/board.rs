//! The message board of a session: the same for every handle, and changed once by each call.

mod stand;
mod post;
mod close;
mod task;
mod watch;
mod keep;
mod behind;

use crate::case::Case;

/// The tables, each of one group.
pub(in crate::cases) const GROUPS: &[&[Case]] =
    &[post::CASES, close::CASES, task::CASES, watch::CASES, keep::CASES, behind::CASES];
