//! The fold: what a session is, from the entries of its journal.
//!
//! The fold is pure and total over commits that were read whole. It never refuses an entry for
//! what it holds: an entry that it can't understand but must blocks building upon the session,
//! not reading it.

mod lifecycle;
mod meta;
mod hidden;
mod sight;
mod ids;
mod turn;
mod ended;
mod admission;
mod lookup;
mod commits;
mod marks;
mod extension;
mod foldings;
mod snapshot;
mod blocked;
mod state;
mod weight;
mod told;
mod lag;
mod resume;
mod accept;

pub use admission::{Admission, Inherited, Strays};
pub use blocked::Blocked;
pub use commits::CommitIndex;
pub use ended::Ended;
pub use extension::{Extended, Extension, Extensions};
pub use hidden::Hidden;
pub use lag::Lag;
pub use lifecycle::Lifecycle;
pub use lookup::{Lookup, Recorded, RequestLookup, Unread};
pub use marks::{Mark, Marks};
pub use meta::Meta;
pub use sight::{Compacted, Sight};
pub use snapshot::{PassedOver, Since};
pub use state::SessionState;
pub use turn::{Active, Asked, Decided, Effect, Intended, LastCheckpoint};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod extending;
