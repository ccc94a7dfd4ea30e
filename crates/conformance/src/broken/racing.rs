//! Faults that show only when several write at once, or when something is sent again.

use async_trait::async_trait;
use sessile_core::backend::{Appended, Backend as _, Expected, Precondition};
use sessile_core::{Commit, Error, ErrorKind, SessionKey, Tip};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::{Append, Put, moment, stuck};
use crate::mint;
use crate::sample;

/// Looks where the journal ends, and appends later.
#[derive(Debug, Default)]
pub(super) struct ChecksThenActs;

#[async_trait]
impl Fault for ChecksThenActs {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        if !ends_there(&it).await {
            return it.done().await;
        }
        moment().await;
        it.done_at_the_end().await
    }
}

/// Whether the journal ends now where the writer thinks.
async fn ends_there(it: &Append<'_>) -> bool {
    let head = it.sound.head(it.key).await;
    head.is_ok_and(|head| it.expected == Expected::At(head.tip))
}

/// Notices too late that somebody was faster, and applies what it refuses.
#[derive(Debug, Default)]
pub(super) struct AppliesWhatItRefuses;

#[async_trait]
impl Fault for AppliesWhatItRefuses {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        if !ends_there(&it).await {
            return it.done().await;
        }
        moment().await;
        let conflict = it.clone().done().await;
        if conflict.is_err() {
            let _applied_all_the_same = it.done_at_the_end().await;
        }
        conflict
    }
}

/// Says that an append at the end was done though another one was faster.
#[derive(Debug, Default)]
pub(super) struct LosesWhatComesAtOnce;

#[async_trait]
impl Fault for LosesWhatComesAtOnce {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let Ok(before) = it.sound.head(it.key).await else {
            return it.done().await;
        };
        if it.expected != Expected::End {
            return it.done().await;
        }
        moment().await;
        let after = it.sound.head(it.key).await?;
        if after.tip == before.tip {
            return it.done().await;
        }
        let first = before.header.seq;
        let lost = it.commits.iter().map(|_| Appended { first, tip: after.tip, replayed: false });
        Ok(lost.collect())
    }
}

/// Has one lock for all journals that there are, and does not wait for it.
#[derive(Debug, Default)]
pub(super) struct GivesUpOnABusyLock;

#[async_trait]
impl Fault for GivesUpOnABusyLock {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        if it.sound.head(it.key).await.is_err() {
            return it.done().await;
        }
        let lock = sample::document("locks", "lock").map_err(stuck)?;
        let held = sample::value("held");
        let locked = it.sound.put(&lock, held.clone(), Precondition::Absent).await;
        if locked.is_err() {
            return Err(Error::new(ErrorKind::Unavailable, "the store is busy").retryable());
        }
        moment().await;
        let sound = it.sound;
        let answer = it.done().await;
        sound.delete(&lock, held.revision).await?;
        answer
    }
}

/// Removes a journal wherever it ends by then.
#[derive(Debug, Default)]
pub(super) struct RemovesWhereverItEnds;

#[async_trait]
impl Fault for RemovesWhereverItEnds {
    async fn remove(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        _expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        moment().await;
        let tip = sound.head(key).await?.tip;
        sound.remove(key, tip, tombstone).await
    }
}

/// Looks at the revision, and puts later.
#[derive(Debug, Default)]
pub(super) struct SwapsInTwoSteps;

#[async_trait]
impl Fault for SwapsInTwoSteps {
    async fn put(&self, mut it: Put<'_>) -> Result<(), Error> {
        if it.actual().await == it.precondition {
            moment().await;
            it.precondition = it.actual().await;
        }
        it.done().await
    }
}

/// Answers a conflict to what is sent again, because the journal has moved on by it.
#[derive(Debug, Default)]
pub(super) struct ForgetsItsOwn;

#[async_trait]
impl Fault for ForgetsItsOwn {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let answers = it.clone().done().await?;
        if answers.iter().any(|answer| answer.replayed) {
            let actual = it.sound.head(it.key).await?.tip.position;
            return Err(Error::conflict(actual, actual));
        }
        Ok(answers)
    }
}

/// Appends again what is sent again at the end.
#[derive(Debug, Default)]
pub(super) struct AppendsItAgain;

#[async_trait]
impl Fault for AppendsItAgain {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let answers = it.clone().done().await?;
        if it.expected != Expected::End || answers.iter().all(|answer| !answer.replayed) {
            return Ok(answers);
        }
        for commit in &mut it.commits {
            *commit = commit.clone().with_token(mint::token());
        }
        it.done().await
    }
}

/// Does not know its own tombstone again.
#[derive(Debug, Default)]
pub(super) struct ForgetsItsTombstone;

#[async_trait]
impl Fault for ForgetsItsTombstone {
    async fn remove(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        let answer = sound.remove(key, expected, tombstone).await?;
        if answer.replayed {
            return Err(Error::new(ErrorKind::Deleted, "it was deleted"));
        }
        Ok(answer)
    }
}
