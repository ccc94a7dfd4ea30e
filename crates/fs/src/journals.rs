//! The journals that a backend has open for appending, one queue each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sessile_core::backend::{Appended, Expected};
use sessile_core::commit::{Commit, Tip};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionId, SessionKey, Space};
use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

use crate::catalog::{Catalog, Marked};
use crate::create::{self, FirstBytes};
use crate::lock::Lock;
use crate::note::Note;
use crate::root::{self, Root, SESSIONS};
use crate::writer::Writer;

/// How many journals stay open for appending; each takes a few file descriptors.
const KEPT_OPEN: usize = 128;

/// How many are closed at once when there are too many: whoever needs the room waits for it.
const CLOSED_AT_ONCE: usize = 16;

/// How many bytes of payload an append has at most that is made where its caller is.
pub(crate) const MOST_AT_ONCE: usize = 64 << 10;

/// One journal of one backend.
#[derive(Debug)]
pub(crate) struct Journal {
    key: SessionKey,
    lock: Option<Lock>,
    writer: Option<Writer>,
    /// Where the catalog tells that it is open.
    marked: Option<Marked>,
}

/// Where a journal lies, and the catalog that tells of it.
#[derive(Clone, Debug)]
pub(crate) struct Shelves {
    pub(crate) root: Arc<Root>,
    pub(crate) catalog: Arc<Catalog>,
}

/// All journals that were appended to lately.
#[derive(Debug, Default)]
pub(crate) struct Journals(Mutex<HashMap<SessionKey, Arc<Queue<Journal>>>>);

impl Journals {
    /// Waits for a journal's turn.
    pub(crate) async fn turn(
        &self,
        key: &SessionKey,
        deadline: Duration,
    ) -> Result<OwnedMutexGuard<Journal>, Error> {
        let queue = self.queue(key);
        tokio::time::timeout(deadline, queue.lock_owned()).await.map_err(|_| {
            let clause = "other appends of this process took too long";
            Error::new(ErrorKind::Unavailable, clause).retryable().about(key)
        })
    }

    /// Takes out journals that nobody uses, to close them, if another one would be too many.
    pub(crate) fn make_room_for(&self, key: &SessionKey) -> Vec<Journal> {
        let mut journals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if journals.len() < KEPT_OPEN || journals.contains_key(key) {
            return Vec::new();
        }
        // Whoever waits for one or works on it holds another reference.
        let idle = journals.extract_if(|_, queue| Arc::strong_count(queue) == 1);
        let idle = idle.take(CLOSED_AT_ONCE);
        idle.filter_map(|(_, queue)| Arc::into_inner(queue).map(Queue::into_inner)).collect()
    }

    fn queue(&self, key: &SessionKey) -> Arc<Queue<Journal>> {
        let mut journals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Journal { key: key.clone(), lock: None, writer: None, marked: None };
        Arc::clone(journals.entry(key.clone()).or_insert_with(|| Arc::new(Queue::new(new()))))
    }

    /// Takes all journals out, to close them.
    pub(crate) fn take_all(&self) -> Vec<Arc<Queue<Journal>>> {
        let mut journals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        journals.drain().map(|(_, queue)| queue).collect()
    }
}

impl Journal {
    /// Appends commits, or makes the journal with them.
    pub(crate) fn append(
        &mut self,
        at: &Shelves,
        expected: Expected,
        commits: &[Commit],
        deadline: Duration,
    ) -> Result<Vec<Appended>, Error> {
        let appended = self.append_locked(at, expected, commits, deadline);
        self.let_go_if_missing(&appended);
        appended
    }

    /// Appends commits if that takes no more than a look, a write and a sync, and nobody has to be
    /// waited for; none where it would, and nothing was done.
    pub(crate) fn append_at_once(
        &mut self,
        at: &Shelves,
        expected: Expected,
        commits: &[Commit],
    ) -> Option<Result<Vec<Appended>, Error>> {
        let (Some(lock), Some(writer)) = (&self.lock, &mut self.writer) else {
            return None;
        };
        let entries = commits.iter().flat_map(Commit::entries);
        let bytes: usize = entries.map(|entry| entry.data.len()).sum();
        if commits.is_empty() || bytes > MOST_AT_ONCE || expected == Expected::At(Tip::ABSENT) {
            return None;
        }
        let held = match lock.try_hold() {
            Ok(held) => held?,
            Err(error) => return Some(Err(error)),
        };
        if !at.catalog.tells(&at.root, &self.key, self.marked.as_ref()) {
            return None;
        }
        let appended = writer.append(&at.root, &self.key, expected, commits);
        drop(held);
        self.let_go_if_missing(&appended);
        Some(appended)
    }

