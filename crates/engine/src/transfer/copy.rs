//! The course of a copy: what is missing is sent, until a comparison finds nothing missing.
//!
//! Every failure is resumed alike: both journals are compared anew, and what is missing by then is
//! sent. So is the copy verified, which ends as it begins.

use std::sync::Arc;

use sessile_core::backend::{Expected, Span};
use sessile_core::commit::Tip;
use sessile_core::entry::shape::Delete;
use sessile_core::{
    Commit, EntryType, Error, ErrorKind, NewEntry, Outcome, Payload, Position, Seq, StoredCommit,
};

use super::copied::Copied;
use super::moved;
use super::twin::{self, Place, Twin};
use crate::deadline::Backoff;
use crate::delivery;
use crate::resident::Resident;
use crate::session::Session;
use crate::verify;

/// How many bytes and commits are sent together.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_COMMITS: usize = 256;

/// Copies a session, and makes sure that the target holds it.
///
/// # Errors
/// *missing*, *deleted*, *corrupt*, *conflict*, *refused*; those of reading and appending.
pub(crate) async fn copy(source: &Place, target: &Place) -> Result<Copied, Error> {
    check_sound(source).await?;
    let (copied, _) = copy_whole(source, target).await?;
    interrupt(target, copied).await
}

/// Copies a session, and deletes the source where it ended when the target held all of it. A source
/// that such a move has deleted is looked at again, and what was left to do is done.
///
/// # Errors
/// Those of [`copy`], and of deleting; the source is what it was unless the outcome is unknown.
pub(crate) async fn move_over(source: &Place, target: &Place) -> Result<Copied, Error> {
    let (opened, key) = (&source.opened, &source.key);
    let resident = Resident::load(Arc::clone(opened), key.clone()).await?;
    if resident.refuse_deleted().is_err() {
        return moved::complete(source, target).await;
    }
    // Known before anything is written: what can't be built upon can't be deleted.
    resident.folded().state().accepts(&EntryType::Delete)?;
    check_sound(source).await?;
    let mut backoff = Backoff::new();
    let deadline = opened.deadline();
    loop {
        let (copied, end) = copy_whole(source, target).await?;
        let Err(error) = delete_at(source, end).await else {
            // Not before: what the source gets until then is to follow in the target.
            return interrupt(target, copied).await;
        };
        // Something was added meanwhile, which the target lacks.
        let has_grown = error.kind() == ErrorKind::Conflict && error.outcome() != Outcome::Unknown;
        if !has_grown || !backoff.wait(opened.entropy(), deadline).await {
            return Err(error);
        }
    }
}

/// Ends the request that holds the copy: its holder knows of the source only.
async fn interrupt(target: &Place, copied: Copied) -> Result<Copied, Error> {
    if copied.interrupted.is_some() {
        return Ok(copied);
    }
    let Place { opened, key } = target;
    let session = Session::new(Resident::load(Arc::clone(opened), key.clone()).await?);
    let Some(active) = session.info().active else {
        return Ok(copied);
    };
    session.abandon(&active, twin::INTERRUPTED, None).await?;
    Ok(Copied { interrupted: Some(active.request), ..copied })
}

/// Refuses a source of which not everything can be read as it was written, or is there.
async fn check_sound(source: &Place) -> Result<(), Error> {
    let found = verify::verify(&source.opened, &source.key).await?;
    let Some(damage) = found.damage.first() else {
        let resident = Resident::load(Arc::clone(&source.opened), source.key.clone()).await?;
        // Of a deleted session only the tombstone speaks.
        resident.refuse_deleted()?;
        return resident.refuse_incomplete();
    };
    let clause = format!("entry {} is damaged: {}", damage.seq, damage.reason);
    Err(Error::new(ErrorKind::Corrupt, clause)
        .with_hint("`sessile verify` lists what is readable; nothing was copied")
        .about(&source.key))
}

/// Sends what is missing until nothing is; answers where the source ended then.
async fn copy_whole(source: &Place, target: &Place) -> Result<(Copied, Tip), Error> {
    let mut backoff = Backoff::new();
    let mut deadline = target.opened.deadline();
    let mut most_missing = None;
    loop {
        let twin = twin::compare(source, target).await?;
        let most = *most_missing.get_or_insert(twin.missing);
        if twin.missing == 0 {
            let copied = Copied {
                session: source.key.id.clone(),
                position: twin.source.position,
                commits: twin.commits,
                added: most,
                interrupted: twin.interrupted,
            };
            prove(target, twin.last).await?;
            return Ok((copied, twin.source));
        }
        let Err(error) = send(source, target, &twin).await else {
            // There is time for what the source gets meanwhile.
            deadline = target.opened.deadline();
            continue;
        };
        let is_open = error.outcome() == Outcome::Unknown || error.may_retry();
        let again = is_open || delivery::has_left(&error);
        if !again || !backoff.wait(target.opened.entropy(), deadline).await {
            return Err(error.about(&target.key));
        }
    }
}

