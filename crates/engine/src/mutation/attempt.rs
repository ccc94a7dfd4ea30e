//! A mutation whose turn it is: one append at the end that is known, and what its answer means.

use std::slice;
use std::sync::Arc;

use sessile_core::backend::Appended;
use sessile_core::commit::Tip;
use sessile_core::fold::{Recorded, SessionState};
use sessile_core::{Commit, CommitId, EntryType, Error, ErrorKind, Outcome};
use tokio::sync::OwnedMutexGuard;

use crate::deadline::{Backoff, Deadline};
use crate::decision::Sought;
use crate::delivery;
use crate::folded::Taken;
use crate::joint::{Turn, Unresolved};
use crate::recall;
use crate::resident::Resident;

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
        let turn = deadline.bound(resident.turn()).await?;
        Ok(Self::with_turn(resident, turn, deadline))
    }

    /// Has the turn.
    pub(super) fn with_turn(
        resident: &Arc<Resident>,
        turn: OwnedMutexGuard<Turn>,
        deadline: Deadline,
    ) -> Self {
        let resident = Arc::clone(resident);
        Self { resident, turn, deadline, backoff: Backoff::new(), conflicts: 0 }
    }

    /// Puts the deadline off for somebody who waits longer.
    pub(super) fn wait_until(&mut self, deadline: Deadline) {
        self.deadline = self.deadline.max(deadline);
    }

    /// Appends a commit where the state ended on which it was decided. None when the journal ends
    /// elsewhere: the state was read anew then, and whoever wants the commit must decide again.
    ///
    /// # Errors
    /// Those of [`append_all`](Self::append_all).
    pub(super) async fn append(
        &mut self,
        at: Tip,
        commit: &Commit,
    ) -> Result<Option<Appended>, Error> {
        let appended = self.append_all(at, slice::from_ref(commit)).await?;
        Ok(appended.into_iter().next().flatten())
    }

    /// Appends commits, one after the other, where the state ended on which the first was decided.
    /// Answers for each; none for what is not in the journal and never will be, since that ends
    /// elsewhere: the state was read anew then, and whoever wants it must decide again.
    ///
    /// The place is the caller's to name: reads of the same handle move the folded state at any
    /// time, and what was decided on the one state must not be done on another.
    ///
    /// # Errors
    /// Those of the backend but for conflicts; *deadline* when there was one after the other. They
    /// are of all the commits.
    pub(super) async fn append_all(
        &mut self,
        at: Tip,
        commits: &[Commit],
    ) -> Result<Vec<Option<Appended>>, Error> {
        // Noted before it is sent: if this task ends before the answer comes, the next one knows.
        let earlier = self.turn.unresolved.clone();
        if let (None, Some(first)) = (&earlier, commits.first()) {
            self.turn.unresolved = Some(Unresolved { id: first.id().clone(), at });
        }
        let (opened, key) = (self.resident.opened(), self.resident.key());
        let error = match delivery::deliver_all(opened, key, at, commits, self.deadline).await {
            Ok(appended) => {
                self.turn.unresolved = None;
                self.take_own(at, commits, &appended).await;
                let each = commits.iter().zip(appended);
                return Ok(each.map(|(commit, it)| Some(of_caller(commit, it))).collect());
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
        let mut own = Vec::with_capacity(commits.len());
        for commit in commits {
            let done = self.own(commit).await;
            own.push(done.map_err(|error| if unknown { error.outcome_unknown() } else { error })?);
        }
        if own.iter().all(Option::is_none) {
            self.wait_after(error).await?;
        }
        Ok(own)
    }

    /// Folds what was appended, and what the backend put before it.
    async fn take_own(&self, at: Tip, commits: &[Commit], appended: &[Appended]) {
        let mut at = at;
        for (commit, appended) in commits.iter().zip(appended) {
            if self.resident.folded_mut().take_own(at, commit, appended) == Taken::Elsewhere {
                // The append stays done if this fails; the next one finds the end then.
                drop(self.catch_up().await);
                return;
            }
            at = appended.tip;
        }
        self.resident.note_gist();
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
        let reading = Box::pin(self.resident.catch_up());
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
        self.deadline.bound(Box::pin(recall::recall(&self.resident, id))).await.flatten()
    }

    /// Finds out what can be found out of this, so that it can be decided upon.
    ///
    /// # Errors
    /// Those of [`recorded`](Self::recorded).
    pub(super) async fn recall(&self, sought: &Sought) -> Result<(), Error> {
        match sought {
            Sought::Commit(id) => self.recorded(id).await.map(drop),
            Sought::Request(id) => {
                let recalling = Box::pin(recall::recall_request(&self.resident, id));
                self.deadline.bound(recalling).await.flatten().map(drop)
            }
        }
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
