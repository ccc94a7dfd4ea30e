//! What waits to be written of a store, and who writes it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use sessile_core::fold::SessionState;
use sessile_core::{Error, ErrorKind, SessionKey};
use tokio::sync::{Notify, watch};

use super::book::{Backlog, Book, Waits};
use super::line::Line;
use crate::deadline;
use crate::generation::Generation;
use crate::mutation::{self, Fate};
use crate::resident::Resident;

/// How many sessions are written at once.
const AT_ONCE: usize = 16;

/// The longest wait before writing is tried again.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// What waits to be written of a store.
pub(crate) struct Behind {
    window: Duration,
    book: Mutex<Book>,
    /// Has the writer wait no longer.
    hurry: Arc<Notify>,
    /// How many cycles have ended.
    rounds: watch::Sender<u64>,
}

impl Behind {
    /// Nothing waits; what will waits at most about this long.
    pub(crate) fn new(window: Duration) -> Arc<Self> {
        let (hurry, rounds) = (Arc::default(), watch::Sender::new(0));
        Arc::new(Self { window, book: Mutex::default(), hurry, rounds })
    }

    /// What waits, and what became of what has waited.
    pub(crate) fn figures(&self) -> Backlog {
        self.lock().figures()
    }

    /// The fold of a session of which something waits.
    pub(crate) fn resident(&self, key: &SessionKey) -> Option<Arc<Resident>> {
        self.lock().lines.get(key).map(|line| Arc::clone(line.resident()))
    }

    /// The state of a session with what waits of it; none where nothing does.
    pub(crate) fn state(&self, key: &SessionKey) -> Option<SessionState> {
        let mut book = self.lock();
        let line = book.lines.get_mut(key)?;
        line.look_again();
        Some(line.state().clone())
    }

    /// Has everything of a session written that waits, so that what follows comes after it.
    ///
    /// # Errors
    /// Why that failed; it still waits, and what was to follow was not done.
    pub(crate) async fn drain(self: &Arc<Self>, key: &SessionKey) -> Result<(), Error> {
        let last = {
            let book = self.lock();
            book.lines.get(key).and_then(|line| line.generations().next_back())
        };
        let Some(last) = last else {
            return Ok(());
        };
        self.written(|book| book.waits_of(key, last)).await.map_err(|error| {
            Error::new(error.kind(), "what waits to be written before it could not be written")
                .with_source(error)
                .retryable()
        })
    }

    /// Waits until nothing of a generation or an earlier one waits any more.
    ///
    /// # Errors
    /// Why the next try to write it failed; *superseded* where some of it was refused then, and told
    /// to nobody yet.
    pub(crate) async fn flush_through(self: &Arc<Self>, through: Generation) -> Result<(), Error> {
        self.written(|book| book.waits(through)).await.map_err(Error::outcome_unknown)?;
        match self.lock().tell(through) {
            None => Ok(()),
            Some((_, error)) => Err(error),
        }
    }

    /// Has all of it written that waits, and takes nothing more.
    ///
    /// # Errors
    /// Why that failed: it is open as before then. *superseded* as in
    /// [`flush_through`](Self::flush_through), once nothing waits any more.
    pub(crate) async fn close(self: &Arc<Self>) -> Result<(), Error> {
        let last = {
            let mut book = self.lock();
            book.is_closed = true;
            book.last
        };
        let flushed = self.flush_through(last).await;
        let mut book = self.lock();
        book.is_closed = book.lines.is_empty();
        flushed
    }

    /// Waits until nobody writes a session.
    pub(super) async fn at_rest(&self, key: &SessionKey) {
        let mut rounds = self.rounds.subscribe();
        let is_under_way = || self.lock().lines.get(key).is_some_and(Line::is_under_way);
        while is_under_way() && rounds.changed().await.is_ok() {}
    }

