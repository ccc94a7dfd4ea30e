//! webcodex's ledger, version 2: one JSON document of all sessions, taken over row by row.
//!
//! The document is `{"version":2,"sessions":[...]}`; anything else at its top, or after it, refuses
//! the whole. Rows are read one at a time: one that can't be trusted is dropped alone and named,
//! and what is wrong within one is mended and named, by rules that never invent anything.
//!
//! [`Row::to_source`] says which entries a row becomes, and that it is another source once anything
//! in it has changed: a row is taken over once.
//!
//! ```
//! use bytes::Bytes;
//! use sessile_interchange::ledger::decode;
//!
//! let owner = "0a".repeat(32);
//! let ledger = format!(
//!     r#"{{"version":2,"sessions":[
//!       {{"session_id":"wc_sess_00112233445566778899aabbccddeeff","created_at":1790000000,
//!        "updated_at":1790000060,"owner_authority_fingerprint":"{owner}","mode":"normal",
//!        "lifecycle":"active","events":[],"events_observed":0,"messages":[]}},
//!       {{"session_id":"nobody's"}}]}}"#
//! );
//! let ledger = decode(&Bytes::from(ledger))?;
//! assert_eq!(ledger.rows.len(), 1);
//! assert_eq!(ledger.dropped[0].to_string(), "sessions[1]: created_at is missing");
//!
//! let source = ledger.rows[0].to_source()?;
//! assert_eq!(source.sessions[0].whole, Some(ledger.rows[0].digest));
//! # Ok::<(), sessile_core::Error>(())
//! ```

mod loss;
mod member;
mod secret;
mod board;
mod guards;
mod row;
mod tombstone;
mod document;
mod posts;
mod entries;

pub use board::Board;
pub use document::{Ledger, decode};
pub use guards::{Guards, Lifecycle, Mode};
pub use loss::Loss;
pub use row::Row;
pub use tombstone::Tombstone;

#[cfg(test)]
mod tests;
