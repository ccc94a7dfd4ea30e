//! Pages of snapshots, without what they hold.

use sessile_core::{Error, Name};

use crate::envelope::check_either;
use crate::members::Unreadable;
use crate::shelf::Shelf;

/// A page of snapshots.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::Space;
/// # use sessile_interchange::{json::Object, snapshot::OwnSnapshot};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{SnapshotListing, Snapshots};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let snapshots = Snapshots::on(Arc::new(memory.clone()), Space::default());
/// # let terms = Object::default().with("model", "large");
/// for name in ["run-1", "run-2", "run-3"] {
///     snapshots.save(&name.parse()?, &OwnSnapshot::of(terms.clone(), 1_u64)?, None).await?;
/// }
/// let page: SnapshotListing = snapshots.list(None, 2).await?;
/// assert_eq!(page.rows.len(), 2);
/// let last = snapshots.list(page.next.as_ref(), 2).await?;
/// assert_eq!(last.rows[0].name.as_str(), "run-3");
/// // What was saved meanwhile would stand on the next page; the list ends with one that has none.
/// assert!(snapshots.list(last.next.as_ref(), 2).await?.next.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct SnapshotListing {
    /// Its rows, in the order of names.
    pub rows: Vec<SnapshotRow>,
    /// After which name the next page goes on, which may have no rows; none on the last page.
    pub next: Option<Name>,
}

/// A row of a listing of snapshots.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::Space;
/// # use sessile_interchange::{json::Object, snapshot::OwnSnapshot};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_core::backend::{Collection, DocKey, NewDocument, Precondition};
/// # use sessile_core::digest::Token;
/// # use sessile_core::{Backend, Error, ErrorKind, Revision};
/// # type Done = Result<(), Error>;
/// # async fn write(memory: &MemoryBackend, of: &str, name: &str, text: &'static str) -> Done {
/// #     let collection = Collection { space: Space::default(), name: of.parse()? };
/// #     let key = DocKey { collection, name: name.parse()? };
/// #     let revision = Revision::new(Token::from_random([7; 16]));
/// #     let new = NewDocument { bytes: text.into(), revision, session: None };
/// #     memory.put(&key, new, Precondition::Absent).await.map(drop)
/// # }
/// # use sessile_records::Snapshots;
/// use sessile_records::SnapshotRow;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let snapshots = Snapshots::on(Arc::new(memory.clone()), Space::default());
/// let snapshot = OwnSnapshot::of(Object::default().with("model", "large"), 1_u64)?;
/// snapshots.save(&"run-1".parse()?, &snapshot, None).await?;
/// // Another program has written here.
/// write(&memory, "snapshots", "run-2", "junk").await?;
///
/// let rows: Vec<SnapshotRow> = snapshots.list(None, 10).await?.rows;
/// // A row tells the size of the file that it could be exported to.
/// assert_eq!(rows[0].bytes.as_ref().ok(), Some(&snapshot.encode().len()));
/// assert_eq!(rows[1].bytes.as_ref().unwrap_err().kind(), ErrorKind::Corrupt);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct SnapshotRow {
    /// The name of the snapshot.
    pub name: Name,
    /// How many bytes it has, or why it can't be read: damage is shown, never hidden.
    pub bytes: Result<usize, Error>,
}

/// Reads a page.
pub(super) async fn page(
    shelf: &Shelf,
    after: Option<&Name>,
    rows: usize,
) -> Result<SnapshotListing, Error> {
    let read = |_: &Name, bytes: &[u8]| match check_either(bytes) {
        Ok(()) => Ok(bytes.len()),
        Err(error) => Err(Unreadable::because(error.clause().to_owned())),
    };
    let (rows, next) = shelf.page(after, rows, read).await?;
    let told = |(name, bytes): (Name, Result<usize, Error>)| {
        let bytes = bytes.map_err(|error| error.about(format_args!("snapshot {name}")));
        SnapshotRow { name, bytes }
    };
    Ok(SnapshotListing { rows: rows.into_iter().map(told).collect(), next })
}
