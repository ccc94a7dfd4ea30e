//! Removing sessions: by their age or their number, and all that there are of an owner or a space.

mod policy;
mod verdict;
mod seen;
mod ending;
mod survey;
mod prune;
mod scope;
mod erase;

pub(crate) use erase::erase;
pub use policy::Retention;
pub(crate) use prune::prune;
pub use scope::{Erasure, Scope};
pub use verdict::{Erased, Judged, KeptBack, Left, Pruned, Verdict};
