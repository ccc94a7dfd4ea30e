//! Formats and rules of sessile: what a session *is*, apart from where it is kept.
//!
//! A session is a journal; its state is a fold over the journal; the only way to change it is a
//! conditional append. This crate holds the words of that sentence: ids and positions, the entry
//! and the commit, the journal line with its checksums and chain, the fold, and the contract that
//! a [backend](backend::Backend) must keep.
//!
//! It never does I/O, never reads a clock, never draws a random number and needs no runtime:
//! whoever calls it brings times, tokens and bytes.
//!
//! The modules stand bottom-up; each uses only those above it.

pub mod position;
pub mod time;
pub mod digest;
pub mod revision;
pub mod text;
pub mod usage;
pub mod error;
pub mod limits;
pub mod id;
pub mod spelling;
pub mod percent;
pub mod probe;
pub mod payload;
pub mod entry;
pub mod header;
pub mod commit;
pub mod line;
pub mod journal;
pub mod fold;
pub mod admission;
pub mod lens;
pub mod backend;

pub use backend::Backend;
pub use commit::{Commit, StoredCommit, Tip};
pub use entry::{Entry, EntryType, NewEntry};
pub use error::{Error, ErrorKind, Outcome};
pub use id::{CommitId, Name, RequestId, SessionId, SessionKey, Space};
pub use limits::Limits;
pub use payload::Payload;
pub use position::{Ordinal, Position, Seq};
pub use revision::Revision;
pub use text::Text;
pub use time::UnixMillis;
pub use usage::Usage;
