//! Where an append goes, under which id, and what it answers.

use sessile_core::fold::SessionState;
use sessile_core::{CommitId, Error, Position, Seq};

/// Where entries are appended, and under which commit id.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_engine::{NewSession, Store};
/// use sessile_core::ErrorKind;
/// use sessile_engine::Append;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// // Wherever the journal ends; a repeat under the same id is recognised, for ever.
/// let retry_safe = Append::at_end().commit_id("turn-7".parse()?);
/// let done = session.append_with(retry_safe.clone(), ["hi"]).await?;
/// assert!(session.append_with(retry_safe, ["hi"]).await?.replayed);
///
/// // Only where nobody else was faster.
/// session.append_with(Append::at(done.position), ["one"]).await?;
/// let late = session.append_with(Append::at(done.position), ["two"]).await;
/// assert_eq!(late.unwrap_err().kind(), ErrorKind::Conflict);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    place: Place,
    commit_id: Option<CommitId>,
}

/// Where the caller wants the journal to end before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Exactly there.
    At(Position),
    /// Wherever.
    End,
}

impl Append {
    /// Appends only if nothing was added since a position; else it is a conflict.
    ///
    /// Repairs and other entries that are no caller's do not count as added. Use the position
    /// that the answer names for the next append.
    pub const fn at(position: Position) -> Self {
        Self { place: Place::At(position), commit_id: None }
    }

    /// Appends at the end, whoever else appends meanwhile.
    pub const fn at_end() -> Self {
        Self { place: Place::End, commit_id: None }
    }

    /// Names the commit, so that sending it again is safe; minted unless given.
    ///
    /// The same content under the same id is answered with the first result, also on a closed
    /// session and from any other process; other content is a conflict.
    #[must_use]
    pub fn commit_id(mut self, id: CommitId) -> Self {
        self.commit_id = Some(id);
        self
    }

    /// The commit id that the caller chose.
    pub(crate) const fn given(&self) -> Option<&CommitId> {
        self.commit_id.as_ref()
    }

    /// Refuses a place that does not hold.
    ///
    /// # Errors
    /// *conflict* with the actual position.
    pub(crate) fn check(&self, state: &SessionState) -> Result<(), Error> {
        match self.place {
            Place::At(position) if !state.holds(position) => {
                Err(Error::conflict(position, state.position()))
            }
            Place::At(_) | Place::End => Ok(()),
        }
    }

    /// The same append, at a position if it names none.
    pub(crate) fn or_at(mut self, position: Position) -> Self {
        if self.place == Place::End {
            self.place = Place::At(position);
        }
        self
    }

    pub(crate) fn into_parts(self) -> (Place, Option<CommitId>) {
        (self.place, self.commit_id)
    }
}

impl Default for Append {
    /// At the end, under a minted id.
    fn default() -> Self {
        Self::at_end()
    }
}

/// What an append did.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Append;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let done = session.append(["one", "two"]).await?;
/// assert_eq!(done.position.number(), done.first.number() + 2);
/// let repeat = Append::at_end().commit_id(done.commit_id.clone());
/// assert!(session.append_with(repeat, ["one", "two"]).await?.replayed);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Committed {
    /// The number of its first entry.
    pub first: Seq,
    /// Where the journal ended right after it: what [`Append::at`] takes next.
    pub position: Position,
    /// The commit's id.
    pub commit_id: CommitId,
    /// Whether an earlier call had done it, and this one only answers what it did.
    pub replayed: bool,
}