/// Appends to the target what it lacks of the source, in batches.
async fn send(source: &Place, target: &Place, twin: &Twin) -> Result<(), Error> {
    let from = twin.held.position.seq().unwrap_or(Seq::FIRST);
    let mut commits = source.opened.read(&source.key, Span::From(from)).await?;
    let mut batch = Batch { at: twin.target, ..Batch::default() };
    while let Some(item) = source.opened.next(&mut commits).await {
        let commit = item.map_err(|error| error.about(&source.key))?;
        if commit.tip().position > twin.source.position {
            break;
        }
        // A tombstone that was taken back is appended as such.
        let stands_alone = commit.has(&EntryType::Delete);
        if stands_alone || batch.is_full() {
            batch.send(target).await?;
        }
        batch.push(&commit, target, twin.source.position)?;
        if stands_alone {
            batch.send(target).await?;
        }
    }
    batch.send(target).await
}

/// Commits that are sent together.
#[derive(Debug)]
struct Batch {
    /// Where they are appended.
    at: Tip,
    /// Where the journal ends after them.
    end: Tip,
    commits: Vec<Commit>,
    bytes: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self { at: Tip::ABSENT, end: Tip::ABSENT, commits: Vec::new(), bytes: 0 }
    }
}

impl Batch {
    fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.commits.len() >= BATCH_COMMITS
    }

    /// Takes one more, of a source that ends there.
    fn push(&mut self, commit: &StoredCommit, target: &Place, end: Position) -> Result<(), Error> {
        self.bytes += commit.entries.iter().map(|entry| entry.data.len()).sum::<usize>();
        self.end = commit.tip();
        self.commits.push(twin::copy_of(commit, target, end)?);
        Ok(())
    }

    /// Appends them in a task of the store, and begins the next batch behind them.
    async fn send(&mut self, target: &Place) -> Result<(), Error> {
        let (at, commits) = (self.at, std::mem::take(&mut self.commits));
        self.bytes = 0;
        if commits.is_empty() {
            return Ok(());
        }
        self.at = self.end;
        let Place { opened, key } = target.clone();
        let deadline = opened.deadline();
        let sending = Arc::clone(&opened);
        let sent = async move {
            if let [tombstone] = commits.as_slice()
                && tombstone.has(&EntryType::Delete)
            {
                return delivery::deliver(&sending, &key, at, tombstone, deadline).await.map(drop);
            }
            let append = sending.backend().append(&key, Expected::At(at), commits);
            let appended = deadline.bound(append).await.map_err(Error::outcome_unknown);
            appended.flatten().map(drop)
        };
        opened.carry(sent).await
    }
}

/// Makes sure that what the target was found to hold is durable: its last commit is sent once more
/// under its own token, which the backend answers only then.
async fn prove(target: &Place, last: Option<(Tip, StoredCommit)>) -> Result<(), Error> {
    let Some((at, commit)) = last else {
        return Ok(());
    };
    let commit = twin::again(commit);
    let Place { opened, key } = target.clone();
    let deadline = opened.deadline();
    let proving = Arc::clone(&opened);
    opened
        .carry(
            async move { delivery::deliver(&proving, &key, at, &commit, deadline).await.map(drop) },
        )
        .await
}

/// Deletes a session that ends at a tip.
async fn delete_at(source: &Place, end: Tip) -> Result<(), Error> {
    let Place { opened, key } = source.clone();
    let data = Payload::of(&Delete { reason: Some(twin::MOVED.into()) })?;
    let entry = NewEntry::new(opened.now(), EntryType::Delete, data);
    let (id, token) = (opened.commit_id()?, opened.token());
    let tombstone = Commit::new(id, token, vec![entry], opened.limits())?;
    let deadline = opened.deadline();
    let deleting = Arc::clone(&opened);
    opened
        .carry(async move {
            delivery::deliver(&deleting, &key, end, &tombstone, deadline).await.map(drop)
        })
        .await
}
