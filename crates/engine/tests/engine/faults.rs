//! A backend in memory that loses answers, hangs, tears tails and damages entries when told to.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sessile_core::backend::{Appended, Expected, SetAside};
use sessile_core::digest::Token;
use sessile_core::entry::shape::Repaired;
use sessile_core::{
    Backend as _, Commit, EntryType, Error, ErrorKind, Limits, NewEntry, Payload, Seq, SessionKey,
    Tip, UnixMillis,
};
use sessile_engine::{Options, Store};
use sessile_memory::MemoryBackend;
use tokio::sync::Semaphore;

mod backend;

/// What happens to the next append.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// It is applied, and its answer is lost.
    AnswerLost,
    /// It is not applied, and nobody can know.
    CallLost,
    /// It is not applied until it is [landed](Faulty::land), and nobody can know.
    Delayed,
    /// It is refused for certain, and may be tried again.
    Unavailable,
    /// It is refused for certain.
    Forbidden,
    /// It waits until it is [let go](Faulty::let_go).
    Held,
    /// It never comes back, and is not applied.
    Stuck,
    /// It is answered that the journal ends elsewhere, whatever is there.
    Conflict,
}

/// Entries from one up to another that can't be read.
#[derive(Clone, Debug)]
pub(crate) struct Damaged {
    /// In which session; in all of them unless given.
    session: Option<&'static str>,
    from: Seq,
    to: Seq,
}

impl Damaged {
    fn is_in(&self, key: &SessionKey) -> bool {
        self.session.is_none_or(|session| key.id.as_str() == session)
    }
}

