//! The catalog: what a handle has to note of sessions, and when it does.
//!
//! Notes are derived: they order a listing and say what it shows, and whoever lists asks whether a
//! session still ends where its note says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use sessile_core::Error;
use sessile_core::backend::Gist;
use sessile_core::id::SessionKey;
use tokio::runtime::Handle;
use tokio::time::{self, Instant};

use crate::known::Known;
use crate::notes::{Left, Notes};
use crate::place::Place;

/// How many sessions a handle remembers the notes of, those aside that it has to write one of.
const REMEMBERED: usize = 4_096;

/// How many notes are written at a time.
const TOGETHER: usize = 8;

/// How long to wait at least after a note could not be written.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// For how long a note waits, so that it says what a listing shows of the session too: that is told
/// right after the append.
const WAIT: Duration = Duration::from_millis(20);

/// A handle's part in the catalog: what it has to note, and what it noted.
///
/// Clones are the same part.
#[derive(Clone, Debug)]
pub(crate) struct Catalog(Arc<Part>);

#[derive(Debug)]
struct Part {
    place: Arc<Place>,
    sessions: Mutex<Sessions>,
}

#[derive(Debug, Default)]
struct Sessions {
    by_key: HashMap<SessionKey, Session>,
    /// Whether a task is about that writes what is due.
    is_timed: bool,
}

#[derive(Debug, Default)]
struct Session {
    /// The time that is to be noted.
    pending: Option<u64>,
    /// The greatest time that this handle has noted.
    noted: Option<u64>,
    /// How this handle left it when it appended last.
    left: Option<Left>,
    /// Whether no note says so yet.
    is_untold: bool,
    /// How often that changed.
    changes: u64,
    /// Since when something is to be noted.
    since: Option<Instant>,
    /// When a note was written last, or could not be.
    tried: Option<Instant>,
    notes: Arc<tokio::sync::Mutex<Notes>>,
}

/// What is to be noted of a session.
struct Due {
    millis: u64,
    left: Option<Left>,
    /// How often that had changed.
    changes: u64,
}

impl Catalog {
    pub(crate) fn new(place: Arc<Place>) -> Self {
        Self(Arc::new(Part { place, sessions: Mutex::default() }))
    }

    /// Notes a session that is about to be created, so that it never lacks a note.
    ///
    /// # Errors
    /// Those of [`settle`].
    pub(crate) async fn stub(&self, key: &SessionKey, millis: u64) -> Result<(), Error> {
        let notes = Arc::clone(&self.0.lock().of(key).notes);
        notes.lock().await.stub(&self.0.place, key, millis).await?;
        let mut sessions = self.0.lock();
        let session = sessions.of(key);
        session.tried = Some(Instant::now());
        session.noted = session.noted.max(Some(millis));
        Ok(())
    }

    /// Notes that a session was active at a time and how it was left: before the answer where the
    /// options allow no lag, otherwise within the lag. What can't be written is tried again later.
    ///
    /// Where the time is noted already, what else there is to say of it waits for the lag; without
    /// one, until the next time is noted or all is closed.
    pub(crate) async fn note(&self, key: &SessionKey, millis: u64, known: Option<Arc<Known>>) {
        let is_new = self.0.lock().add(key, millis, known);
        if self.0.has_lag() || (is_new && self.0.write(key).await.is_err()) {
            self.time();
        }
    }

    /// Takes what a listing may show of a session, if that is how this handle left it.
    pub(crate) fn tell(&self, key: &SessionKey, gist: Arc<Gist>) {
        let is_new = self.0.lock().tell(key, gist);
        // Outside of a runtime it is said with the next note, or when all is closed.
        if is_new && self.0.has_lag() && Handle::try_current().is_ok() {
            self.time();
        }
    }

    /// Takes back whatever notes of a session say, for data of it was removed.
    ///
    /// # Errors
    /// Those of listing, of writing and of deleting; the same call completes it.
    pub(crate) async fn scrub(&self, key: &SessionKey) -> Result<(), Error> {
        let notes = self.0.lock().drop_left(key);
        notes.lock_owned().await.scrub(&self.0.place, key).await
    }

    /// Writes what is to be noted.
    ///
    /// # Errors
    /// The first of those that could not be written; they stay to be noted.
    pub(crate) async fn flush(&self) -> Result<(), Error> {
        let pending = self.0.lock().pending(None);
        self.0.write_all(pending).await
    }

    /// Sees to it that a task writes what is due.
    fn time(&self) {
        let mut sessions = self.0.lock();
        if !sessions.is_timed {
            sessions.is_timed = true;
            tokio::spawn(Self::run(Arc::clone(&self.0)));
        }
    }

    /// Writes what is due, until nothing is to be noted. When it can't write and there is no
    /// handle any more that could be asked to, it gives up.
    async fn run(part: Arc<Part>) {
        let lag = part.place.client.options().catalog_lag;
        loop {
            let due = part.lock().pending(Some(lag));
            let written = part.write_all(due).await;
            if written.is_err() {
                if Arc::strong_count(&part) == 1 {
                    return;
                }
                time::sleep(AFTER_FAILURE).await;
            }
            let next = part.lock().next_due(lag);
            match next {
                Some(next) => time::sleep_until(next).await,
                None => return,
            }
        }
    }
}

