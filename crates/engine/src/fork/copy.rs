//! A copy that is being made: commit by commit, and its own entry at the end.

use std::sync::Arc;

use sessile_core::backend::{Expected, Span};
use sessile_core::commit::Tip;
use sessile_core::entry::shape::{self, Claim, Forked, Header, Lost, OutcomeStatus};
use sessile_core::{
    Commit, CommitId, Entry, EntryType, Error, ErrorKind, NewEntry, Outcome, Payload, Position,
    Seq, SessionKey, StoredCommit, Usage,
};

use super::cut::Cut;
use super::prefix::Prefix;
use super::removed::{self, Removed};
use crate::delivery;
use crate::opened::Opened;
use crate::resident::Resident;

/// How many payload bytes are held before they are appended.
const BATCH_BYTES: usize = 4 << 20;

/// A copy that is being made.
pub(super) struct Copy<'a> {
    opened: Arc<Opened>,
    key: SessionKey,
    cut: &'a Cut,
    /// Where it ends so far.
    tip: Tip,
    /// Where it ended when it was begun.
    begun: Position,
    /// Whether it was complete then.
    complete: bool,
    /// Commits that are to be appended, each with the tip that it goes to.
    batch: Vec<(Tip, Commit)>,
    bytes: usize,
    /// Whether data of something that was copied was removed.
    altered: bool,
    /// What of that had been copied before it was removed.
    left: Vec<Seq>,
    /// What can't be read, and so is not in it.
    lost: Vec<Lost>,
    /// The request that holds the source where it was read so far, and its last claim.
    held: Option<(Claim, Seq)>,
}

impl<'a> Copy<'a> {
    /// Begins a copy, or goes on with one that was cut short.
    ///
    /// # Errors
    /// *exists* where the id is something else's, *deleted* where it was; *incomplete*; those of
    /// reading.
    pub(super) async fn begin(
        opened: Arc<Opened>,
        key: SessionKey,
        cut: &'a Cut,
    ) -> Result<Self, Error> {
        let mut copy = Self {
            opened,
            key,
            cut,
            tip: Tip::ABSENT,
            begun: Position::START,
            complete: false,
            batch: Vec::new(),
            bytes: 0,
            altered: false,
            left: Vec::new(),
            lost: cut.lost().collect(),
            held: None,
        };
        let there = match Resident::load(Arc::clone(&copy.opened), copy.key.clone()).await {
            Ok(there) => there,
            Err(error) if error.kind() == ErrorKind::Missing => return Ok(copy),
            Err(error) => return Err(error),
        };
        there.refuse_deleted()?;
        let folded = there.folded();
        let state = folded.state();
        if state.header().forked_from != Some(cut.forked_from()) {
            return Err(copy.exists());
        }
        copy.complete = !state.is_incomplete();
        if !copy.complete && !state.damage().is_empty() {
            return Err(copy.beyond_completion());
        }
        copy.tip = state.tip();
        copy.begun = copy.tip.position;
        Ok(copy)
    }

    /// Where it ends so far.
    pub(super) const fn tip(&self) -> Tip {
        self.tip
    }

    fn exists(&self) -> Error {
        Error::new(ErrorKind::Exists, "it exists already, and is another session")
            .with_hint("choose another id")
            .about(&self.key)
    }

    fn beyond_completion(&self) -> Error {
        let clause = "it is a copy that was cut short, and what is there of it is damaged";
        Error::new(ErrorKind::Incomplete, clause)
            .with_hint("delete it, and fork under another id")
            .about(&self.key)
    }

    /// Copies what is not there yet.
    ///
    /// # Errors
    /// *conflict* where the copy ends elsewhere by now; *incomplete*; those of reading and
    /// appending.
    pub(super) async fn run(&mut self, source: &Resident) -> Result<(), Error> {
        if self.complete {
            return Ok(());
        }
        let mut commits = source.opened().read(source.key(), Span::ALL).await?;
        let mut passed = None;
        let mut damage: Option<Seq> = None;
        while let Some(item) = source.opened().next(&mut commits).await {
            let commit = match item {
                Ok(commit) if commit.first_seq() > self.cut.last => break,
                Ok(commit) => commit,
                Err(error) => match error.damage() {
                    Some(place) if place.seq > self.cut.last => break,
                    Some(place) => {
                        damage.get_or_insert(place.seq);
                        continue;
                    }
                    None => return Err(error),
                },
            };
            if let Some(from) = damage.take() {
                self.lose(from, commit.first_seq().number().checked_sub(1)).await?;
            }
            self.altered |= !commit.content_holds();
            let Some(commit) = self.inherited(commit)? else {
                continue;
            };
            let end = commit.tip().position;
            if end <= self.begun {
                self.left.extend(removed::of(&commit));
                passed = Some((end, commit.id));
                continue;
            }
            self.check_passed(passed.take()).await?;
            self.push(commit).await?;
        }
        if let Some(from) = damage {
            self.lose(from, Some(self.cut.last.number())).await?;
        }
        self.check_passed(passed).await?;
        self.end(source).await
    }

