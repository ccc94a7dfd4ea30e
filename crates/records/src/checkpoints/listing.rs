//! Pages of checkpoints, without their payloads.

use sessile_core::{Error, Name, Position, SessionId, UnixMillis};

use crate::checkpoint::Checkpoint;
use crate::checkpoint_document;
use crate::kind::Kind;
use crate::shelf::Shelf;

/// A page of checkpoints.
#[derive(Debug)]
#[non_exhaustive]
pub struct Listing {
    /// Its rows, in the order of names.
    pub rows: Vec<Listed>,
    /// After which name the next page goes on; none where there is no further one.
    pub next: Option<Name>,
}

/// A row of a listing.
#[derive(Debug)]
#[non_exhaustive]
pub struct Listed {
    /// The name of the checkpoint.
    pub name: Name,
    /// The checkpoint, or why it can't be read: damage is shown, never hidden.
    pub checkpoint: Result<Summary, Error>,
}

/// A checkpoint without its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many were before it under its name.
    pub number: u64,
    /// The run that it is a state of.
    pub run: Name,
    /// What its payload is.
    pub kind: Kind,
    /// The version of the payload's format.
    pub schema: u32,
    /// When it was put.
    pub updated_at: UnixMillis,
    /// The session that it goes with.
    pub session: Option<SessionId>,
    /// The position of that session's journal that it was built on.
    pub built_on: Option<Position>,
    /// How many bytes its payload has.
    pub payload_bytes: usize,
}

impl From<Checkpoint> for Summary {
    fn from(checkpoint: Checkpoint) -> Self {
        Self {
            number: checkpoint.number,
            run: checkpoint.run,
            kind: checkpoint.kind,
            schema: checkpoint.schema,
            updated_at: checkpoint.updated_at,
            session: checkpoint.session,
            built_on: checkpoint.built_on,
            payload_bytes: checkpoint.payload.len(),
        }
    }
}

/// Reads a page of some kinds, or of all if none is named.
pub(super) async fn page(
    shelf: &Shelf,
    kinds: &[Kind],
    after: Option<&Name>,
    rows: usize,
) -> Result<Listing, Error> {
    let read = |name: &Name, bytes: &[u8]| {
        checkpoint_document::read(name, bytes).map(|(checkpoint, _)| Summary::from(checkpoint))
    };
    let (rows, next) = shelf.page(after, rows, read).await?;
    let is_asked_for = |checkpoint: &Result<Summary, Error>| match checkpoint {
        Ok(summary) => kinds.is_empty() || kinds.contains(&summary.kind),
        Err(_) => true,
    };
    let rows = rows.into_iter().filter(|(_, checkpoint)| is_asked_for(checkpoint));
    let listed = |(name, checkpoint): (Name, Result<Summary, Error>)| {
        let checkpoint = checkpoint.map_err(|error| error.about(format_args!("checkpoint {name}")));
        Listed { name, checkpoint }
    };
    Ok(Listing { rows: rows.map(listed).collect(), next })
}
