//! Two journals of one session, compared commit by commit.

use std::sync::Arc;

use futures_util::StreamExt as _;
use sessile_core::backend::{Commits, Span};
use sessile_core::commit::Tip;
use sessile_core::digest::Token;
use sessile_core::entry::shape::{Delete, Header, Outcome, OutcomeStatus};
use sessile_core::{
    Commit, Entry, EntryType, Error, ErrorKind, NewEntry, Position, RequestId, Seq, SessionKey,
    StoredCommit, header,
};

use crate::opened::Opened;
use crate::own::with_own;

/// The journal of a session in a store.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) opened: Arc<Opened>,
    pub(crate) key: SessionKey,
}

/// How far a target holds what a source does: everything before a tip, and nothing else.
#[derive(Debug)]
pub(super) struct Twin {
    /// Where the source ends.
    pub(super) source: Tip,
    /// How many commits it has.
    pub(super) commits: u64,
    /// How many of them the target lacks.
    pub(super) missing: u64,
    /// Up to where in the source the target holds them.
    pub(super) held: Tip,
    /// Where the target ends.
    pub(super) target: Tip,
    /// The last commit of the target, and the tip that it was appended at.
    pub(super) last: Option<(Tip, StoredCommit)>,
    /// The request that held the session, where the target has ended it already.
    pub(super) interrupted: Option<RequestId>,
}

/// Why the request of a copy was given up.
pub(super) const INTERRUPTED: &str = "interrupted";

/// Why the source of a move was deleted.
pub(super) const MOVED: &str = "moved to another store";

/// A session that a move has deleted at its source, and that the target holds.
#[derive(Debug)]
pub(super) struct Moved {
    /// Where the source ended before it was deleted.
    pub(super) position: Position,
    /// How many commits it had.
    pub(super) commits: u64,
    /// The request that held it, where the target has ended it already.
    pub(super) interrupted: Option<RequestId>,
}

