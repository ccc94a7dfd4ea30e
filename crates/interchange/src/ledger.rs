//! webcodex's ledger, version 2: one JSON document of all sessions, taken over row by row.
//!
//! The document is `{"version":2,"sessions":[...]}`; anything else at its top, or after it, refuses
//! the whole. Rows are read one at a time: one that can't be trusted is dropped alone and named,
//! and what is wrong within one is mended and named, by rules that never invent anything.
//!
//! [`plan`] says what is to be done with each row, so that importing a ledger again adds nothing.
//!
//! ```
//! use bytes::Bytes;
//! use sessile_interchange::ledger::{Action, decode, plan};
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
//! let first = plan(&ledger, |_| None);
//! assert_eq!(first, [Action::Import]);
//! let known = ledger.rows[0].digest;
//! assert_eq!(plan(&ledger, |_| Some(known)), [Action::Present]);
//! # Ok::<(), sessile_core::Error>(())
//! ```

mod loss;
mod member;
mod secret;
mod board;
mod row;
mod document;
mod plan;

pub use board::Board;
pub use document::{Ledger, decode};
pub use loss::Loss;
pub use plan::{Action, plan};
pub use row::{Guards, Lifecycle, Mode, Row};

#[cfg(test)]
mod tests;
