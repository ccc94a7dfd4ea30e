//! Pages of snapshots, without what they hold.

use sessile_core::{Error, Name};

use crate::envelope::check_either;
use crate::members::Unreadable;
use crate::shelf::Shelf;

/// A page of snapshots.
#[derive(Debug)]
#[non_exhaustive]
pub struct SnapshotListing {
    /// Its rows, in the order of names.
    pub rows: Vec<SnapshotRow>,
    /// After which name the next page goes on; none where there is no further one.
    pub next: Option<Name>,
}

/// A row of a listing of snapshots.
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
