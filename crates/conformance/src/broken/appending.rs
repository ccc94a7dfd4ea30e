//! Faults of conditional appending and of creating.

use async_trait::async_trait;
use sessile_core::backend::{Appended, Backend as _, Expected};
use sessile_core::{Commit, Error, ErrorKind, Tip};

use crate::broken::fault::Fault;
use crate::broken::request::{Append, stuck, with_entries};
use crate::sample;

/// Appends wherever the journal ends, whatever the writer thinks.
#[derive(Debug, Default)]
pub(super) struct LastWriterWins;

#[async_trait]
impl Fault for LastWriterWins {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        match it.expected {
            Expected::At(tip) if tip != Tip::ABSENT => it.done_at_the_end().await,
            _ => it.done().await,
        }
    }
}

/// Compares where the journal ends by number only, as if a number told what stands before it.
#[derive(Debug, Default)]
pub(super) struct ComparesPositionsOnly;

#[async_trait]
impl Fault for ComparesPositionsOnly {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        if let (Expected::At(tip), Ok(head)) = (it.expected, it.sound.head(it.key).await)
            && tip.position == head.tip.position
        {
            it.expected = Expected::At(head.tip);
        }
        it.done().await
    }
}

/// Keeps the position in one byte.
#[derive(Debug, Default)]
pub(super) struct CountsInAByte;

#[async_trait]
impl Fault for CountsInAByte {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        if let Expected::At(tip) = it.expected
            && tip.position.number() > u64::from(u8::MAX)
        {
            return Err(Error::conflict(tip.position, Tip::ABSENT.position));
        }
        it.done().await
    }
}

/// Appends the commits of a batch one by one, and stops at the first that is refused.
#[derive(Debug, Default)]
pub(super) struct AppliesHalfABatch;

#[async_trait]
impl Fault for AppliesHalfABatch {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        if it.commits.is_empty() {
            return it.done().await;
        }
        let mut expected = it.expected;
        let mut answers = Vec::new();
        for commit in it.commits.clone() {
            let one = Append { expected, commits: vec![commit], ..it };
            answers.extend(one.done().await?);
            expected = answers.last().map_or(expected, |last: &Appended| Expected::At(last.tip));
        }
        Ok(answers)
    }
}

/// Has nothing against an append of nothing.
#[derive(Debug, Default)]
pub(super) struct TakesNothing;

#[async_trait]
impl Fault for TakesNothing {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        if it.commits.is_empty() {
            return Ok(Vec::new());
        }
        it.done().await
    }
}

/// Says what it refuses.
#[derive(Debug, Default)]
pub(super) struct EchoesWhatItRefuses;

#[async_trait]
impl Fault for EchoesWhatItRefuses {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let entries = it.commits.iter().flat_map(Commit::entries);
        let said: Vec<String> = entries.map(|entry| entry.data.as_str().to_owned()).collect();
        it.done().await.map_err(|error| error.with_source(std::io::Error::other(said.concat())))
    }
}

/// Takes the creation of a journal that exists for an append to it.
#[derive(Debug, Default)]
pub(super) struct CreatesOverWhatIsThere;

#[async_trait]
impl Fault for CreatesOverWhatIsThere {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        match it.clone().done().await {
            Err(error)
                if it.expected == Expected::At(Tip::ABSENT)
                    && error.kind() == ErrorKind::Conflict =>
            {
                it.done_at_the_end().await
            }
            answer => answer,
        }
    }
}

/// Creates the journal that an append at the end does not find.
#[derive(Debug, Default)]
pub(super) struct CreatesWhatItMisses;

#[async_trait]
impl Fault for CreatesWhatItMisses {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        match it.clone().done().await {
            Err(error) if it.expected == Expected::End && error.kind() == ErrorKind::Missing => {
                let creation = vec![sample::creation(it.key).map_err(stuck)?];
                let absent = Expected::At(Tip::ABSENT);
                Append { expected: absent, commits: creation, ..it.clone() }.done().await?;
                it.done().await
            }
            answer => answer,
        }
    }
}

/// Stores the header of a journal that is created, and forgets what came with it.
#[derive(Debug, Default)]
pub(super) struct CreatesTheHeaderOnly;

#[async_trait]
impl Fault for CreatesTheHeaderOnly {
    async fn append(&self, mut it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let is_creation = it.sound.head(it.key).await.is_err();
        if let Some(first) = it.commits.first_mut().filter(|_| is_creation) {
            let mut entries = first.entries().to_vec();
            entries.truncate(1);
            *first = with_entries(first, entries)?;
        }
        it.done().await
    }
}
