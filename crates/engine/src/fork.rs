//! Forking: a copy of a session up to an entry, which depends on nothing.

use std::sync::Arc;

use sessile_core::backend::{Expected, Span};
use sessile_core::commit::Tip;
use sessile_core::entry::shape::{Forgotten, ForkedFrom, Header, Redacted};
use sessile_core::{
    Commit, CommitId, EntryType, Error, ErrorKind, NewEntry, Outcome, Payload, Position, Seq,
    SessionKey, StoredCommit,
};

use crate::delivery;
use crate::opened::Opened;
use crate::reading::Seen;
use crate::resident::Resident;

/// How many payload bytes are held before they are appended.
const BATCH_BYTES: usize = 4 << 20;

/// Copies a session up to the end of the commit that holds an entry, or up to its end, in a task
/// of its own.
///
/// # Errors
/// *refused* for an entry that is not there; *forgotten* where what would be copied was; *exists*
/// when the id is something else's; *corrupt*, *deleted*, *unsupported*, and those of the backend.
pub(crate) async fn fork(
    source: &Arc<Resident>,
    key: SessionKey,
    at: Option<Seq>,
) -> Result<Resident, Error> {
    let opened = source.opened();
    let source = Arc::clone(source);
    let about = source.key().clone();
    let forking = async move {
        let cut = Cut::find(&source, at).await?;
        let mut copy = Copy::begin(Arc::clone(source.opened()), key, cut).await?;
        copy.run(&source).await?;
        copy.load().await
    };
    opened.carry(Box::pin(forking)).await.map_err(|error| error.about(about))
}

/// Where a session is cut.
struct Cut {
    /// The last entry that is taken over.
    last: Seq,
    /// What stood before it was forgotten.
    forgotten: Option<Seq>,
    header: Header,
}

impl Cut {
    async fn find(source: &Resident, at: Option<Seq>) -> Result<Self, Error> {
        let seen = Seen::now(source).await?;
        source.refuse_deleted()?;
        let (header, opened) = {
            let folded = source.folded();
            folded.state().accepts(&EntryType::Forked)?;
            (folded.state().header().clone(), source.opened())
        };
        let end = last_before(seen.until());
        let at = at.unwrap_or(end);
        if at > end {
            let clause = format!("entry {at} is beyond position {}, the end", seen.until());
            return Err(Error::new(ErrorKind::Refused, clause)
                .with_hint("name an entry that the journal has"));
        }
        let forgotten = seen.sight().forgotten();
        if let Some(before) = forgotten.filter(|before| at < *before) {
            let clause = format!("what stood before entry {before} was forgotten");
            return Err(Error::new(ErrorKind::Forgotten, clause)
                .with_hint(format!("fork at entry {before} or behind it")));
        }
        let mut commits = opened.read(source.key(), Span::From(at)).await?;
        let commit = opened.next(&mut commits).await.transpose()?;
        let last = commit.filter(|commit| commit.first_seq() <= at);
        // A number between two commits is none of an entry, and cuts where the first one ends.
        let last = last.map_or(at, |commit| last_before(commit.tip().position));
        Ok(Self { last, forgotten, header })
    }
}

/// The number of the last entry before a position.
fn last_before(position: Position) -> Seq {
    Seq::new(position.number().saturating_sub(1)).unwrap_or(Seq::FIRST)
}

/// A copy that is being made.
struct Copy {
    opened: Arc<Opened>,
    key: SessionKey,
    cut: Cut,
    /// Where it ends so far.
    tip: Tip,
    /// Whether it was complete when it was begun.
    complete: bool,
    /// Commits that are to be appended, each with the tip that it goes to.
    batch: Vec<(Tip, Commit)>,
    bytes: usize,
    /// Whether data of something that was copied was removed.
    altered: bool,
}

impl Copy {
    /// Begins a copy, or goes on with one that was cut short.
    async fn begin(opened: Arc<Opened>, key: SessionKey, cut: Cut) -> Result<Self, Error> {
        let mut copy = Self {
            opened,
            key,
            cut,
            tip: Tip::ABSENT,
            complete: false,
            batch: Vec::new(),
            bytes: 0,
            altered: false,
        };
        match Resident::load(Arc::clone(&copy.opened), copy.key.clone()).await {
            Ok(there) => {
                there.refuse_deleted()?;
                let (tip, from) = {
                    let folded = there.folded();
                    let state = folded.state();
                    (state.tip(), state.header().forked_from.clone())
                };
                if from != Some(copy.forked_from()) {
                    return Err(copy.exists());
                }
                copy.tip = tip;
                copy.complete = copy.is_complete().await?;
                Ok(copy)
            }
            Err(error) if error.kind() == ErrorKind::Missing => Ok(copy),
            Err(error) => Err(error),
        }
    }

    fn forked_from(&self) -> ForkedFrom {
        ForkedFrom { session: self.cut.header.id.clone(), seq: self.cut.last }
    }

    fn exists(&self) -> Error {
        Error::new(ErrorKind::Exists, "it exists already, and is another session")
            .with_hint("choose another id")
            .about(&self.key)
    }