    /// Waits until something does not wait any more, and has the writer hurry.
    pub(super) async fn written(
        self: &Arc<Self>,
        waits: impl Fn(&Book) -> Waits,
    ) -> Result<(), Error> {
        let mut rounds = self.rounds.subscribe();
        // A cycle that is under way may have begun before.
        let covering = {
            let mut book = self.lock();
            self.arm(&mut book);
            book.begun + 1
        };
        loop {
            {
                let book = self.lock();
                match waits(&book) {
                    Waits::Not => return Ok(()),
                    Waits::Still(Some(error)) if book.ended >= covering => return Err(error),
                    Waits::Still(_) => {}
                }
            }
            self.hurry.notify_one();
            if rounds.changed().await.is_err() {
                return Err(Error::new(ErrorKind::Unavailable, "the store is gone"));
            }
        }
    }

    /// Has the writer wait no longer.
    pub(super) fn hasten(&self) {
        self.hurry.notify_one();
    }

    /// Sees that there is a task that writes.
    pub(super) fn arm(self: &Arc<Self>, book: &mut Book) {
        if !book.is_running && !book.lines.is_empty() {
            book.is_running = true;
            let running = Running { behind: Arc::downgrade(self), is_done: false };
            tokio::spawn(write(running, Arc::clone(&self.hurry), self.window));
        }
    }

    /// Writes what waits; answers whether some of it still does because that failed.
    async fn cycle(&self) -> bool {
        let work: Vec<_> = {
            let mut book = self.lock();
            book.begun += 1;
            let lines = book.lines.iter_mut().filter(|(_, line)| !line.is_empty());
            lines.map(|(key, line)| (key.clone(), line.begin())).collect()
        };
        let writes: Vec<_> = work.into_iter().map(|(key, work)| one(key, work).boxed()).collect();
        let ended: Vec<_> = stream::iter(writes).buffer_unordered(AT_ONCE).collect().await;
        let mut book = self.lock();
        let mut failed = None;
        for (key, (fates, error)) in ended {
            let Some(line) = book.lines.get_mut(&key) else { continue };
            failed = failed.or_else(|| error.clone());
            let superseded = line.end(fates, error);
            if line.is_empty() {
                book.lines.remove(&key);
            }
            for (generation, error, is_told) in superseded {
                book.note_superseded(generation, error, is_told);
            }
        }
        book.bytes = book.lines.values().map(Line::bytes).sum();
        book.note_failure(failed.as_ref());
        book.ended = book.begun;
        self.rounds.send_replace(book.ended);
        failed.is_some()
    }

    /// What is changed under the lock is changed at once, so a holder that panicked leaves it
    /// whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what waits of one session.
async fn one(
    key: SessionKey,
    (resident, changes): (Arc<Resident>, Vec<Arc<dyn mutation::Waiting>>),
) -> (SessionKey, (Vec<Fate>, Option<Error>)) {
    let written = mutation::write_all(&resident, changes).await;
    (key, written)
}

/// Writes what waits, again and again until nothing does or nobody is there who wants it.
async fn write(mut running: Running, hurry: Arc<Notify>, window: Duration) {
    let mut wait = window;
    loop {
        deadline::pause(wait, hurry.notified()).await;
        let Some(behind) = running.behind.upgrade() else {
            return;
        };
        let failed = behind.cycle().await;
        let mut book = behind.lock();
        if book.lines.is_empty() {
            // What comes from here on begins another task.
            book.is_running = false;
            running.is_done = true;
            return;
        }
        wait = if failed { (wait * 2).clamp(window, LONGEST_WAIT.max(window)) } else { window };
    }
}

/// That a task writes; without the runtime that ran it there is none any more.
struct Running {
    behind: Weak<Behind>,
    is_done: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(behind) = self.behind.upgrade().filter(|_| !self.is_done) {
            behind.lock().is_running = false;
        }
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        let book = self.lock();
        let generations = || book.lines.values().flat_map(Line::generations);
        if let (Some(first), Some(last)) = (generations().min(), generations().max()) {
            tracing::warn!(
                changes = generations().count(),
                first = first.number(),
                last = last.number(),
                "a store was dropped before what waited was written; it is lost"
            );
        }
        drop(book);
        self.hurry.notify_one();
    }
}

impl fmt::Debug for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Behind").field(&self.figures()).finish()
    }
}
