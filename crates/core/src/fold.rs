//! The fold: what a session is, from the entries of its journal.
//!
//! The fold is pure and total over commits that were read whole. It never refuses an entry for
//! what it holds: an entry that it can't understand but must blocks building upon the session,
//! not reading it.

mod meta;
mod hidden;
mod sight;
mod ids;
mod commits;
mod marks;
mod snapshot;
mod state;
mod resume;
mod accept;

pub use commits::{CommitIndex, Lookup, Recorded, Unread};
pub use hidden::Hidden;
pub use marks::{Mark, Marks};
pub use meta::Meta;
pub use sight::{Compacted, Sight};
pub use snapshot::PassedOver;
pub use state::{Blocked, Lifecycle, SessionState, Since};

#[cfg(test)]
mod tests;
