//! A mutation whose turn it is: one append at the end that is known, and what its answer means.

use std::sync::Arc;

use sessile_core::backend::Appended;
use sessile_core::commit::Tip;
use sessile_core::fold::{Recorded, SessionState};
use sessile_core::{Commit, CommitId, EntryType, Error, ErrorKind, Outcome};
use tokio::sync::OwnedMutexGuard;

use crate::deadline::{Backoff, Deadline};
use crate::delivery;
use crate::folded::Taken;
use crate::recall;
use crate::resident::{Resident, Turn, Unresolved};

/// A mutation whose turn it is.
#[derive(Debug)]
pub(super) struct Attempt {
    resident: Arc<Resident>,
    turn: OwnedMutexGuard<Turn>,
    deadline: Deadline,
    backoff: Backoff,
    conflicts: u32,
}

impl Attempt {
    /// Waits for the turn.
    ///
    /// # Errors
    /// *deadline* when it does not come in time.
    pub(super) async fn begin(resident: &Arc<Resident>) -> Result<Self, Error> {
        let deadline = resident.opened().deadline();
        Ok(Self {
            resident: Arc::clone(resident),
            turn: deadline.bound(resident.turn()).await?,
            deadline,
            backoff: Backoff::new(),
            conflicts: 0,
        })
    }

    /// Appends a commit where the state ended on which it was decided. None when the journal ends
    /// elsewhere: the state was read anew then, and whoever wants the commit must decide again.
    ///
    /// The place is the caller's to name: reads of the same handle move the folded state at any
    /// time, and what was decided on the one state must not be done on another.
    ///
    /// # Errors
    /// Those of the backend but for conflicts; *deadline* when there was one after the other.
    pub(super) async fn append(
        &mut self,
        at: Tip,
        commit: &Commit,
    ) -> Result<Option<Appended>, Error> {
        // Noted before it is sent: if this task ends before the answer comes, the next one knows.
        let earlier = self.turn.unresolved.clone();
        self.turn.unresolved.get_or_insert_with(|| Unresolved { id: commit.id().clone(), at });
        let (opened, key) = (self.resident.opened(), self.resident.key());
        let error = match delivery::deliver(opened, key, at, commit, self.deadline).await {
            Ok(appended) => {
                self.turn.unresolved = None;
                self.take_own(at, commit, &appended).await;
                return Ok(Some(of_caller(commit, appended)));
            }
            Err(error) => error,
        };
        let unknown = error.outcome() == Outcome::Unknown;
        if !delivery::has_left(&error) {
            if !unknown {
                self.turn.unresolved = earlier;
            }
            return Err(error);
        }
        let caught_up = self.catch_up().await;
        caught_up.map_err(|error| if unknown { error.outcome_unknown() } else { error })?;
        if unknown && self.tip() == at {
            // Whatever the backend says, the journal has not left the place: it may still land.
            return Err(error);
        }
        self.turn.unresolved = None;
        if error.kind() == ErrorKind::Deleted && self.tip() == at {
            // It refuses not because it has moved: nothing takes this tombstone back.
            return Err(error);
        }
        let own = self.own(commit).await;
        let own = own.map_err(|error| if unknown { error.outcome_unknown() } else { error })?;
        if let Some(appended) = own {
            return Ok(Some(appended));
        }
        self.wait_after(error).await?;
        Ok(None)
    }

    /// Folds what was appended, and what the backend put before it.
    async fn take_own(&self, at: Tip, commit: &Commit, appended: &Appended) {
        let taken = self.resident.folded_mut().take_own(at, commit, appended);
        if taken == Taken::Elsewhere {
            // The append stays done if this fails; the next one finds the end then.
            drop(self.catch_up().await);
        }
    }

    /// What an earlier sending of the commit did before the journal went on.
    async fn own(&self, commit: &Commit) -> Result<Option<Appended>, Error> {
        let recorded = self.recorded(commit.id()).await?;
        let own = recorded.filter(|recorded| recorded.token == commit.token());
        Ok(own.map(|recorded| Appended {
            first: recorded.first,
            tip: Tip { position: recorded.position, token: Some(recorded.token) },
            replayed: true,
        }))
    }

    /// Lets rivals go on before the next attempt. After the first conflict there is no wait, so
    /// that unrelated entries of others cost little.
    ///
    /// # Errors
    /// *deadline* when there is no time left for an attempt.
    pub(super) async fn wait_after(&mut self, conflict: Error) -> Result<(), Error> {
        self.conflicts += 1;
        let entropy = self.resident.opened().entropy();
        if self.conflicts == 1 || self.backoff.wait(entropy, self.deadline).await {
            return Ok(());
        }
        let clause = "others appended first until the deadline passed";
        Err(Error::new(ErrorKind::Deadline, clause).with_source(conflict).retryable())
    }

    /// Reads what was added to the journal.
    pub(super) async fn catch_up(&self) -> Result<(), Error> {
        let reading = self.resident.catch_up();
        self.deadline.bound(reading).await.flatten()
    }

    /// Looks at the folded state.
    pub(super) fn on_state<T>(&self, look: impl FnOnce(&SessionState) -> T) -> T {
        look(self.resident.folded().state())
    }

    /// Where the folded state ends.
    pub(super) fn tip(&self) -> Tip {
        self.on_state(SessionState::tip)
    }

    /// What is known of a commit id; none if it is not there, or damage hides it.
    ///
    /// # Errors
    /// *corrupt* where damage lies on the very commit; those of reading.
    pub(super) async fn recorded(&self, id: &CommitId) -> Result<Option<Recorded>, Error> {
        self.deadline.bound(recall::recall(&self.resident, id)).await.flatten()
    }

    /// The session.
    pub(super) fn resident(&self) -> &Resident {
        &self.resident
    }

    /// By when there must be an answer.
    pub(super) const fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// What an earlier mutation left open.
    pub(super) fn unresolved(&self) -> Option<&Unresolved> {
        self.turn.unresolved.as_ref()
    }

    /// Says that what was left open is not open any more.
    pub(super) fn resolved(&mut self) {
        self.turn.unresolved = None;
    }
}

/// What became of a caller's own entries: a state that rides before them is none.
fn of_caller(commit: &Commit, appended: Appended) -> Appended {
    let first = commit.entries().first().filter(|first| first.entry_type == EntryType::State);
    let after = first.and_then(|_| appended.first.next());
    Appended { first: after.unwrap_or(appended.first), ..appended }
}
