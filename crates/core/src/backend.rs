//! The contract between the engine and a place that keeps journals and documents.

mod clause;
mod capabilities;
mod span;
mod head;
mod document;
mod contract;

pub use capabilities::{Capabilities, Capability};
pub use clause::Clause;
pub use contract::Backend;
pub use document::{Collection, DocKey, Document, NewDocument, Precondition, REVISIONS_KEPT};
pub use head::{ChangeToken, Head, Recency, Recent, SetAside};
pub use span::{Appended, Commits, Expected, Span};