    /// Notes a stretch that can't be read.
    async fn lose(&mut self, from: Seq, to: Option<u64>) -> Result<(), Error> {
        let to = to.and_then(Seq::new).filter(|to| *to >= from).unwrap_or(from);
        let lost = self.prefix().lacks(Lost { from, to }).await?;
        self.lost.extend(lost);
        Ok(())
    }

    /// Refuses to go on with what is no part of the session any more.
    async fn check_passed(&self, passed: Option<(Position, CommitId)>) -> Result<(), Error> {
        let Some((end, id)) = passed else {
            return Ok(());
        };
        let is_there = self.prefix().has(end, &id).await?;
        if is_there { Ok(()) } else { Err(self.beyond_completion()) }
    }

    fn prefix(&self) -> Prefix<'_> {
        Prefix { opened: &self.opened, key: &self.key, end: self.begun }
    }

    /// A commit as it stands in the copy; none where nothing of it does.
    ///
    /// What serves the journal it stood in, and what ended the session's life, is left behind.
    fn inherited(&mut self, mut commit: StoredCommit) -> Result<Option<StoredCommit>, Error> {
        self.follow(&mut commit)?;
        commit.entries.retain(|entry| {
            !entry.entry_type.is_bookkeeping()
                && !matches!(
                    entry.entry_type,
                    EntryType::Close | EntryType::Delete | EntryType::Undelete
                )
        });
        for entry in &mut commit.entries {
            if entry.entry_type == EntryType::Session {
                let header = Header {
                    id: self.key.id.clone(),
                    space: self.key.space.clone(),
                    created_at: self.opened.now(),
                    salt: self.opened.salt(),
                    file: self.opened.token(),
                    forked_from: Some(self.cut.forked_from()),
                    copied_to: None,
                    ..self.cut.header.clone()
                };
                entry.data = Payload::of(&header)?;
            }
        }
        Ok((!commit.entries.is_empty()).then_some(commit))
    }

    /// Follows who holds the source. What a deletion ended that was taken back has an outcome of its
    /// own in the copy, which has no deletion: else it would go on holding the copy, and what came
    /// after it would count for nothing.
    fn follow(&mut self, commit: &mut StoredCommit) -> Result<(), Error> {
        let mut ended = None;
        for entry in &commit.entries {
            match entry.entry_type {
                EntryType::Claim => {
                    // One that can't be read ends nothing.
                    if let Ok(claim) = entry.data.decode() {
                        self.held = Some((claim, entry.seq));
                    }
                }
                EntryType::Outcome if entry.claim == self.held.as_ref().map(|held| held.1) => {
                    self.held = None;
                }
                EntryType::Delete => ended = self.held.take(),
                _ => {}
            }
        }
        // A deletion stands alone, and so does what takes it back: the number behind it is free.
        let is_deletion = |entry: &Entry| entry.entry_type == EntryType::Delete;
        let deletion = commit.entries.iter().position(is_deletion);
        if let (Some((claim, under)), Some(at)) = (ended, deletion) {
            commit.entries = interrupted(claim, under, commit.entries.swap_remove(at))?;
            let entries = commit.entries.iter().cloned().map(NewEntry::from).collect();
            let (id, token) = (commit.id.clone(), self.opened.token());
            commit.digest = Commit::new(id, token, entries, self.opened.limits())?.digest();
        }
        Ok(())
    }

    async fn push(&mut self, commit: StoredCommit) -> Result<(), Error> {
        if commit.first_seq().number() < self.tip.position.number() {
            // What a repair has used up is not free for what is missing.
            return Err(self.beyond_completion());
        }
        self.bytes += commit.entries.iter().map(|entry| entry.data.len()).sum::<usize>();
        self.add(commit.copied(self.opened.token()))?;
        if self.bytes >= BATCH_BYTES { self.send().await } else { Ok(()) }
    }

    fn add(&mut self, commit: Commit) -> Result<(), Error> {
        let at = self.tip;
        self.tip = commit.stored_at(at, Position::START)?.tip();
        self.batch.push((at, commit));
        Ok(())
    }

    /// Appends what is held, in one go where that is answered.
    async fn send(&mut self) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        let Some((at, _)) = batch.first() else {
            return Ok(());
        };
        let commits = batch.iter().map(|(_, commit)| commit.clone()).collect();
        let backend = self.opened.backend();
        let sent = backend.append(&self.key, Expected::At(*at), commits);
        let deadline = self.opened.deadline();
        let error = match deadline.bound(sent).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error,
            Err(deadline) => deadline.outcome_unknown(),
        };
        if error.outcome() == Outcome::NotApplied {
            return Err(error.about(&self.key));
        }
        // Some of them may be there: each is found out by its own token.
        let deadline = self.opened.deadline();
        for (at, commit) in &batch {
            delivery::deliver(&self.opened, &self.key, *at, commit, deadline).await?;
        }
        Ok(())
    }

    /// Appends the first entry of its own, which says that it is whole and what it lacks, and what
    /// was removed of what it took over by entries that it did not.
    async fn end(&mut self, source: &Resident) -> Result<(), Error> {
        self.remove_left().await?;
        let at = self.opened.now();
        let removed = if self.altered {
            Removed::behind(source, self.cut.last).await?
        } else {
            Removed::default()
        };
        let forked = Payload::of(&Forked { lost: joined(std::mem::take(&mut self.lost)) })?;
        let mut forked = NewEntry::new(at, EntryType::Forked, forked);
        // The number after the cut is its own, whatever was left behind before it.
        forked.seq = self.cut.last.next().max(self.tip.position.seq());
        let mut entries = vec![forked];
        entries.extend(removed.entries(at, self.cut.forgotten)?);
        let (id, token) = (self.opened.commit_id()?, self.opened.token());
        self.add(Commit::new(id, token, entries, self.opened.limits())?)?;
        self.send().await
    }

    /// Removes what was copied and then redacted or forgotten in the source, while the copy is
    /// still nobody's.
    async fn remove_left(&mut self) -> Result<(), Error> {
        if self.left.is_empty() {
            return Ok(());
        }
        self.send().await?;
        let patience = self.opened.deadline().into();
        let mask = || self.opened.backend().mask(&self.key, self.tip, self.left.clone());
        let masked = delivery::repeat(&self.opened, &patience, mask).await;
        masked.map_err(|error| error.about(&self.key))
    }
}

