//! The catalog: notes that tell when sessions were last active.
//!
//! A note is an object without bytes, whose name tells the session and the time. Notes are
//! derived: they order a listing, and whoever lists looks at the journals themselves. The greatest
//! time of a session counts, so a note that lands late or is written twice does no harm, and
//! older ones are deleted only when a newer one is there.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sessile_core::Error;
use sessile_core::id::{SessionId, SessionKey, Space};
use tokio::time::{self, Instant};

use crate::client::Only;
use crate::place::Place;
use crate::settle::{Settled, Whose, settle};

/// How many sessions a handle remembers the notes of, those aside that it has to write one of.
const REMEMBERED: usize = 4_096;

/// How many notes are written at a time.
const TOGETHER: usize = 8;

/// How long to wait at least after a note could not be written.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The sessions of a space that are noted, each with the greatest time that a note tells.
///
/// # Errors
/// *unavailable*, *permission*.
pub(crate) async fn noted(place: &Place, space: &Space) -> Result<Vec<(SessionId, u64)>, Error> {
    let mut listed = place.client.list(&place.keys.catalog(space), None);
    let mut times = BTreeMap::new();
    while let Some(listed) = listed.try_next().await? {
        if let Some((id, millis)) = place.keys.noted(space, &listed.path) {
            let time = times.entry(id).or_insert(millis);
            *time = millis.max(*time);
        }
    }
    Ok(times.into_iter().collect())
}

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
    /// When a note was written last, or could not be.
    tried: Option<Instant>,
    notes: Arc<tokio::sync::Mutex<Notes>>,
}

/// The notes of one session, as far as this handle knows them.
#[derive(Debug, Default)]
struct Notes {
    greatest: Option<u64>,
    /// Those that are to be deleted.
    older: Vec<u64>,
    /// Whether what others noted before is among them.
    is_listed: bool,
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
        notes.lock().await.create(&self.0.place, key, millis).await?;
        self.0.lock().of(key).tried = Some(Instant::now());
        Ok(())
    }

    /// Notes that a session was active at a time: before the answer where the options allow no
    /// lag, otherwise within the lag. What can't be written is tried again later.
    pub(crate) async fn note(&self, key: &SessionKey, millis: u64) {
        self.0.lock().add(key, millis);
        let has_lag = !self.0.place.client.options().catalog_lag.is_zero();
        if has_lag || self.0.write(key).await.is_err() {
            self.time();
        }
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
        let lag = part.place.client.options().catalog_lag.max(Duration::from_millis(1));
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
        let Some(millis) = self.lock().of(key).pending else { return Ok(()) };
        let written = notes.write(&self.place, key, millis).await;
        self.lock().tried(key, written.is_ok().then_some(millis));
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

    fn add(&mut self, key: &SessionKey, millis: u64) {
        let pending = &mut self.of(key).pending;
        *pending = (*pending).max(Some(millis));
    }

    /// Keeps that a note was written, or that none could be.
    fn tried(&mut self, key: &SessionKey, written: Option<u64>) {
        let session = self.of(key);
        session.tried = Some(Instant::now());
        // One that came meanwhile stays.
        if session.pending <= written {
            session.pending = None;
        }
    }

    /// What is to be noted; with a lag, what is due by it.
    fn pending(&self, lag: Option<Duration>) -> Vec<SessionKey> {
        let is_due = |session: &Session| match lag {
            Some(lag) => session.due(lag).is_some_and(|due| due <= Instant::now()),
            None => session.pending.is_some(),
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
    /// When its note is to be written: at once, but not sooner after the last one than a lag.
    fn due(&self, lag: Duration) -> Option<Instant> {
        self.pending.map(|_| self.tried.map_or_else(Instant::now, |tried| tried + lag))
    }

    fn is_needed(&self) -> bool {
        self.pending.is_some() || Arc::strong_count(&self.notes) > 1
    }
}

impl Notes {
    /// Creates a note unless there is a greater one, and deletes those before it.
    async fn write(&mut self, place: &Place, key: &SessionKey, millis: u64) -> Result<(), Error> {
        if self.greatest >= Some(millis) {
            return Ok(());
        }
        self.create(place, key, millis).await?;
        if !self.is_listed && self.list(place, key).await.is_err() {
            // The next note lists them, and deletes what is left.
            return Ok(());
        }
        let paths = self.older.iter().map(|millis| place.keys.note(key, *millis)).collect();
        if !self.older.is_empty() && place.client.delete(paths).await.is_ok() {
            self.older.clear();
        }
        Ok(())
    }

    async fn create(&mut self, place: &Place, key: &SessionKey, millis: u64) -> Result<(), Error> {
        let path = place.keys.note(key, millis);
        // Whoever made it: the notes of one time are all equal.
        match settle(&place.client, &path, &Bytes::new(), &Only::IfAbsent, |_| Whose::Ours).await? {
            Settled::Ours(_) | Settled::Others(_) | Settled::Gone => {}
        }
        self.know(millis);
        Ok(())
    }

    async fn list(&mut self, place: &Place, key: &SessionKey) -> Result<(), Error> {
        for listed in place.client.list_all(&place.keys.notes(key), None).await? {
            if let Some((_, millis)) = place.keys.noted(&key.space, &listed.path) {
                self.know(millis);
            }
        }
        self.is_listed = true;
        Ok(())
    }

    fn know(&mut self, millis: u64) {
        match self.greatest {
            Some(greatest) if greatest == millis => {}
            Some(greatest) => {
                self.older.push(greatest.min(millis));
                self.greatest = Some(greatest.max(millis));
            }
            None => self.greatest = Some(millis),
        }
        self.older.sort_unstable();
        self.older.dedup();
    }
}

#[cfg(test)]
mod tests;
