//! Taking over sessions from other programs' files, once and whole.
//!
//! An `import` entry in each commit says which source it is of, and how many of its records were
//! taken by then. So a source is recognised wherever its file lies, an import that was cut short
//! is completed by importing again, and what a grown file has more is added.

mod imported;
mod identity;
mod pieces;
mod known;
mod plan;
mod course;

pub(crate) use course::import;
pub use imported::{Imported, Skipped};
