//! Faults of what is taken out of a journal physically.

use async_trait::async_trait;
use futures_util::TryStreamExt as _;
use sessile_core::backend::{Backend as _, Commits};
use sessile_core::{Error, Seq, SessionKey, StoredCommit, Tip};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::look;

/// Masks the first of the entries that it is asked for.
#[derive(Debug, Default)]
pub(super) struct MasksTheFirstOnly;

#[async_trait]
impl Fault for MasksTheFirstOnly {
    async fn mask(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        mut seqs: Vec<Seq>,
    ) -> Result<(), Error> {
        seqs.truncate(1);
        sound.mask(key, expected, seqs).await
    }
}

/// Leaves a commit out when it rewrites a journal.
#[derive(Debug, Default)]
pub(super) struct RewritesWithoutACommit;

#[async_trait]
impl Fault for RewritesWithoutACommit {
    async fn rewrite(
        &self,
        sound: &MemoryBackend,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        let mut commits: Vec<StoredCommit> = commits.try_collect().await?;
        if commits.len() > 2 {
            commits.remove(1);
        }
        sound.rewrite(key, expected, look::served(commits)).await
    }
}