    /// Whether the entry stands in it that every copy ends with.
    async fn is_complete(&self) -> Result<bool, Error> {
        let Some(own) = self.cut.last.next() else {
            return Ok(true);
        };
        let mut commits = self.opened.read(&self.key, Span::From(own)).await?;
        let commit = self.opened.next(&mut commits).await.transpose()?;
        Ok(commit.is_some_and(|commit| commit.has(&EntryType::Forked)))
    }

    /// Copies what is not there yet.
    async fn run(&mut self, source: &Resident) -> Result<(), Error> {
        if self.complete {
            return Ok(());
        }
        let mut commits = source.opened().read(source.key(), Span::ALL).await?;
        let there = self.tip;
        let mut passed = None;
        while let Some(item) = source.opened().next(&mut commits).await {
            let commit = match item {
                Ok(commit) if commit.first_seq() > self.cut.last => break,
                Ok(commit) => commit,
                Err(error) if error.damage().is_some_and(|place| place.seq > self.cut.last) => {
                    break;
                }
                Err(error) => return Err(error.with_hint("fork from before it")),
            };
            self.altered |= !commit.content_holds();
            let Some(commit) = self.inherited(commit)? else {
                continue;
            };
            let end = commit.tip().position;
            if end <= there.position {
                passed = Some((end, commit.id));
                continue;
            }
            if let Some(passed) = passed.take() {
                self.check_prefix(passed).await?;
            }
            self.push(commit).await?;
        }
        if let Some(passed) = passed {
            self.check_prefix(passed).await?;
        }
        self.end(source).await
    }

    /// Refuses to go on with what is no part of the session any more.
    async fn check_prefix(&self, (end, id): (Position, CommitId)) -> Result<(), Error> {
        let span = Span::Back { before: self.tip.position, max_bytes: 0 };
        let mut commits = self.opened.read(&self.key, span).await?;
        match self.opened.next(&mut commits).await.transpose()? {
            Some(last) if last.tip().position == end && last.id == id => Ok(()),
            _ => Err(self.exists()),
        }
    }

    /// A commit as it stands in the copy; none where nothing of it does.
    ///
    /// What serves the journal it stood in, and what ended the session's life, is left behind.
    fn inherited(&self, mut commit: StoredCommit) -> Result<Option<StoredCommit>, Error> {
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
                    forked_from: Some(self.forked_from()),
                    ..self.cut.header.clone()
                };
                entry.data = Payload::of(&header)?;
            }
        }
        Ok((!commit.entries.is_empty()).then_some(commit))
    }

    async fn push(&mut self, commit: StoredCommit) -> Result<(), Error> {
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
            return Err(self.refused(error));
        }
        // Some of them may be there: each is found out by its own token.
        let deadline = self.opened.deadline();
        for (at, commit) in &batch {
            let sent = delivery::deliver(&self.opened, &self.key, *at, commit, deadline).await;
            sent.map_err(|error| self.refused(error))?;
        }
        Ok(())
    }

    fn refused(&self, error: Error) -> Error {
        match error.kind() {
            ErrorKind::Conflict => self.exists().with_source(error),
            _ => error.about(&self.key),
        }
    }

    /// Appends the first entry of its own, which says that it is whole, and what was removed of
    /// what it took over by entries that it did not.
    async fn end(&mut self, source: &Resident) -> Result<(), Error> {
        let at = self.opened.now();
        let mut entries = vec![NewEntry::new(at, EntryType::Forked, Payload::parse("{}")?)];
        if self.altered {
            let seqs = self.removed_later(source).await?;
            if !seqs.is_empty() {
                let data = Payload::of(&Redacted { seqs, reason: None })?;
                entries.push(NewEntry::new(at, EntryType::Redacted, data));
            }
        }
        if let Some(before) = self.cut.forgotten {
            let data = Payload::of(&Forgotten { before })?;
            entries.push(NewEntry::new(at, EntryType::Forgotten, data));
        }
        // The number after the cut is its own, whatever was left behind before it.
        if let Some(first) = entries.first_mut() {
            first.seq = self.cut.last.next();
        }
        let (id, token) = (self.opened.commit_id()?, self.opened.token());
        self.add(Commit::new(id, token, entries, self.opened.limits())?)?;
        self.send().await
    }

    /// What was redacted of the part that was copied by entries behind it.
    async fn removed_later(&self, source: &Resident) -> Result<Vec<Seq>, Error> {
        let mut seqs = Vec::new();
        let Some(next) = self.cut.last.next() else {
            return Ok(seqs);
        };
        let mut commits = source.opened().read(source.key(), Span::From(next)).await?;
        while let Some(item) = source.opened().next(&mut commits).await {
            // Damage behind the cut is none of the copy's.
            let Ok(commit) = item else { continue };
            for entry in commit.entries.iter().filter(|e| e.entry_type == EntryType::Redacted) {
                if let Ok(redacted) = entry.data.decode::<Redacted>() {
                    seqs.extend(redacted.seqs.into_iter().filter(|seq| *seq <= self.cut.last));
                }
            }
        }
        seqs.sort_unstable();
        seqs.dedup();
        Ok(seqs)
    }

    /// Opens it.
    async fn load(self) -> Result<Resident, Error> {
        Resident::load(self.opened, self.key).await
    }
}
