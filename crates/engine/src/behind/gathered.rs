//! Messages that wait to be appended, gathered into commits as they come.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sessile_core::fold::{Lookup, SessionState};
use sessile_core::{Commit, CommitId, EntryType, Error, NewEntry};

use crate::decision::{Decision, Sought, hidden};
use crate::mutation::Waiting;
use crate::opened::Opened;

/// How many messages are gathered into one commit.
const MOST: usize = 256;

/// How many bytes of them, unless one call has more.
const MOST_BYTES: usize = 256 << 10;

/// Messages that will be one commit.
pub(super) struct Gathered {
    opened: Arc<Opened>,
    id: CommitId,
    /// Whether it may be in the journal although nobody was told so.
    is_sent: AtomicBool,
    messages: Mutex<Messages>,
    /// How many bytes of payload they have together.
    bytes: AtomicUsize,
}

enum Messages {
    /// More may come.
    Open(Vec<NewEntry>),
    /// It was decided once, and stays as it is.
    Made(Result<Commit, Error>),
}

impl Gathered {
    /// Those of one call.
    ///
    /// # Errors
    /// None of its own: those of minting an id.
    pub(super) fn new(
        opened: &Arc<Opened>,
        entries: Vec<NewEntry>,
        bytes: usize,
    ) -> Result<Self, Error> {
        Ok(Self {
            id: opened.commit_id()?,
            opened: Arc::clone(opened),
            is_sent: AtomicBool::new(false),
            messages: Mutex::new(Messages::Open(entries)),
            bytes: AtomicUsize::new(bytes),
        })
    }

    /// Takes those of one more call, all of them or none; gives them back where there is no room.
    pub(super) fn take(&self, more: Vec<NewEntry>, bytes: usize) -> Option<Vec<NewEntry>> {
        let most_bytes = MOST_BYTES.min(self.opened.limits().commit_bytes);
        match &mut *self.lock() {
            Messages::Open(entries)
                if entries.len() + more.len() <= MOST && self.bytes() + bytes <= most_bytes =>
            {
                entries.extend(more);
                self.bytes.fetch_add(bytes, Ordering::Relaxed);
                None
            }
            _ => Some(more),
        }
    }

    /// How many bytes of payload they have together.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes no more.
    pub(super) fn close(&self) {
        // Made here, it need not be made where others wait for it; why it can't be made is told
        // where it is written.
        drop(self.commit());
    }

    /// The commit that they are from now on.
    fn commit(&self) -> Result<Commit, Error> {
        let mut messages = self.lock();
        let made = match &mut *messages {
            Messages::Open(entries) => {
                let (opened, entries) = (&self.opened, std::mem::take(entries));
                Commit::new(self.id.clone(), opened.token(), entries, opened.limits())
            }
            Messages::Made(made) => return made.clone(),
        };
        *messages = Messages::Made(made.clone());
        made
    }

    /// What is changed under the lock is changed at once, so a holder that panicked leaves it
    /// whole.
    fn lock(&self) -> MutexGuard<'_, Messages> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting for Gathered {
    fn decide(&self, state: &SessionState) -> Result<Decision<()>, Error> {
        if self.is_sent.load(Ordering::Acquire) {
            match state.commits().look(&self.id) {
                Lookup::Found(recorded) => return Ok(Decision::Stands((), recorded.position)),
                Lookup::Unread(_) => return Ok(Decision::Recall(Sought::Commit(self.id.clone()))),
                Lookup::Absent => hidden(state, &self.id).map_or(Ok(()), Err)?,
            }
        }
        state.takes(&[EntryType::Message], None)?;
        self.commit().map(Decision::Append)
    }

    fn may_be_there(&self) {
        self.is_sent.store(true, Ordering::Release);
    }
}
