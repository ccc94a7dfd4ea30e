//! Snapshots: one file, or one document, from which exactly one run can continue.
//!
//! [`Snapshot`] is kerness's envelope of six keys, read strictly: whatever is missing, unknown, of
//! another type or negative is refused by name, nothing has a default, and what could not be read
//! back can't be made. Two versions are read and the second is written, byte for byte as Python's
//! `json.dumps(value, indent=2)` and a line end write it.
//!
//! [`OwnSnapshot`] is an envelope of its own for whoever identifies a run by other fields.
//!
//! ```
//! use sessile_interchange::snapshot::{Contents, Identity, Snapshot};
//!
//! let identity = Identity {
//!     gameplan: "review".into(),
//!     topic: "the parser".into(),
//!     orchestrator: "round-robin".into(),
//!     participants: vec!["b".into(), "a".into()],
//! };
//! let snapshot = Snapshot::of(Contents::begun(identity.clone()))?;
//! let read = Snapshot::decode(snapshot.encode().as_bytes())?;
//! read.contents().identity.check(&identity)?;
//!
//! let other = Identity { topic: "the lexer".into(), ..identity };
//! let error = read.contents().identity.check(&other).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     r#"identity.topic differs: saved is "the parser", current is "the lexer""#
//! );
//! # Ok::<(), sessile_core::Error>(())
//! ```
//!
//! What a suspended run has to go on with stands in [`runtime`].

mod fault;
mod fields;
mod identity;
mod turn;
mod progress;
mod envelope;
mod own;
pub mod runtime;

pub use envelope::{Contents, Snapshot, Version};
pub use identity::Identity;
pub use own::OwnSnapshot;
pub use progress::{Phases, Progress};
pub use turn::{Remark, Turn};

#[cfg(test)]
mod tests;
