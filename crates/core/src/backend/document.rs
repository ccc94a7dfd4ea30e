//! Documents: small values that are replaced whole under compare-and-swap.

use bytes::Bytes;

use crate::id::{Name, SessionId, Space};
use crate::revision::Revision;

/// How many of its last revisions a document keeps.
pub const REVISIONS_KEPT: usize = 16;

/// Documents that are listed together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collection {
    /// The space they lie in.
    pub space: Space,
    /// Their common name.
    pub name: Name,
}

/// Names one document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocKey {
    /// The collection it lies in.
    pub collection: Collection,
    /// Its name within the collection.
    pub name: Name,
}

/// A value to put.
#[derive(Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// The value.
    pub bytes: Bytes,
    /// Its revision, minted for this put; sending the same put again keeps it.
    pub revision: Revision,
    /// The session with which it is purged.
    pub session: Option<SessionId>,
}

/// A value as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    /// The value.
    pub bytes: Bytes,
    /// Its revision.
    pub revision: Revision,
    /// Its last revisions, newest first, this one included; at most [`REVISIONS_KEPT`].
    pub recent: Vec<Revision>,
    /// The session with which it is purged.
    pub session: Option<SessionId>,
}

impl std::fmt::Debug for NewDocument {
    /// Tells sizes and revisions only: values never reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NewDocument({} bytes, revision {})", self.bytes.len(), self.revision)
    }
}

impl std::fmt::Debug for Document {
    /// Tells sizes and revisions only: values never reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Document({} bytes, revision {})", self.bytes.len(), self.revision)
    }
}

/// What must hold for a document to be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// There is none of that name.
    Absent,
    /// It has this revision.
    Revision(Revision),
}
