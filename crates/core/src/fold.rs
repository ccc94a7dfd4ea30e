//! The fold: what a session is, from the entries of its journal.
//!
//! The fold is pure and total over commits that were read whole. It never refuses an entry for
//! what it holds: an entry that it can't understand but must blocks building upon the session,
//! not reading it.

mod meta;
mod commits;
mod state;
mod accept;

pub use commits::{CommitIndex, Recorded};
pub use meta::Meta;
pub use state::{Blocked, Lifecycle, SessionState};

#[cfg(test)]
mod tests;
