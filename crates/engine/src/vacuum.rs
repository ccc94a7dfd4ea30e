//! Dropping what a journal holds and nobody needs any more.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::backend::{Capability, Span};
use sessile_core::fold::SessionState;
use sessile_core::{EntryType, Error, ErrorKind, Seq, SessionId, SessionKey, StoredCommit};

use crate::deadline::Backoff;
use crate::delivery;
use crate::opened::Opened;
use crate::resident::Resident;

/// What a vacuum did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Vacuumed {
    /// The session.
    pub session: SessionId,
    /// How many entries were dropped.
    pub dropped: u64,
    /// How many bytes the journal took before.
    pub bytes_before: u64,
    /// How many it takes now.
    pub bytes_after: u64,
}

/// Rewrites a journal without what nobody needs, in a task of its own.
///
/// # Errors
/// *missing*, *deleted*, *corrupt*, *unsupported*, and those of the backend.
pub(crate) async fn vacuum(opened: &Arc<Opened>, key: &SessionKey) -> Result<Vacuumed, Error> {
    let vacuuming = async {
        opened.requires(Capability::Rewrite)?;
        let resident = Resident::load(Arc::clone(opened), key.clone()).await?;
        resident.refuse_deleted()?;
        opened.carry(async move { rewrite(resident.opened(), resident.key()).await }).await
    };
    vacuuming.await.map_err(|error| error.about(key))
}

async fn rewrite(opened: &Opened, key: &SessionKey) -> Result<Vacuumed, Error> {
    let (deadline, mut backoff) = (opened.deadline(), Backoff::new());
    loop {
        let before = opened.head(key).await?;
        let (commits, dropped) = without_superseded(read(opened, key).await?);
        let mut done = Vacuumed {
            session: key.id.clone(),
            dropped,
            bytes_before: before.bytes,
            bytes_after: before.bytes,
        };
        // Whoever appended since then is found out by the rewrite.
        let Some(tip) = commits.last().map(StoredCommit::tip).filter(|_| dropped > 0) else {
            return Ok(done);
        };
        let rewrite = || opened.backend().rewrite(key, tip, commits.clone());
        match delivery::repeat(opened, deadline, rewrite).await {
            Ok(()) => {
                done.bytes_after = opened.head(key).await?.bytes;
                return Ok(done);
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {
                if !backoff.wait(opened.entropy(), deadline).await {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// All commits of a journal without damage.
async fn read(opened: &Opened, key: &SessionKey) -> Result<Vec<StoredCommit>, Error> {
    let mut stream = opened.read(key, Span::ALL).await?;
    let mut commits = Vec::new();
    while let Some(item) = opened.next(&mut stream).await {
        commits.push(item?);
    }
    Ok(commits)
}

/// The same commits without derived states that a later one has made superfluous; and how many
/// those were.
fn without_superseded(mut commits: Vec<StoredCommit>) -> (Vec<StoredCommit>, u64) {
    let last = commits.iter().rev().find_map(|commit| {
        let mut needed = SessionState::rests_on(commit)?;
        needed.extend(commit.state);
        Some(needed)
    });
    let needed: BTreeSet<Seq> = last.into_iter().flatten().collect();
    let mut dropped = 0;
    for commit in &mut commits {
        let state = commit.state.filter(|state| !needed.contains(state));
        // A commit closes with an entry: a state that stands alone or last stays.
        let is_droppable = |seq: Seq| {
            let last = commit.entries.last();
            last.is_some_and(|last| last.seq != seq && last.entry_type != EntryType::State)
        };
        if let Some(seq) = state.filter(|seq| is_droppable(*seq)) {
            commit.entries.retain(|entry| entry.seq != seq);
            commit.state = None;
            dropped += 1;
        }
    }
    (commits, dropped)
}