/// A backend in memory with faults.
#[derive(Debug)]
pub(crate) struct Faulty {
    inner: Mutex<MemoryBackend>,
    script: Mutex<VecDeque<Fault>>,
    /// Every commit that was applied, in order, so that the last ones can be taken back.
    applied: Mutex<Vec<(SessionKey, Tip, Commit)>>,
    delayed: Mutex<Vec<(SessionKey, Tip, Commit)>>,
    tail: Mutex<Option<SetAside>>,
    damaged: Mutex<Vec<Damaged>>,
    unsynced: Mutex<bool>,
    unreachable: Mutex<bool>,
    unmaskable: Mutex<bool>,
    maskless: Mutex<bool>,
    gate: Semaphore,
    held: Semaphore,
    appends: AtomicUsize,
    calls: AtomicUsize,
    bytes_read: Arc<AtomicUsize>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Faulty {
    /// A backend without faults so far.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: Mutex::new(MemoryBackend::new()),
            script: Mutex::default(),
            applied: Mutex::default(),
            delayed: Mutex::default(),
            tail: Mutex::default(),
            damaged: Mutex::default(),
            unsynced: Mutex::default(),
            unreachable: Mutex::default(),
            unmaskable: Mutex::default(),
            maskless: Mutex::default(),
            gate: Semaphore::new(0),
            held: Semaphore::new(0),
            appends: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            bytes_read: Arc::default(),
        })
    }

    /// A store on it.
    pub(crate) fn store(self: &Arc<Self>) -> Store {
        self.store_with(Options::default())
    }

    /// A store on it with options.
    pub(crate) fn store_with(self: &Arc<Self>, options: Options) -> Store {
        let backend: Arc<Self> = Arc::clone(self);
        Store::with(backend, options)
    }

    /// Lets the next appends fail so, one after the other.
    pub(crate) fn script(&self, faults: impl IntoIterator<Item = Fault>) {
        lock(&self.script).extend(faults);
    }

    /// Ends the faults that have not come yet.
    pub(crate) fn script_ends(&self) {
        lock(&self.script).clear();
    }

    /// Applies delayed appends where the journal still ends where they were sent.
    pub(crate) async fn land(&self) {
        let delayed = std::mem::take(&mut *lock(&self.delayed));
        for (key, at, commit) in delayed {
            drop(self.apply(&key, at, commit).await);
        }
    }

    /// Waits until an append is held.
    pub(crate) async fn is_holding(&self) {
        if let Ok(permit) = self.held.acquire().await {
            permit.forget();
        }
    }

    /// Lets an append go that is held.
    pub(crate) fn let_go(&self) {
        self.gate.add_permits(1);
    }

    /// Takes back the last commits that were applied, as a power cut does.
    pub(crate) async fn cut_power(&self, commits: usize) -> Result<(), Error> {
        let anew = MemoryBackend::new();
        let kept = {
            let mut applied = lock(&self.applied);
            let keep = applied.len().saturating_sub(commits);
            applied.truncate(keep);
            applied.clone()
        };
        for (key, at, commit) in kept {
            anew.append(&key, Expected::At(at), vec![commit]).await?;
        }
        *lock(&self.inner) = anew;
        Ok(())
    }

    /// Leaves a torn tail, which the next append sets aside.
    pub(crate) fn tear(&self, bytes: u64) {
        *lock(&self.tail) = Some(SetAside {
            offset: 500,
            bytes,
            reason: "its commit is not closed".to_owned(),
            kept_at: None,
        });
    }

    /// Damages the entries from one up to another, in every session.
    pub(crate) fn damage(&self, from: u64, to: u64) {
        *lock(&self.damaged) = Self::damaged(None, &[(from, to)]);
    }

    /// Damages entries of one session, and no others any more.
    pub(crate) fn damage_in(&self, session: &'static str, ranges: &[(u64, u64)]) {
        *lock(&self.damaged) = Self::damaged(Some(session), ranges);
    }

    fn damaged(session: Option<&'static str>, ranges: &[(u64, u64)]) -> Vec<Damaged> {
        let range = |(from, to): &(u64, u64)| {
            Some(Damaged { session, from: Seq::new(*from)?, to: Seq::new(*to)? })
        };
        ranges.iter().filter_map(range).collect()
    }

    /// Lets everything that is read look as if nobody had synced it.
    pub(crate) fn forget_syncs(&self) {
        *lock(&self.unsynced) = true;
    }

    /// Cuts the way to the place, or mends it.
    pub(crate) fn reachable(&self, reachable: bool) {
        *lock(&self.unreachable) = !reachable;
    }

    /// Says from here on that it can't remove what entries hold.
    pub(crate) fn lacks_masks(&self) {
        *lock(&self.maskless) = true;
    }

    /// Refuses to mask, or does not any more.
    pub(crate) fn masks(&self, masks: bool) {
        *lock(&self.unmaskable) = !masks;
    }

    /// How many calls of `append` there were so far, of however many commits.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// How many appends were sent so far.
    pub(crate) fn appends(&self) -> usize {
        self.appends.load(Ordering::Relaxed)
    }

    /// How many payload bytes were read so far.
    pub(crate) fn bytes_read(&self) -> usize {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// The backend without faults.
    pub(crate) fn memory(&self) -> MemoryBackend {
        lock(&self.inner).clone()
    }

    fn reach(&self) -> Result<MemoryBackend, Error> {
        if *lock(&self.unreachable) {
            return Err(Error::new(ErrorKind::Unavailable, "the place does not answer").retryable());
        }
        Ok(self.memory())
    }

    async fn apply(&self, key: &SessionKey, at: Tip, commit: Commit) -> Result<Appended, Error> {
        let memory = self.memory();
        let appended = if commit.has(&EntryType::Delete) {
            memory.remove(key, at, commit.clone()).await?
        } else {
            let appended = memory.append(key, Expected::At(at), vec![commit.clone()]).await?;
            appended.first().copied().ok_or_else(lost)?
        };
        if !appended.replayed {
            lock(&self.applied).push((key.clone(), at, commit));
        }
        Ok(appended)
    }

    /// Sets a torn tail aside, and answers that the journal ends elsewhere now.
    async fn repair(&self, key: &SessionKey, at: Tip) -> Result<(), Error> {
        let Some(tail) = lock(&self.tail).take() else {
            return Ok(());
        };
        let data = Payload::of(&Repaired {
            bytes: tail.bytes,
            offset: tail.offset,
            reason: tail.reason,
            kept_at: "torn-1".to_owned(),
        })?;
        let mut entry = NewEntry::new(UnixMillis(1), EntryType::Repaired, data);
        entry.seq = Seq::new(at.position.number() + 3);
        let token = Token::from_random([7; 16]);
        let repaired = Commit::new("repaired".parse()?, token, vec![entry], &Limits::default())?;
        let appended = self.apply(key, at, repaired).await?;
        Err(Error::conflict(at.position, appended.tip.position))
    }

    async fn send(&self, key: &SessionKey, at: Tip, commit: Commit) -> Result<Appended, Error> {
        self.appends.fetch_add(1, Ordering::Relaxed);
        let fault = lock(&self.script).pop_front();
        match fault {
            Some(Fault::AnswerLost) => {
                self.apply(key, at, commit).await?;
                Err(lost())
            }
            Some(Fault::CallLost) => Err(lost()),
            Some(Fault::Delayed) => {
                lock(&self.delayed).push((key.clone(), at, commit));
                Err(lost())
            }
            Some(Fault::Unavailable) => {
                Err(Error::new(ErrorKind::Unavailable, "it is refused now").retryable())
            }
            Some(Fault::Forbidden) => Err(Error::new(ErrorKind::Permission, "it is refused")),
            Some(Fault::Stuck) => std::future::pending().await,
            Some(Fault::Conflict) => {
                Err(Error::conflict(at.position, self.memory().head(key).await?.tip.position))
            }
            held => {
                if matches!(held, Some(Fault::Held)) {
                    self.held.add_permits(1);
                    if let Ok(permit) = self.gate.acquire().await {
                        permit.forget();
                    }
                }
                self.reach()?;
                self.repair(key, at).await?;
                self.apply(key, at, commit).await
            }
        }
    }
}

fn lost() -> Error {
    Error::new(ErrorKind::Unavailable, "the answer was lost").retryable().outcome_unknown()
}