impl Part {
    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_lag(&self) -> bool {
        !self.place.client.options().catalog_lag.is_zero()
    }

    async fn write_all(&self, keys: Vec<SessionKey>) -> Result<(), Error> {
        let writing = stream::iter(keys).map(|key| async move { self.write(&key).await });
        let mut writing = writing.buffer_unordered(TOGETHER);
        let mut failed = None;
        while let Some(written) = writing.next().await {
            if let Err(error) = written {
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Writes the note that a session is to have. Whoever comes while another writes one waits,
    /// and may find that it was theirs too.
    async fn write(&self, key: &SessionKey) -> Result<(), Error> {
        let notes = Arc::clone(&self.lock().of(key).notes);
        let mut notes = notes.lock().await;
        let Some(due) = self.lock().of(key).due_now() else { return Ok(()) };
        let written = notes.write(&self.place, key, due.millis, due.left.as_ref()).await;
        self.lock().of(key).tried(written.is_ok().then_some(&due));
        written
    }
}

impl Sessions {
    fn of(&mut self, key: &SessionKey) -> &mut Session {
        if self.by_key.len() >= REMEMBERED && !self.by_key.contains_key(key) {
            // What is forgotten is listed when it is needed again.
            self.by_key.retain(|_, session| session.is_needed());
        }
        self.by_key.entry(key.clone()).or_default()
    }

    /// Takes how a session was left; answers whether its time is to be noted.
    fn add(&mut self, key: &SessionKey, millis: u64, known: Option<Arc<Known>>) -> bool {
        let session = self.of(key);
        if let Some(known) = known {
            session.leave(Some(Left { known, gist: None }));
        }
        let is_new = session.noted < Some(millis);
        if is_new {
            session.pending = session.pending.max(Some(millis));
            session.since.get_or_insert_with(Instant::now);
        }
        is_new
    }

    /// Takes what a listing may show of a session; answers whether that is to be said.
    fn tell(&mut self, key: &SessionKey, gist: Arc<Gist>) -> bool {
        let Some(session) = self.by_key.get_mut(key) else { return false };
        let is_new = |left: &&Left| left.known.tip == gist.tip && left.gist.as_ref() != Some(&gist);
        let known = session.left.as_ref().filter(is_new).map(|left| Arc::clone(&left.known));
        let Some(known) = known else { return false };
        session.leave(Some(Left { known, gist: Some(gist) }));
        true
    }

    /// Forgets how this handle left a session.
    fn drop_left(&mut self, key: &SessionKey) -> Arc<tokio::sync::Mutex<Notes>> {
        let session = self.of(key);
        session.leave(None);
        Arc::clone(&session.notes)
    }

    /// What is to be noted; with a lag, what is due by it.
    fn pending(&self, lag: Option<Duration>) -> Vec<SessionKey> {
        let is_due = |session: &Session| match lag {
            Some(lag) => session.due(lag).is_some_and(|due| due <= Instant::now()),
            None => session.pending.is_some() || session.is_untold,
        };
        let due = self.by_key.iter().filter(|(_, session)| is_due(session));
        due.map(|(key, _)| key.clone()).collect()
    }

    /// When something is due next; with nothing to note, the task that asks is over.
    fn next_due(&mut self, lag: Duration) -> Option<Instant> {
        let next = self.by_key.values().filter_map(|session| session.due(lag)).min();
        self.is_timed = next.is_some();
        next
    }
}

impl Session {
    fn leave(&mut self, left: Option<Left>) {
        self.is_untold = left.is_some();
        self.left = left;
        self.changes += 1;
        if self.is_untold {
            self.since.get_or_insert_with(Instant::now);
        }
    }

    /// When its note is to be written: almost at once, but not sooner after the last one than a lag.
    fn due(&self, lag: Duration) -> Option<Instant> {
        let is_due = self.pending.is_some() || (self.is_untold && !lag.is_zero());
        let since = self.since.filter(|_| is_due)? + WAIT.min(lag);
        Some(self.tried.map_or(since, |tried| since.max(tried + lag)))
    }

    fn due_now(&self) -> Option<Due> {
        let millis = self.pending.or_else(|| self.noted.filter(|_| self.is_untold))?;
        Some(Due { millis, left: self.left.clone(), changes: self.changes })
    }

    /// Keeps that what was due is written, or that nothing could be.
    fn tried(&mut self, written: Option<&Due>) {
        self.tried = Some(Instant::now());
        let Some(written) = written else { return };
        self.noted = self.noted.max(Some(written.millis));
        // What came meanwhile stays.
        if self.pending <= Some(written.millis) {
            self.pending = None;
        }
        if self.changes == written.changes {
            self.is_untold = false;
        }
        let is_left = self.pending.is_some() || self.is_untold;
        self.since = is_left.then(Instant::now);
    }

    /// Whether more than what a note says would be lost with it.
    fn is_needed(&self) -> bool {
        self.pending.is_some() || Arc::strong_count(&self.notes) > 1
    }
}

#[cfg(test)]
mod tests;
