//! The local filesystem backend: one file a journal, one file a document.
//!
//! ```text
//! <root>/sessile.json                                   what the root is, and its format
//! <root>/spaces/<space>/sessions/<id>.jsonl             a journal, readable with a pager
//! <root>/spaces/<space>/sessions/<id>.lock              who appends holds it; never removed
//! <root>/spaces/<space>/set-aside/<id>/<offset>-<n>     what a repair cut off
//! <root>/spaces/<space>/documents/<collection>/<name>   a document
//! <root>/spaces/<space>/catalog/recency                 derived: what listings show, and in which order
//! <root>/spaces/<space>/catalog/open-<process>-<n>       who has journals open holds it
//! ```
//!
//! An append is one write and one flush, under an advisory lock. What is acknowledged is synced;
//! what others left unsynced is written again before anything is built upon it. Reading needs no
//! lock and writes nothing. `docs/backends.md` says what is promised and what is not.
//!
//! The modules stand bottom-up; each uses only those above it.

mod options;
mod page;
mod failure;
mod pool;
mod pace;
mod record;
mod faults;
mod counts;
mod modes;
mod blocks;
mod identity;
mod stamp;
mod door;
mod lock;
mod whole;
mod private_file;
mod root;
mod trust;
mod note;
mod catalog;
mod header;
mod tail;
mod seek;
mod reader;
mod look;
mod looks;
mod serving;
mod replay;
mod set_aside;
mod known;
mod padding;
mod replacement;
mod rewriting;
mod writer;
mod physical;
mod create;
mod slots;
mod document_file;
mod document;
mod probe;
mod watching;
mod journals;
mod listing;
mod handle;
mod backend;
mod legacy;

pub use counts::Counts;
pub use handle::FsBackend;
pub use legacy::LegacyBackend;
pub use options::Options;
pub use private_file::PrivateFile;

#[cfg(test)]
mod tests;
