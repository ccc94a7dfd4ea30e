//! The contract between the engine and a place that keeps journals and documents.

mod clause;
mod capabilities;
mod span;
mod gist;
mod scope;
mod head;
mod document;
mod contract;
pub mod handover;

pub use capabilities::{Capabilities, Capability};
pub use clause::Clause;
pub use contract::Backend;
pub use document::{Collection, DocKey, Document, NewDocument, Precondition, REVISIONS_KEPT};
pub use gist::Gist;
pub use head::{ChangeToken, Head, Recency, Recent, Seen, SetAside};
pub use scope::Scope;
pub use span::{Appended, Commits, Expected, Span};
