//! Ending what an unknown outcome leaves open.
//!
//! Reading alone can't tell: a write that is delayed may still land. A barrier at the end that
//! was read can: once it is there, a commit that was sent to that end before is either in the
//! journal, and then the barrier did not get that place, or it never will be.

use sessile_core::commit::Tip;
use sessile_core::entry::shape::Barrier;
use sessile_core::fold::{Lifecycle, Lookup, Recorded};
use sessile_core::{Commit, CommitId, EntryType, Error, NewEntry, Payload};

use super::attempt::Attempt;
use crate::decision::hidden;
use crate::joint::Unresolved;

impl Attempt {
    /// Ends what earlier mutations of this handle left open; answers whether it took a barrier.
    ///
    /// # Errors
    /// Those of reading and appending; nothing of the present mutation was sent then.
    pub(super) async fn settle(&mut self) -> Result<bool, Error> {
        let Some(unresolved) = self.unresolved().cloned() else {
            return Ok(false);
        };
        // Boxed, so that those who have nothing to settle have no room for it.
        Box::pin(self.end(unresolved)).await
    }

    async fn end(&mut self, Unresolved { id, at }: Unresolved) -> Result<bool, Error> {
        loop {
            self.catch_up().await.map_err(still_open)?;
            // Where it was sent the journal does not end any more.
            if self.tip() != at {
                self.resolved();
                return Ok(false);
            }
            if self.fence(&id, at).await.map_err(still_open)? {
                return Ok(true);
            }
        }
    }

    /// Finds out whether a commit is in the journal, and sees to it that it won't be later.
    ///
    /// # Errors
    /// Those of reading and appending; *corrupt* where damage may hide the commit.
    pub(super) async fn resolve(&mut self, id: &CommitId) -> Result<Option<Recorded>, Error> {
        let mut fenced = self.settle().await?;
        loop {
            self.catch_up().await?;
            self.recorded(id).await?;
            let (at, known) = self.on_state(|state| (state.tip(), state.commits().look(id)));
            match known {
                Lookup::Found(recorded) => {
                    if self.is_durable(recorded.position).await? {
                        return Ok(Some(recorded));
                    }
                    continue;
                }
                // It was added to while that was found out.
                Lookup::Unread(_) => continue,
                Lookup::Absent => {}
            }
            if let Some(error) = self.on_state(|state| hidden(state, id)) {
                return Err(error);
            }
            // Nothing lands behind a tombstone.
            let deleted = self.on_state(|state| state.lifecycle() == Lifecycle::Deleted);
            if fenced || deleted {
                return Ok(None);
            }
            fenced = self.fence(id, at).await?;
        }
    }

    /// Has a torn tail set aside; answers whether there was one.
    ///
    /// # Errors
    /// Those of reading and appending.
    pub(super) async fn repair(&mut self) -> Result<bool, Error> {
        self.settle().await?;
        let mut was_torn = false;
        loop {
            self.catch_up().await?;
            if !self.resident().folded().is_torn() {
                return Ok(was_torn);
            }
            was_torn = true;
            // Whatever is appended has the tail set aside first, which moves the end: the barrier
            // itself then has no place any more.
            self.append_barrier(None, self.tip()).await?;
        }
    }

    /// Appends a barrier for a commit at a tip; false when the journal has left that place by
    /// itself.
    async fn fence(&mut self, id: &CommitId, at: Tip) -> Result<bool, Error> {
        self.append_barrier(Some(id.clone()), at).await
    }

    async fn append_barrier(&mut self, resolves: Option<CommitId>, at: Tip) -> Result<bool, Error> {
        self.on_state(|state| state.accepts(&EntryType::Barrier))?;
        let opened = self.resident().opened();
        let data = Payload::of(&Barrier { resolves })?;
        let entry = NewEntry::new(opened.now(), EntryType::Barrier, data);
        let (barrier, token) = (opened.commit_id()?, opened.token());
        let commit = Commit::new(barrier, token, vec![entry], opened.limits())?;
        Ok(self.append(at, &commit).await?.is_some())
    }
}

/// What stands in the way of a new mutation is not the new one's outcome.
fn still_open(error: Error) -> Error {
    let clause = "an earlier commit has an unknown outcome, which can't be found out now";
    let hint = "try again; nothing of this call was sent";
    let wrapped = Error::new(error.kind(), clause).with_hint(hint);
    let wrapped = if error.may_retry() { wrapped.retryable() } else { wrapped };
    wrapped.with_source(error)
}