    /// Lets go of what is open where nothing is there any more.
    fn let_go_if_missing<T>(&mut self, done: &Result<T, Error>) {
        if done.as_ref().is_err_and(|error| error.kind() == ErrorKind::Missing) {
            // It was never there, or was taken away from outside: what is open leads nowhere.
            (self.writer, self.lock) = (None, None);
        }
    }

    fn append_locked(
        &mut self,
        at: &Shelves,
        expected: Expected,
        commits: &[Commit],
        deadline: Duration,
    ) -> Result<Vec<Appended>, Error> {
        let (key, root) = (&self.key, &*at.root);
        if commits.is_empty() {
            return Err(Error::new(ErrorKind::Refused, "an append needs at least one commit"));
        }
        let creates = expected == Expected::At(Tip::ABSENT);
        // A lock file is made for a journal that is there or is to be made, not for a wrong id.
        let is_there = self.writer.is_some() || create::is_taken(root, key)?;
        let first = match (creates, is_there) {
            (true, false) => Some(FirstBytes::of(key, commits)?),
            (false, false) => return Err(root::missing(key)),
            (_, true) => None,
        };
        let lock = match &mut self.lock {
            Some(lock) => lock,
            none => none.insert(open_lock(root, key)?),
        };
        let _held = lock.hold(deadline)?;
        if let Some(first) = first {
            at.catalog.mark(root, key, &mut self.marked);
            if let Some(appended) = create::create(root, key, first)? {
                return Ok(appended);
            }
        }
        let writer = opened(&mut self.writer, root, key)?;
        at.catalog.mark(root, key, &mut self.marked);
        writer.append(root, key, expected, commits)
    }

    /// Works on the journal while nobody else does; it must be there.
    pub(crate) fn exclusively<T>(
        &mut self,
        at: &Shelves,
        deadline: Duration,
        work: impl FnOnce(&mut Writer, &SessionKey) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (key, root) = (&self.key, &*at.root);
        if !create::is_taken(root, key)? {
            (self.writer, self.lock) = (None, None);
            return Err(root::missing(key));
        }
        let lock = match &mut self.lock {
            Some(lock) => lock,
            none => none.insert(open_lock(root, key)?),
        };
        let _held = lock.hold(deadline)?;
        let writer = opened(&mut self.writer, root, key)?;
        at.catalog.mark(root, key, &mut self.marked);
        work(writer, key)
    }

    /// Gives padding back and closes the files, unless another process is just appending; answers
    /// how it is left, and the lock, which is held until that is told.
    fn close(&mut self, at: &Shelves) -> Result<Option<(Note, Lock)>, Error> {
        let (Some(lock), writer) = (self.lock.take(), self.writer.take()) else {
            return Ok(None);
        };
        if !lock.is_held_by_trying() {
            return Ok(None);
        }
        // A journal that was made and not appended to since has padding, and no writer yet.
        let Ok(mut writer) = writer.map_or_else(|| Writer::open(&at.root, &self.key), Ok) else {
            return Ok(None);
        };
        let note = writer.trim(&self.key)?;
        if writer.was_replaced() {
            // What was noted of it may tell what somebody removed.
            at.catalog.forget(&self.key);
        }
        Ok(note.map(|note| (note, lock)))
    }
}

/// Closes journals, and notes how they are left.
pub(crate) fn close_all<'a>(
    at: &Shelves,
    journals: impl IntoIterator<Item = &'a mut Journal>,
) -> Result<(), Error> {
    let mut closed = Ok(());
    let mut left: HashMap<Space, Vec<(SessionId, Marked, Option<Note>)>> = HashMap::new();
    // Held until it is told how the journals are left, so that what others tell of them comes
    // after it.
    let mut held = Vec::new();
    for journal in journals {
        let note = journal.close(at).unwrap_or_else(|error| {
            closed = std::mem::replace(&mut closed, Ok(())).and(Err(error));
            None
        });
        let note = note.map(|(note, lock)| {
            held.push(lock);
            note
        });
        if let Some(marked) = journal.marked.take() {
            let left = left.entry(journal.key.space.clone()).or_default();
            left.push((journal.key.id.clone(), marked, note));
        }
    }
    for (space, left) in left {
        at.catalog.close(&at.root, &space, left);
    }
    drop(held);
    closed
}

fn open_lock(root: &Root, key: &SessionKey) -> Result<Lock, Error> {
    Lock::open(root.folder_or_made(&key.space, SESSIONS)?, root::lock_name(key))
}

fn opened<'a>(
    writer: &'a mut Option<Writer>,
    root: &Root,
    key: &SessionKey,
) -> Result<&'a mut Writer, Error> {
    match writer {
        Some(writer) => Ok(writer),
        none => Ok(none.insert(Writer::open(root, key)?)),
    }
}
