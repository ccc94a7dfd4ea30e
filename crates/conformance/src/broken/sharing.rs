//! Faults of what a handle keeps to itself, and what it loses.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Capability, Commits, DocKey, Document, Head, Span,
};
use sessile_core::{Commit, Error, ErrorKind, Payload, Seq, SessionKey, StoredCommit, Tip};
use sessile_memory::MemoryBackend;

use crate::broken::fault::{Fault, Faulty};
use crate::broken::request::{Append, Put, Read};
use crate::failed::Failed;
use crate::fixture::{Fixture, Footprint, Place};
use crate::look::served;

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a journal once, and from then on remembers only what it appends itself.
#[derive(Debug, Default)]
pub(super) struct RemembersOnlyItsOwn(Mutex<HashMap<SessionKey, Vec<StoredCommit>>>);

#[async_trait]
impl Fault for RemembersOnlyItsOwn {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let answers = it.clone().done().await?;
        if answers.iter().any(|answer| answer.replayed) {
            return Ok(answers);
        }
        let read = Read { sound: it.sound, key: it.key, span: Span::ALL };
        let own = read
            .commits()
            .await?
            .into_iter()
            .filter(|stored| it.commits.iter().any(|commit| commit.token() == stored.token));
        if let Some(remembered) = lock(&self.0).get_mut(it.key) {
            remembered.extend(own);
        }
        Ok(answers)
    }

    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        if it.span != Span::ALL {
            return it.done().await;
        }
        let key = it.key.clone();
        let commits = it.commits().await?;
        Ok(served(lock(&self.0).entry(key).or_insert(commits).clone()))
    }
}

/// Acknowledges a batch when it has stored the first of it.
#[derive(Debug, Default)]
pub(super) struct StoresTheFirstOfABatch;

#[async_trait]
impl Fault for StoresTheFirstOfABatch {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let count = it.commits.len();
        it.commits.truncate(1);
        let stored = it.done().await?;
        Ok(stored.into_iter().cycle().take(count).collect())
    }
}

/// Knows of the tombstones that it set itself.
#[derive(Debug, Default)]
pub(super) struct KnowsItsOwnTombstones(Mutex<HashSet<SessionKey>>);

#[async_trait]
impl Fault for KnowsItsOwnTombstones {
    async fn remove(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        lock(&self.0).insert(key.clone());
        sound.remove(key, expected, tombstone).await
    }

    async fn head(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<Head, Error> {
        let head = sound.head(key).await?;
        let deleted = head.deleted && lock(&self.0).contains(key);
        Ok(Head { deleted, ..head })
    }
}

/// Masks for its own reads, and leaves the data where it is.
#[derive(Debug, Default)]
pub(super) struct MasksForItself(Mutex<HashSet<(SessionKey, Seq)>>);

#[async_trait]
impl Fault for MasksForItself {
    async fn mask(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        seqs: Vec<Seq>,
    ) -> Result<(), Error> {
        // What a sound backend refuses is refused.
        let head = sound.head(key).await?;
        let exists = |seq: &Seq| *seq != Seq::FIRST && seq.number() < head.tip.position.number();
        if expected != head.tip || head.deleted || !seqs.iter().all(exists) {
            return sound.mask(key, expected, seqs).await;
        }
        lock(&self.0).extend(seqs.into_iter().map(|seq| (key.clone(), seq)));
        Ok(())
    }

    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let key = it.key.clone();
        let mut commits = it.commits().await?;
        let masked = Payload::parse(r#"{"redacted":true}"#)?;
        for entry in commits.iter_mut().flat_map(|commit| &mut commit.entries) {
            if lock(&self.0).contains(&(key.clone(), entry.seq)) {
                entry.data = masked.clone();
            }
        }
        Ok(served(commits))
    }
}

/// Answers nothing any more once it was closed.
#[derive(Debug, Default)]
pub(super) struct StaysClosed(AtomicBool);

impl StaysClosed {
    fn check(&self) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "the handle is closed"));
        }
        Ok(())
    }
}

#[async_trait]
impl Fault for StaysClosed {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        self.check()?;
        it.done().await
    }

    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        self.check()?;
        it.done().await
    }

    async fn close(&self, _sound: &MemoryBackend) -> Result<(), Error> {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Gets a document once, and from then on knows only what it puts itself.
#[derive(Debug, Default)]
pub(super) struct KnowsItsOwnDocuments(Mutex<HashMap<DocKey, Document>>);

#[async_trait]
impl Fault for KnowsItsOwnDocuments {
    async fn get(&self, sound: &MemoryBackend, key: &DocKey) -> Result<Document, Error> {
        let held = sound.get(key).await?;
        Ok(lock(&self.0).entry(key.clone()).or_insert(held).clone())
    }

    async fn put(&self, it: Put<'_>) -> Result<(), Error> {
        let key = it.key.clone();
        it.done().await?;
        lock(&self.0).remove(&key);
        Ok(())
    }
}

/// Declares that it outlives its handles, which it does as long as its place is there.
#[derive(Debug, Default)]
pub(super) struct DeclaresDurable {
    /// Says to a forgetful place that somebody still holds it.
    _held: Arc<()>,
}

impl Fault for DeclaresDurable {
    fn capabilities(&self, _sound: &MemoryBackend) -> Capabilities {
        let all = [Capability::Durable, Capability::Rewrite, Capability::Mask, Capability::Purge];
        Capabilities::of(all)
    }
}

/// Makes the fixture of places that are gone with their last handle, though they are declared
/// durable.
pub(super) fn forgetful() -> Arc<dyn Fixture> {
    Arc::new(ForgetfulPlaces)
}

struct ForgetfulPlaces;

#[async_trait]
impl Fixture for ForgetfulPlaces {
    async fn fresh(&self) -> Result<Arc<dyn Place>, Failed> {
        Ok(Arc::new(ForgetfulPlace(Mutex::default())))
    }
}

/// Whether anybody still holds the place, and what it holds.
struct ForgetfulPlace(Mutex<(Weak<()>, MemoryBackend)>);

#[async_trait]
impl Place for ForgetfulPlace {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        let (holders, sound) = &mut *lock(&self.0);
        let held = holders.upgrade().unwrap_or_else(|| {
            *sound = MemoryBackend::new();
            Arc::default()
        });
        *holders = Arc::downgrade(&held);
        let fault = DeclaresDurable { _held: held };
        Ok(Arc::new(Faulty { fault, sound: sound.clone() }))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        Ok(None)
    }
}
