//! Faults of what is stored: payloads and members of entries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use sessile_core::backend::{Appended, Gist};
use sessile_core::{
    Commit, EntryType, Error, ErrorKind, NewEntry, Payload, SessionKey, UnixMillis,
};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::{Append, changed};

/// Keeps only the members of an entry that it knows.
#[derive(Debug, Default)]
pub(super) struct DropsUnknownMembers;

#[async_trait]
impl Fault for DropsUnknownMembers {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        it.commits = changed(&it.commits, |entry| entry.extra.clear())?;
        it.done().await
    }
}

/// Parses payloads and writes them anew.
#[derive(Debug, Default)]
pub(super) struct WritesPayloadsAnew;

#[async_trait]
impl Fault for WritesPayloadsAnew {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        it.commits = changed(&it.commits, |entry| {
            let parsed = entry.data.decode::<serde_json::Value>();
            if let Ok(anew) = parsed.and_then(|value| Payload::of(&value))
                && entry.entry_type != EntryType::Session
            {
                entry.data = anew;
            }
        })?;
        it.done().await
    }
}

/// Takes out what some databases refuse, and what only looks like it.
#[derive(Debug, Default)]
pub(super) struct StripsNul;

#[async_trait]
impl Fault for StripsNul {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        it.commits = changed(&it.commits, |entry| {
            let stripped = entry.data.as_str().replace(r"\u0000", "");
            if let Ok(stripped) = Payload::parse(stripped) {
                entry.data = stripped;
            }
        })?;
        it.done().await
    }
}

/// Keeps times as most of the web does.
#[derive(Debug, Default)]
pub(super) struct KeepsTimesAsDoubles;

#[async_trait]
impl Fault for KeepsTimesAsDoubles {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        const EXACT: u64 = 1 << 53;
        it.commits = changed(&it.commits, |entry: &mut NewEntry| {
            entry.at = UnixMillis(entry.at.millis().min(EXACT - 1));
        })?;
        it.done().await
    }
}

/// Lets no entry be of an earlier time than one that it has stored before.
#[derive(Debug, Default)]
pub(super) struct KeepsNoEarlierTime(AtomicU64);

#[async_trait]
impl Fault for KeepsNoEarlierTime {
    fn note(&self, _: &MemoryBackend, _: &SessionKey, _: Arc<Gist>) {}

    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        it.commits = changed(&it.commits, |entry: &mut NewEntry| {
            let at = entry.at.millis();
            entry.at = UnixMillis(at.max(self.0.fetch_max(at, Ordering::Relaxed)));
        })?;
        it.done().await
    }
}

/// Refuses what its parser or its wire can't carry, far below the stated limits.
#[derive(Debug, Default)]
pub(super) struct HasLimitsOfItsOwn;

#[async_trait]
impl Fault for HasLimitsOfItsOwn {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let mut entries = it.commits.iter().flat_map(Commit::entries);
        if entries.any(|entry| entry.data.len() > 100_000 || entry.data.nesting() > 128) {
            return Err(Error::new(ErrorKind::Refused, "the payload is too large"));
        }
        it.done().await
    }
}
