//! Sessions in object storage: S3, Google Cloud Storage, Azure Blob Storage, and whatever else
//! offers create-only writes and conditional swaps.
//!
//! The modules stand bottom-up; each uses only those above it.

mod age;
mod entropy;
mod options;
mod counts;
mod page;
mod failure;
mod client;
mod keys;
mod bodies;
mod place;
mod settle;
mod document;
mod belongings;
mod documents;
mod shelf;
mod spaces;
mod probe;
mod marker;
mod mark;
mod piece;
mod survey;
mod ends;
mod known;
mod ending;
mod notes;
mod catalog;
mod chain;
mod look;
mod ranges;
mod reading;
mod writing;
mod masking;
mod purging;
mod row;
mod backend;
mod open;

pub use backend::ObjectBackend;
pub use counts::Counts;
/// The clients of places, of the version that [`ObjectBackend::on`] takes.
pub use object_store;
pub use options::Options;

#[cfg(test)]
mod double;
#[cfg(test)]
mod tests;
