//! Placing derived states, from which later openings go on.
//!
//! A state rides as the first entry of a caller's own commit, so that an append stays one write.

use sessile_core::admission::Plan;
use sessile_core::commit::Tip;
use sessile_core::fold::{SessionState, Unread};
use sessile_core::{Commit, CommitId, EntryType, Error, ErrorKind, NewEntry, Payload, Seq};

use super::attempt::Attempt;
use crate::lagging;
use crate::recall;

impl Attempt {
    /// The commit with a state before its entries, where one is due.
    ///
    /// Without it the commit is as good: whatever stands in the way only makes a later opening
    /// read more.
    ///
    /// # Errors
    /// None of its own: those of making an entry.
    pub(super) async fn with_state(&self, at: Tip, commit: Commit) -> Result<Commit, Error> {
        if !self.wants_state(&commit) {
            return Ok(commit);
        }
        // Boxed, so that those who want none have no room for it.
        let Some(data) = Box::pin(self.state_before(at)).await? else {
            return Ok(commit);
        };
        let opened = self.resident().opened();
        let state = NewEntry::new(opened.now(), EntryType::State, data);
        Ok(commit.clone().with_state(state, opened.limits()).unwrap_or(commit))
    }

    /// The same for a commit that is to be appended together with those that lead to a state, so that
    /// states stand no further apart where many commits wait. Nothing is read for it: what it would
    /// take over of earlier states' ids stays with those.
    pub(super) fn with_state_of(&self, state: &SessionState, commit: Commit) -> Commit {
        if !carries(&commit) || !self.is_due(state) {
            return commit;
        }
        let Ok(Some(data)) = state.to_snapshot() else {
            return commit;
        };
        let opened = self.resident().opened();
        let state = NewEntry::new(opened.now(), EntryType::State, data);
        commit.clone().with_state(state, opened.limits()).unwrap_or(commit)
    }

    /// The commit of a plan at a tip, with a state before its entries where one is due: what they
    /// say of one another's numbers is as they stand then.
    ///
    /// # Errors
    /// *refused* above a limit, or when the journal is full.
    pub(super) async fn planned(
        &self,
        at: Tip,
        id: &CommitId,
        plan: &Plan,
    ) -> Result<Commit, Error> {
        let opened = self.resident().opened();
        let (now, full) =
            (opened.now(), || Error::new(ErrorKind::Refused, "the journal has no numbers left"));
        let first = at.position.seq().ok_or_else(full)?;
        // A token belongs to one attempt at one place.
        let entries = plan.entries(first, now)?;
        let commit = Commit::new(id.clone(), opened.token(), entries, opened.limits())?;
        if !self.wants_state(&commit) {
            return Ok(commit);
        }
        let Some(data) = Box::pin(self.state_before(at)).await? else {
            return Ok(commit);
        };
        let moved = plan.entries(first.next().ok_or_else(full)?, now)?;
        Ok(self.before(data, &moved, &commit).unwrap_or(commit))
    }

    /// Whether a state is due that may ride on a commit.
    fn wants_state(&self, commit: &Commit) -> bool {
        carries(commit) && self.on_state(|state| self.is_due(state))
    }

    /// The state to ride before a commit's entries at a tip; none where none is at hand.
    async fn state_before(&self, at: Tip) -> Result<Option<Payload>, Error> {
        // Without it the state has less, which costs later openings and nothing else.
        drop(self.deadline().bound(lagging::make_up(self.resident())).await);
        for run in self.on_state(SessionState::runs_to_merge) {
            if !self.read_run(run).await {
                break;
            }
        }
        // What was read meanwhile may have moved the state.
        let snapshot = self.on_state(|state| (state.tip() == at).then(|| state.to_snapshot()));
        Ok(snapshot.transpose()?.flatten())
    }

    /// Whether so much was folded since the last state that the next one is due.
    fn is_due(&self, state: &SessionState) -> bool {
        let since = state.since_state();
        let options = self.resident().opened().options();
        since.entries >= options.state_entries || since.bytes >= options.state_bytes
    }

    /// Reads a run of ids that the state is to take over; answers whether that could be done.
    async fn read_run(&self, state: Seq) -> bool {
        let unread = Unread::Run(state);
        let reading = Box::pin(recall::read(self.resident(), unread));
        let read = self.deadline().bound(reading).await.flatten();
        let Ok(Some(commit)) = read else {
            return false;
        };
        self.resident().folded_mut().learn(unread, &commit)
    }

    /// The commit with a state before these entries; none where it is above a limit with it.
    fn before(&self, data: Payload, entries: &[NewEntry], commit: &Commit) -> Option<Commit> {
        let opened = self.resident().opened();
        let mut all = vec![NewEntry::new(opened.now(), EntryType::State, data)];
        all.extend(entries.iter().cloned());
        Commit::new(commit.id().clone(), commit.token(), all, opened.limits()).ok()
    }
}

/// Whether a state may ride on a commit: the entries of copies have numbers of their own, and
/// nobody goes on from a tombstone.
fn carries(commit: &Commit) -> bool {
    let entries = || commit.entries().iter();
    entries().all(|entry| entry.seq.is_none())
        && entries().any(|entry| !entry.entry_type.is_bookkeeping())
        && !commit.has(&EntryType::Delete)
        && !commit.has(&EntryType::State)
}
