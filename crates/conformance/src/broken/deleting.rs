//! Faults of tombstones, of purging and of masking.

use async_trait::async_trait;
use sessile_core::backend::{Appended, Backend as _, Commits, Expected, Span};
use sessile_core::{Commit, Error, ErrorKind, Seq, SessionKey, Tip};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::{Append, stuck};
use crate::look;
use crate::sample;

/// Takes an append to a deleted journal for the wish to have it back.
#[derive(Debug, Default)]
pub(super) struct BringsBackTheDead;

#[async_trait]
impl Fault for BringsBackTheDead {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        match it.clone().done().await {
            Err(error) if error.kind() == ErrorKind::Deleted => {
                let undeletion = vec![sample::undeletion().map_err(stuck)?];
                it.sound.append(it.key, Expected::End, undeletion).await?;
                it.done_at_the_end().await
            }
            answer => answer,
        }
    }
}

/// Removes with any commit.
#[derive(Debug, Default)]
pub(super) struct TakesAnythingForATombstone;

#[async_trait]
impl Fault for TakesAnythingForATombstone {
    async fn remove(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        let at = Expected::At(expected);
        match sound.remove(key, expected, tombstone.clone()).await {
            Err(error) if error.kind() == ErrorKind::Refused => {
                let answers = sound.append(key, at, vec![tombstone]).await?;
                answers.first().copied().ok_or(error)
            }
            answer => answer,
        }
    }
}

/// Says that it rewrote what is deleted.
#[derive(Debug, Default)]
pub(super) struct RewritesTheDead;

#[async_trait]
impl Fault for RewritesTheDead {
    async fn rewrite(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        match sound.rewrite(key, expected, commits).await {
            Err(error) if error.kind() == ErrorKind::Deleted => Ok(()),
            answer => answer,
        }
    }
}

/// Purges what it is asked to, and deletes it first where nobody has.
#[derive(Debug, Default)]
pub(super) struct PurgesTheLiving;

#[async_trait]
impl Fault for PurgesTheLiving {
    async fn purge(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<(), Error> {
        let head = sound.head(key).await?;
        if !head.deleted {
            let tombstone = sample::tombstone().map_err(stuck)?;
            sound.remove(key, head.tip, tombstone).await?;
        }
        sound.purge(key).await
    }
}

/// Says that it has purged.
#[derive(Debug, Default)]
pub(super) struct PurgesNothing;

#[async_trait]
impl Fault for PurgesNothing {
    async fn purge(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<(), Error> {
        if sound.head(key).await?.deleted {
            return Ok(());
        }
        sound.purge(key).await
    }
}

/// Takes what it has purged for something that never was.
#[derive(Debug, Default)]
pub(super) struct PurgesOnce;

#[async_trait]
impl Fault for PurgesOnce {
    async fn purge(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<(), Error> {
        let before = sound.head(key).await?.change;
        sound.purge(key).await?;
        if sound.head(key).await?.change == before {
            return Err(Error::new(ErrorKind::Missing, "there is no such session"));
        }
        Ok(())
    }
}

/// Purges whatever begins like the id.
#[derive(Debug, Default)]
pub(super) struct PurgesWhatBeginsAlike;

#[async_trait]
impl Fault for PurgesWhatBeginsAlike {
    async fn purge(&self, sound: &MemoryBackend, key: &SessionKey) -> Result<(), Error> {
        sound.purge(key).await?;
        let ids = sound.journals(&key.space, Some(&key.id), 1_000).await?;
        for id in ids.into_iter().filter(|id| id.as_str().starts_with(key.id.as_str())) {
            let neighbour = SessionKey { id, ..key.clone() };
            PurgesTheLiving.purge(sound, &neighbour).await?;
        }
        Ok(())
    }
}

/// Masks wherever the journal ends by then.
#[derive(Debug, Default)]
pub(super) struct MasksWhereverItEnds;

#[async_trait]
impl Fault for MasksWhereverItEnds {
    async fn mask(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        _expected: Tip,
        seqs: Vec<Seq>,
    ) -> Result<(), Error> {
        let tip = sound.head(key).await?.tip;
        sound.mask(key, tip, seqs).await
    }
}

/// Says that it masked what it did not find.
#[derive(Debug, Default)]
pub(super) struct MasksInWordsOnly;

#[async_trait]
impl Fault for MasksInWordsOnly {
    async fn mask(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        seqs: Vec<Seq>,
    ) -> Result<(), Error> {
        match sound.mask(key, expected, seqs).await {
            Err(error) if error.kind() == ErrorKind::Refused => Ok(()),
            answer => answer,
        }
    }
}

/// Masks the data of an entry and leaves the members that it does not know.
#[derive(Debug, Default)]
pub(super) struct MasksTheDataOnly;

#[async_trait]
impl Fault for MasksTheDataOnly {
    async fn mask(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        seqs: Vec<Seq>,
    ) -> Result<(), Error> {
        let before = look::read(sound, key, Span::ALL).await.unwrap_or_default();
        sound.mask(key, expected, seqs).await?;
        let mut masked = look::read(sound, key, Span::ALL).await.map_err(stuck)?;
        for (commit, before) in masked.iter_mut().zip(before) {
            for (entry, before) in commit.entries.iter_mut().zip(before.entries) {
                entry.extra = before.extra;
            }
        }
        sound.rewrite(key, expected, look::served(masked)).await
    }
}

/// Deletes the session of that id in every space.
#[derive(Debug, Default)]
pub(super) struct DeletesInEverySpace;

#[async_trait]
impl Fault for DeletesInEverySpace {
    async fn remove(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        let answer = sound.remove(key, expected, tombstone).await?;
        for space in sound.spaces(None, 1_000).await? {
            let other = SessionKey { space, ..key.clone() };
            if let Ok(head) = sound.head(&other).await {
                let tombstone = sample::tombstone().map_err(stuck)?;
                let _deleted_already = sound.remove(&other, head.tip, tombstone).await;
            }
        }
        Ok(answer)
    }
}