/// Compares all that a moved session had at its source with the begin of the target; reads only.
/// None where the source was not deleted by a move, or the target does not begin with it.
///
/// # Errors
/// *deleted* where the target was deleted; those of reading.
pub(super) async fn moved(source: &Place, target: &Place) -> Result<Option<Moved>, Error> {
    let Place { opened, key } = source;
    let end = opened.head(key).await?.tip;
    let last = Seq::new(end.position.number().saturating_sub(1)).unwrap_or(Seq::FIRST);
    let mut tail = opened.read(key, Span::From(last)).await?;
    let tombstone = opened.next(&mut tail).await.transpose();
    if !tombstone.map_err(|error| error.about(key))?.is_some_and(|it| is_of_a_move(&it)) {
        return Ok(None);
    }
    let mut ours = Reader::read(source).await?;
    let mut theirs = Reader::begin(target).await?;
    let mut twin = Twin::new();
    while let Some(commit) = ours.next().await? {
        if commit.tip() == end {
            let next = twin.next_of(&mut theirs, commit.token).await?;
            let interrupted = next.as_ref().and_then(interrupted);
            let (position, commits) = (twin.source.position, twin.commits);
            return Ok(Some(Moved { position, commits, interrupted }));
        }
        (twin.source, twin.commits) = (commit.tip(), twin.commits + 1);
        match twin.next_of(&mut theirs, commit.token).await? {
            Some(other) if is_same(&commit, &other)? => {}
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Whether a commit deletes the source of a move.
fn is_of_a_move(commit: &StoredCommit) -> bool {
    let mut entries = commit.entries.iter();
    let tombstone = entries.find(|entry| entry.entry_type == EntryType::Delete);
    let delete = tombstone.and_then(|entry| entry.data.decode::<Delete>().ok());
    delete.and_then(|it| it.reason).is_some_and(|reason| &*reason == MOVED)
}

/// Compares all of two journals; reads only.
///
/// # Errors
/// *conflict* where the target does not begin the source, *deleted* where it was deleted, *refused*
/// where both are one journal or what is missing is above a limit of the target, *corrupt* naming
/// the first damage of either.
pub(super) async fn compare(source: &Place, target: &Place) -> Result<Twin, Error> {
    let mut ours = Reader::begin(source).await?.ok_or_else(|| {
        Error::new(ErrorKind::Missing, "it was there, and is not any more").about(&source.key)
    })?;
    let mut theirs = Reader::begin(target).await?;
    let mut twin = Twin::new();
    let mut first_missing = None;
    while let Some(commit) = ours.next().await? {
        twin.source = commit.tip();
        twin.commits += 1;
        match twin.next_of(&mut theirs, commit.token).await? {
            Some(other) if is_same(&commit, &other)? => {
                twin.held = commit.tip();
                twin.take(other);
            }
            Some(_) => return Err(parted(target, commit.first_seq())),
            None => {
                twin.missing += 1;
                first_missing = first_missing.or_else(|| Some(commit.first_seq()));
                // Refused before anything is written.
                copy_of(&commit, target, commit.tip().position)?;
            }
        }
    }
    while let Some(other) = next(&mut theirs).await? {
        let is_last_word = first_missing.is_none() && twin.interrupted.is_none();
        match interrupted(&other).filter(|_| is_last_word) {
            Some(request) => twin.interrupted = Some(request),
            None if is_bookkeeping(&other) => {}
            None => return Err(parted(target, other.first_seq())),
        }
        twin.take(other);
    }
    match first_missing {
        Some(seq) if seq.number() < twin.target.position.number() => Err(used_up(target, seq)),
        _ => Ok(twin),
    }
}

impl Twin {
    /// Nothing was compared yet.
    const fn new() -> Self {
        Self {
            source: Tip::ABSENT,
            commits: 0,
            missing: 0,
            held: Tip::ABSENT,
            target: Tip::ABSENT,
            last: None,
            interrupted: None,
        }
    }

    /// The next commit of the target that is no bookkeeping of its own.
    async fn next_of(
        &mut self,
        theirs: &mut Option<Reader>,
        token: Token,
    ) -> Result<Option<StoredCommit>, Error> {
        while let Some(other) = next(theirs).await? {
            if other.token == token || !is_bookkeeping(&other) {
                return Ok(Some(other));
            }
            self.take(other);
        }
        Ok(None)
    }

    fn take(&mut self, commit: StoredCommit) {
        let at = std::mem::replace(&mut self.target, commit.tip());
        self.last = Some((at, commit));
    }
}

/// A journal that is read to its end.
struct Reader {
    place: Place,
    commits: Commits,
}

impl Reader {
    /// Begins to read; none where there is no journal.
    async fn begin(place: &Place) -> Result<Option<Self>, Error> {
        let Place { opened, key } = place;
        match opened.head(key).await {
            Ok(head) if head.deleted => {
                return Err(Error::new(ErrorKind::Deleted, "it was deleted").about(key));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Missing => return Ok(None),
            Err(error) => return Err(error),
        }
        Ok(Some(Self::read(place).await?))
    }

    /// Begins to read a journal that is there, be it that of a deleted session.
    async fn read(place: &Place) -> Result<Self, Error> {
        let commits = place.opened.read(&place.key, Span::ALL).await?;
        // Of two journals one may end long before the other, and is asked again and again.
        Ok(Self { place: place.clone(), commits: Box::pin(commits.fuse()) })
    }

    async fn next(&mut self) -> Result<Option<StoredCommit>, Error> {
        let item = self.place.opened.next(&mut self.commits).await;
        item.transpose().map_err(|error| error.about(&self.place.key))
    }
}

async fn next(reader: &mut Option<Reader>) -> Result<Option<StoredCommit>, Error> {
    match reader {
        Some(reader) => reader.next().await,
        None => Ok(None),
    }
}

/// Whether a commit holds nothing that a caller made.
fn is_bookkeeping(commit: &StoredCommit) -> bool {
    commit.entries.iter().all(|entry| entry.entry_type.is_bookkeeping())
}

/// The request that a commit ends in a copy, since its holder goes on with the source.
fn interrupted(commit: &StoredCommit) -> Option<RequestId> {
    let mut callers = commit.entries.iter().filter(|it| it.entry_type != EntryType::State);
    let (claim, ended) = (callers.next()?, callers.next()?);
    if callers.next().is_some() || claim.entry_type != EntryType::Claim {
        return None;
    }
    let outcome = ended.data.decode::<Outcome>().ok()?;
    let is_given_up = ended.entry_type == EntryType::Outcome
        && outcome.status == OutcomeStatus::Abandoned
        && outcome.reason.as_deref() == Some(INTERRUPTED);
    is_given_up.then_some(outcome.request)
}

/// Whether a commit is a copy of another: the same attempt with the same entries, but for what
/// each journal's header has of its own.
fn is_same(one: &StoredCommit, other: &StoredCommit) -> Result<bool, Error> {
    if (one.token, &one.id) != (other.token, &other.id) || one.entries.len() != other.entries.len()
    {
        return Ok(false);
    }
    for (entry, twin) in one.entries.iter().zip(&other.entries) {
        let is_header = entry.seq == Seq::FIRST && entry.entry_type == EntryType::Session;
        let is_twin = if is_header { is_same_header(entry, twin)? } else { entry == twin };
        if !is_twin {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_same_header(entry: &Entry, twin: &Entry) -> Result<bool, Error> {
    let (ours, theirs) = (header::read(entry)?, header::read(twin)?);
    if ours.file == theirs.file {
        return Err(Error::new(ErrorKind::Refused, "source and target are one journal")
            .with_hint("name another store to copy to"));
    }
    // As the source's would stand there.
    let data = with_own(&entry.data, &theirs)?;
    Ok(Entry { data, ..entry.clone() } == *twin)
}

/// A commit as it is to stand in a target when the source ends there: the same but for the header's
/// own members.
///
/// # Errors
/// *refused* above a limit of the target.
pub(super) fn copy_of(
    commit: &StoredCommit,
    target: &Place,
    end: Position,
) -> Result<Commit, Error> {
    let mut copy = commit.clone();
    if let Some(first) = copy.entries.first_mut().filter(|first| first.seq == Seq::FIRST) {
        let own = Header {
            space: target.key.space.clone(),
            salt: target.opened.salt(),
            file: target.opened.token(),
            copied_to: Some(end),
            ..header::read(first)?
        };
        first.data = with_own(&first.data, &own)?;
    }
    let entries = copy.entries.iter().cloned().map(NewEntry::from).collect();
    let limits = target.opened.limits();
    Commit::new(copy.id.clone(), copy.token, entries, limits)
        .map_err(|error| error.about(&target.key))?;
    // Its digest goes on telling what it was, whatever was removed of it since.
    Ok(copy.copied(commit.token))
}

/// A commit of a journal as it is sent again.
pub(super) fn again(commit: StoredCommit) -> Commit {
    let token = commit.token;
    commit.copied(token)
}

fn parted(target: &Place, seq: Seq) -> Error {
    let clause = format!("from entry {seq} on it is not what the source holds");
    Error::new(ErrorKind::Conflict, clause)
        .with_hint("copy into another space, where its id is free")
        .about(&target.key)
}

fn used_up(target: &Place, seq: Seq) -> Error {
    let clause = format!("a repair there has taken number {seq}, which an entry to come has");
    Error::new(ErrorKind::Conflict, clause)
        .with_hint("copy into another space; what is there stays, a session by itself")
        .about(&target.key)
}
