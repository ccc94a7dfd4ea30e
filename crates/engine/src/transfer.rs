//! Taking over sessions from other programs' files, writing them as such, and copying them between
//! stores.
//!
//! An `import` entry in each commit says which source it is of, and how many of its records were
//! taken by then. So a source is recognised wherever its file lies, an import that was cut short
//! is completed by importing again, and what a grown file has more is added. A copy has the same
//! entries under the same numbers, ids and tokens, so that it needs no entry to be resumed by.

mod imported;
mod pieces;
mod known;
mod plan;
mod course;
mod ledger;
mod left_out;
mod export;
mod copied;
mod twin;
mod moved;
mod copy;

pub use copied::Copied;
pub(crate) use copy::{copy, move_over};
pub(crate) use course::import;
pub(crate) use export::Damage;
pub use export::Export;
pub use imported::{Imported, Skipped};
pub(crate) use ledger::import_ledger;
pub use ledger::{LedgerRow, RowDone};
pub use left_out::LeftOut;
pub(crate) use twin::Place;
