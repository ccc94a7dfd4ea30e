//! What a session belongs to, and what a run expects of it.
//!
//! An identity is a set of named fields. A session gets it with its header; whoever accepts a
//! difference gives it another one, which stands in its metadata. Comparing reads only.

mod field;
mod recorded;
mod differences;
mod expected;

pub use differences::{Differences, Differing};
pub use expected::Expected;
pub(crate) use recorded::{created_with, recorded, refuse_by_hand};
