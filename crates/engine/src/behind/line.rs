//! What waits to be written of one session, and the state that it makes of it.

use std::collections::VecDeque;
use std::sync::Arc;

use sessile_core::backend::Appended;
use sessile_core::commit::Tip;
use sessile_core::fold::SessionState;
use sessile_core::{Commit, EntryType, Error};
use tokio::sync::oneshot;

use super::gathered::Gathered;
use crate::decision::Decision;
use crate::folded;
use crate::generation::Generation;
use crate::joint::Hold;
use crate::mutation::{Fate, Waiting};
use crate::resident::Resident;

/// What whoever waits for a change to be written is told.
pub(super) type Told = Result<Option<Appended>, Error>;

/// A change that waits.
pub(super) struct Pending {
    pub(super) generation: Generation,
    change: Arc<dyn Waiting>,
    /// The same, if it is messages that more may be added to.
    gathered: Option<Arc<Gathered>>,
    /// Whoever is to be told; none where nobody waits.
    asker: Option<oneshot::Sender<Told>>,
}

/// What waits of one session, in the order in which it was wanted.
pub(super) struct Line {
    resident: Arc<Resident>,
    /// What waits is nowhere else, so that the session stays in memory.
    _hold: Hold,
    pending: VecDeque<Pending>,
    /// How many of them are operations.
    operations: usize,
    ahead: Option<Ahead>,
    /// Whether it is being written: what was read meanwhile may hold some of it already.
    is_under_way: bool,
    /// Why the last try to write it failed.
    pub(super) error: Option<Error>,
}

/// The state that the session has once all that waits is written.
struct Ahead {
    /// Where the journal ended that it was made from.
    base: Tip,
    state: SessionState,
    /// How many of those that wait the state has.
    applied: usize,
}

impl Line {
    /// Nothing waits.
    pub(super) fn new(resident: &Arc<Resident>) -> Self {
        Self {
            _hold: resident.joint().hold(),
            resident: Arc::clone(resident),
            pending: VecDeque::new(),
            operations: 0,
            ahead: None,
            is_under_way: false,
            error: None,
        }
    }

    pub(super) const fn resident(&self) -> &Arc<Resident> {
        &self.resident
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// How many bytes of messages wait.
    pub(super) fn bytes(&self) -> usize {
        let gathered = self.pending.iter().filter_map(|pending| pending.gathered.as_ref());
        gathered.map(|gathered| gathered.bytes()).sum()
    }

    pub(super) const fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// The generations that wait, oldest first.
    pub(super) fn generations(&self) -> impl DoubleEndedIterator<Item = Generation> {
        self.pending.iter().map(|pending| pending.generation)
    }

    /// The state with all that waits.
    pub(super) fn state(&mut self) -> &mut SessionState {
        self.look_ahead();
        let ahead = self.ahead.get_or_insert_with(|| Ahead::of(&self.resident));
        for pending in self.pending.iter().skip(ahead.applied) {
            // What is refused by now is told when it is written.
            if let Ok(Decision::Append(commit)) = pending.change.decide(&ahead.state) {
                apply(&mut ahead.state, commit);
            }
        }
        ahead.applied = self.pending.len();
        &mut ahead.state
    }

    /// Sees that there is a state that is made of the journal as it is known, or was when writing
    /// began: while it is being written, what was read may have some of what waits already.
    fn look_ahead(&mut self) {
        let tip = self.resident.folded().state().tip();
        if !self.ahead.as_ref().is_some_and(|it| self.is_under_way || it.base == tip) {
            self.ahead = Some(Ahead::of(&self.resident));
        }
    }

    /// Puts a change at the end, with what it takes on the state that this has; false where that
    /// can't stand there.
    pub(super) fn push(
        &mut self,
        generation: Generation,
        change: Arc<dyn Waiting>,
        commit: Commit,
        asker: Option<oneshot::Sender<Told>>,
    ) -> bool {
        if !apply(self.state(), commit) {
            return false;
        }
        self.pending.push_back(Pending { generation, change, gathered: None, asker });
        self.operations += 1;
        if let Some(ahead) = &mut self.ahead {
            ahead.applied = self.pending.len();
        }
        true
    }

    /// Refuses messages that can't be appended after what waits.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn check_messages(&mut self) -> Result<(), Error> {
        let types = [EntryType::Message];
        // Other messages that wait make no difference to that, so nothing has to be made of them.
        if self.operations == 0 {
            return self.resident.folded().state().takes(&types, None);
        }
        self.state().takes(&types, None)
    }

    /// The messages at the end, if they may be added to; and their generation.
    pub(super) fn gathering(&self) -> Option<(Generation, &Gathered)> {
        let last = self.pending.back()?;
        Some((last.generation, last.gathered.as_deref()?))
    }

    /// Puts messages at the end.
    pub(super) fn gather(&mut self, generation: Generation, messages: Gathered) {
        let gathered = Arc::new(messages);
        let change: Arc<dyn Waiting> = Arc::<Gathered>::clone(&gathered);
        let gathered = Some(gathered);
        self.pending.push_back(Pending { generation, change, gathered, asker: None });
    }

    /// Forgets the state that was made, since what it was made from has changed.
    pub(super) fn look_again(&mut self) {
        if !self.is_under_way {
            self.ahead = None;
        }
    }

    /// Begins to write; answers what.
    pub(super) fn begin(&mut self) -> (Arc<Resident>, Vec<Arc<dyn Waiting>>) {
        self.look_ahead();
        self.is_under_way = true;
        let changes = self.pending.iter().map(|pending| Arc::clone(&pending.change)).collect();
        (Arc::clone(&self.resident), changes)
    }

    /// Ends writing; answers what was superseded and whom nobody could tell.
    pub(super) fn end(
        &mut self,
        fates: Vec<Fate>,
        error: Option<Error>,
    ) -> Vec<(Generation, Error, bool)> {
        self.is_under_way = false;
        self.ahead = None;
        self.error = error;
        let mut superseded = Vec::new();
        for fate in fates {
            let Some(Pending { generation, asker, gathered, .. }) = self.pending.pop_front() else {
                break;
            };
            self.operations -= usize::from(gathered.is_none());
            let told = match fate {
                Fate::Appended(appended) => Ok(Some(appended)),
                Fate::Stands => Ok(None),
                Fate::Superseded(error) => Err(error.about(self.resident.key())),
            };
            let error = told.as_ref().err().cloned();
            let is_told = asker.is_some_and(|asker| asker.send(told).is_ok());
            superseded.extend(error.map(|error| (generation, error, is_told)));
        }
        let position = if self.operations == 0 {
            self.resident.folded().state().position()
        } else {
            self.state().position()
        };
        self.resident.joint().arrive(position, !superseded.is_empty());
        superseded
    }
}

impl Ahead {
    /// Without anything that waits.
    fn of(resident: &Resident) -> Self {
        let state = resident.folded().state().clone();
        Self { base: state.tip(), state, applied: 0 }
    }
}

/// Adds a commit to a state; false where it can't stand there.
fn apply(state: &mut SessionState, commit: Commit) -> bool {
    let commit = commit.not_before(state.updated_at());
    let Some(stored) = folded::stored(state.tip(), &commit) else {
        return false;
    };
    state.apply(&stored);
    true
}
