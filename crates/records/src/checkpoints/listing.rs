//! Pages of checkpoints, without their payloads.

use sessile_core::{Error, Name, Position, SessionId, UnixMillis};

use crate::checkpoint::Checkpoint;
use crate::checkpoint_document;
use crate::kind::Kind;
use crate::shelf::Shelf;

/// A page of checkpoints.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Checkpoint, Checkpoints, Listing};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let checkpoints = Checkpoints::on(Arc::new(memory.clone()), Space::default());
/// # let state = Payload::parse(r#"{"step":"plan"}"#)?;
/// for name in ["c", "a", "b"] {
///     let (name, run, kind) = (name.parse()?, "run-1".parse()?, "agent.step".parse()?);
///     let first = Checkpoint::new(name, run, kind, 1, state.clone());
///     checkpoints.compare_and_swap(first, None).await?;
/// }
/// let (mut names, mut after) = (Vec::new(), None);
/// loop {
///     let Listing { rows, next, .. } = checkpoints.list(&[], after.as_ref(), 2).await?;
///     names.extend(rows.into_iter().map(|row| row.name.to_string()));
///     after = next;
///     if after.is_none() {
///         break;
///     }
/// }
/// assert_eq!(names, ["a", "b", "c"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Listing {
    /// Its rows, in the order of names.
    pub rows: Vec<Listed>,
    /// After which name the next page goes on, which may have no rows; none on the last page.
    pub next: Option<Name>,
}

/// A row of a listing.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
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
/// # use sessile_records::{Checkpoint, Checkpoints};
/// use sessile_records::Listed;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let checkpoints = Checkpoints::on(Arc::new(memory.clone()), Space::default());
/// # let state = Payload::parse(r#"{"step":"plan"}"#)?;
/// # let of = |name: &str| {
/// #     let (name, run, kind) = (name.parse()?, "run-1".parse()?, "agent.step".parse()?);
/// #     Ok::<_, Error>(Checkpoint::new(name, run, kind, 1, state.clone()))
/// # };
/// checkpoints.compare_and_swap(of("a")?, None).await?;
/// // Another program has written here.
/// write(&memory, "checkpoints", "b", "junk").await?;
///
/// let damaged: Vec<Listed> = checkpoints.list(&[], None, 10).await?.rows;
/// let error = damaged[1].checkpoint.as_ref().unwrap_err();
/// assert_eq!((damaged[1].name.as_str(), error.kind()), ("b", ErrorKind::Corrupt));
/// // What the row says is what it takes to begin anew in its place.
/// let revision = error.actual_revision().expect("it was read");
/// checkpoints.force(of("b")?, revision).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Listed {
    /// The name of the checkpoint.
    pub name: Name,
    /// The checkpoint, or why it can't be read: damage is shown, never hidden.
    pub checkpoint: Result<Summary, Error>,
}

/// A checkpoint without its payload.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::{Payload, Space};
/// # use sessile_memory::MemoryBackend;
/// use sessile_records::{Checkpoint, Checkpoints, Summary};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let memory = MemoryBackend::new();
/// # let checkpoints = Checkpoints::on(Arc::new(memory.clone()), Space::default());
/// # let state = Payload::parse(r#"{"step":"plan"}"#)?;
/// for (name, kind) in [("job-7", "agent.step"), ("job-8", "acme.cursor")] {
///     let (name, run) = (name.parse()?, "run-1".parse()?);
///     let first = Checkpoint::new(name, run, kind.parse()?, 1, state.clone());
///     checkpoints.compare_and_swap(first, None).await?;
/// }
/// // How large a state is can be seen without having all of them in memory.
/// let mut page = checkpoints.list(&["acme.cursor".parse()?], None, 10).await?;
/// let summary: Summary = page.rows.remove(0).checkpoint?;
/// assert!(page.rows.is_empty());
/// assert_eq!((summary.number, summary.payload_bytes), (0, state.len()));
/// # Ok(())
/// # }
/// ```
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