/// What ends the request of a claim in place of a deletion. Under one that was let go of nobody ends
/// anything, so that one more claim comes before it.
fn interrupted(claim: Claim, under: Seq, deletion: Entry) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    let mut outcome = Entry {
        entry_type: EntryType::Outcome,
        claim: Some(under),
        data: Payload::of(&shape::Outcome {
            redacted: false,
            request: claim.request.clone(),
            input: None,
            contract: None,
            status: OutcomeStatus::Abandoned,
            adopts: None,
            messages: 0,
            result: None,
            may_retry: true,
            reason: Some("the session was deleted".into()),
            usage: Usage::new(),
        })?,
        ..deletion
    };
    if claim.released
        && let Some(behind) = outcome.seq.next()
    {
        let again = Claim { recovers: Some(under), released: false, ..claim };
        let data = Payload::of(&again)?;
        let again = Entry { entry_type: EntryType::Claim, claim: None, data, ..outcome.clone() };
        outcome.claim = Some(again.seq);
        outcome.seq = behind;
        entries.push(again);
    }
    entries.push(outcome);
    Ok(entries)
}

/// Stretches in order, those that touch as one.
fn joined(mut lost: Vec<Lost>) -> Vec<Lost> {
    lost.sort_unstable_by_key(|lost| lost.from);
    let mut joined: Vec<Lost> = Vec::with_capacity(lost.len());
    for lost in lost {
        match joined.last_mut() {
            Some(before) if lost.from.number() <= before.to.after().number() => {
                before.to = before.to.max(lost.to);
            }
            _ => joined.push(lost),
        }
    }
    joined
}
