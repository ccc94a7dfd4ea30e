//! Faults of commits: that they are whole, and in order.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::{StreamExt as _, TryStreamExt as _};
use sessile_core::backend::{Appended, Backend as _, Commits, Expected, Gist, Span};
use sessile_core::{Commit, Error, Seq, SessionKey, StoredCommit, Tip};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::{Append, Read, changed, moment, stuck, with_entries};
use crate::look;
use crate::sample;

/// Stores a commit in two halves, and only then makes one of them.
#[derive(Debug, Default)]
pub(super) struct ShowsHalfACommit;

#[async_trait]
impl Fault for ShowsHalfACommit {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let Some((first, last)) = halves(&it).await else {
            return it.done().await;
        };
        let half = Append { commits: vec![first], ..it.clone() }.done().await?;
        moment().await;
        let whole = it.commits.first().cloned();
        let rest = Append { commits: vec![last], ..it.clone() }.done_at_the_end().await?;
        let mut stored = look::read(it.sound, it.key, Span::ALL).await.map_err(stuck)?;
        if let (Some(mut last), Some(half)) = (stored.pop(), stored.pop()) {
            last.entries.splice(..0, half.entries);
            last.digest = whole.map_or(last.digest, |whole| whole.digest());
            stored.push(last);
        }
        let tip = stored.last().map_or(Tip::ABSENT, StoredCommit::tip);
        it.sound.rewrite(it.key, tip, look::served(stored)).await?;
        let first = half.first().map_or(Seq::FIRST, |half| half.first);
        Ok(rest.into_iter().map(|rest| Appended { first, ..rest }).collect())
    }
}

/// The halves of a new commit to a journal that takes it; none where there is nothing to halve.
async fn halves(it: &Append<'_>) -> Option<(Commit, Commit)> {
    let is_living = it.sound.head(it.key).await.is_ok_and(|head| !head.deleted);
    let stored = look::read(it.sound, it.key, Span::ALL).await.unwrap_or_default();
    let [commit] = it.commits.as_slice() else { return None };
    let (last, first) = commit.entries().split_last().filter(|(_, first)| !first.is_empty())?;
    let is_new = stored.iter().all(|stored| stored.token != commit.token());
    if !is_living || !is_new {
        return None;
    }
    let first = sample::commit(first.to_vec()).ok()?;
    Some((first, with_entries(commit, vec![last.clone()]).ok()?))
}

/// Rewrites a journal to nothing, and then to what it should be.
#[derive(Debug, Default)]
pub(super) struct RewritesInTwoSteps;

#[async_trait]
impl Fault for RewritesInTwoSteps {
    async fn rewrite(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        let commits: Vec<StoredCommit> = commits.try_collect().await?;
        if let [first, .., last] = commits.as_slice() {
            let ends = vec![first.clone(), last.clone()];
            sound.rewrite(key, expected, look::served(ends)).await?;
            moment().await;
        }
        sound.rewrite(key, expected, look::served(commits)).await
    }
}

/// Rewrites a journal to as much as has come when the stream breaks off.
#[derive(Debug, Default)]
pub(super) struct RewritesToWhatCame;

#[async_trait]
impl Fault for RewritesToWhatCame {
    async fn rewrite(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        mut commits: Commits,
    ) -> Result<(), Error> {
        let mut came = Vec::new();
        let broken = loop {
            match commits.next().await {
                Some(Ok(commit)) => came.push(commit),
                Some(Err(error)) => break error,
                None => return sound.rewrite(key, expected, look::served(came)).await,
            }
        };
        let there = look::read(sound, key, Span::ALL).await.map_err(stuck)?;
        came.extend(there.last().cloned());
        sound.rewrite(key, expected, look::served(came)).await?;
        Err(broken)
    }
}

/// Leaves out the entries before the one that is asked for, though they are of its commit.
#[derive(Debug, Default)]
pub(super) struct CutsTheFirstCommit;

#[async_trait]
impl Fault for CutsTheFirstCommit {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let mut commits = it.commits().await?;
        if let (Span::From(seq), Some(first)) = (it.span, commits.first_mut()) {
            first.entries.retain(|entry| entry.seq >= seq);
        }
        Ok(look::served(commits))
    }
}

/// Serves commits in the order of their times.
#[derive(Debug, Default)]
pub(super) struct OrdersByTime;

#[async_trait]
impl Fault for OrdersByTime {
    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let mut commits = it.commits().await?;
        let at = |commit: &StoredCommit| commit.entries.first().map(|entry| entry.at);
        let is_first = |commit: &StoredCommit| commit.prev.is_none();
        commits.sort_by_key(|commit| (Reverse(is_first(commit)), at(commit)));
        Ok(look::served(commits))
    }
}

/// Gives every entry the next number, whatever number it names.
#[derive(Debug, Default)]
pub(super) struct NumbersAnew;

#[async_trait]
impl Fault for NumbersAnew {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        it.commits = changed(&it.commits, |entry| entry.seq = None)?;
        it.done().await
    }
}

/// Begins a large commit on a round number.
#[derive(Debug, Default)]
pub(super) struct RoundsNumbersUp;

#[async_trait]
impl Fault for RoundsNumbersUp {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        for commit in &mut it.commits {
            let mut entries = commit.entries().to_vec();
            let is_large = entries.len() > 2;
            if let (Expected::At(tip), true, Some(first)) =
                (it.expected, is_large, entries.first_mut())
            {
                let round = tip.position.number().next_multiple_of(10);
                first.seq = first.seq.or_else(|| Seq::new(round));
            }
            *commit = with_entries(commit, entries)?;
        }
        it.done().await
    }
}

/// Does not keep which commit follows which.
#[derive(Debug, Default)]
pub(super) struct ForgetsWhatCameBefore;

#[async_trait]
impl Fault for ForgetsWhatCameBefore {
    fn note(&self, _: &MemoryBackend, _: &SessionKey, _: Arc<Gist>) {}

    async fn read(&self, it: Read<'_>) -> Result<Commits, Error> {
        let mut commits = it.commits().await?;
        for commit in &mut commits {
            commit.prev = None;
        }
        Ok(look::served(commits))
    }
}

/// Says that a rewrite was done that it refused.
#[derive(Debug, Default)]
pub(super) struct RewritesInWordsOnly;

#[async_trait]
impl Fault for RewritesInWordsOnly {
    async fn rewrite(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        use sessile_core::ErrorKind::{Conflict, Refused};
        match sound.rewrite(key, expected, commits).await {
            Err(error) if matches!(error.kind(), Conflict | Refused) => Ok(()),
            answer => answer,
        }
    }
}
