//! Documents: small values that are replaced whole under compare-and-swap.

use bytes::Bytes;

use crate::id::{Name, SessionId, Space};
use crate::revision::Revision;

/// How many of its last revisions a document keeps.
pub const REVISIONS_KEPT: usize = 16;

/// Documents that are listed together.
///
/// # Examples
/// ```
/// use sessile_core::Space;
/// use sessile_core::backend::{Backend as _, Collection};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let notes = Collection { space: Space::default(), name: "notes".parse()? };
/// // Another space has other documents, also under the same names.
/// let theirs = Collection { space: "tenant-7".parse()?, ..notes.clone() };
/// assert_ne!(notes, theirs);
/// let place = MemoryBackend::new();
/// assert_eq!(place.documents(&theirs, None, 100).await?, []);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collection {
    /// The space they lie in.
    pub space: Space,
    /// Their common name.
    pub name: Name,
}

/// Names one document.
///
/// # Examples
/// ```
/// use sessile_core::backend::{Backend as _, Collection, DocKey};
/// use sessile_core::{ErrorKind, Space};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let collection = Collection { space: Space::default(), name: "notes".parse()? };
/// // Names are free: a backend finds a spelling for each.
/// let key = DocKey { collection, name: "2026/12/01: plums".parse()? };
/// let error = MemoryBackend::new().get(&key).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Missing);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocKey {
    /// The collection it lies in.
    pub collection: Collection,
    /// Its name within the collection.
    pub name: Name,
}

/// A value to put.
///
/// # Examples
/// ```
/// use sessile_core::backend::{Backend as _, Collection, DocKey, NewDocument, Precondition};
/// use sessile_core::digest::Token;
/// use sessile_core::{Revision, Space};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let collection = Collection { space: Space::default(), name: "notes".parse()? };
/// # let key = DocKey { collection, name: "today".parse()? };
/// let revision = Revision::new(Token::from_random([1; 16])); // minted for this put
/// let new = NewDocument { bytes: "plums".into(), revision, session: None };
/// place.put(&key, new.clone(), Precondition::Absent).await?;
/// // The answer was lost? Sent again it is answered as done, although the document is there.
/// place.put(&key, new, Precondition::Absent).await?;
/// # Ok(())
/// # }
/// ```
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
///
/// # Examples
/// ```
/// use sessile_core::backend::{Backend as _, Collection, DocKey, NewDocument, Precondition};
/// use sessile_core::digest::Token;
/// use sessile_core::{Revision, Space};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let collection = Collection { space: Space::default(), name: "notes".parse()? };
/// # let key = DocKey { collection, name: "today".parse()? };
/// let [first, second] = [1, 2].map(|byte| Revision::new(Token::from_random([byte; 16])));
/// let new = |revision| NewDocument { bytes: "plums".into(), revision, session: None };
/// place.put(&key, new(first), Precondition::Absent).await?;
/// place.put(&key, new(second), Precondition::Revision(first)).await?;
/// let document = place.get(&key).await?;
/// // It tells of the puts before it, for whoever does not know whether theirs was one.
/// assert_eq!((document.revision, document.recent), (second, vec![second, first]));
/// # Ok(())
/// # }
/// ```
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
///
/// # Examples
/// ```
/// use sessile_core::backend::{Backend as _, Collection, DocKey, NewDocument, Precondition};
/// use sessile_core::digest::Token;
/// use sessile_core::{ErrorKind, Revision, Space};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let collection = Collection { space: Space::default(), name: "notes".parse()? };
/// # let key = DocKey { collection, name: "today".parse()? };
/// let [first, second] = [1, 2].map(|byte| Revision::new(Token::from_random([byte; 16])));
/// let new = |revision| NewDocument { bytes: "plums".into(), revision, session: None };
/// place.put(&key, new(first), Precondition::Absent).await?;
/// // Whoever has not seen it does not replace it, and is told what there is.
/// let error = place.put(&key, new(second), Precondition::Absent).await.unwrap_err();
/// assert_eq!((error.kind(), error.actual_revision()), (ErrorKind::Conflict, Some(first)));
/// place.put(&key, new(second), Precondition::Revision(first)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// There is none of that name.
    Absent,
    /// It has this revision.
    Revision(Revision),
}
