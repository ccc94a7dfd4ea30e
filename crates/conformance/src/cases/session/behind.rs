//! Stores that write behind: what is told before it is durable, and what is not.

mod stage;
mod written;
mod failing;
mod overtaken;

use crate::case::Case;

/// The tables, each of one group.
pub(super) const GROUPS: &[&[Case]] = &[written::CASES, failing::CASES, overtaken::CASES];
