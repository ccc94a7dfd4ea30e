//! One journal: its commits in order, and what its tombstone makes of it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sessile_core::backend::{Appended, ChangeToken, Expected, Gist, Head, Scope, Seen, Span};
use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::Token;
use sessile_core::entry::{Entry, EntryType};
use sessile_core::header;
use sessile_core::{Error, ErrorKind, Seq, SessionKey, UnixMillis};

/// Where a journal is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Living,
    /// Its tombstone is its last word, and may be taken back.
    Deleted,
    /// Only the tombstone is left.
    Purged,
}

/// A journal, which always has a first commit with the header.
#[derive(Debug)]
pub(crate) struct Journal {
    header: Entry,
    /// What its header says that listings go by.
    scope: Scope,
    /// What was noted of it last, if no data was removed since.
    gist: Option<Arc<Gist>>,
    /// Shared with the reads under way.
    commits: Vec<Arc<StoredCommit>>,
    /// What the append of each commit was answered, for when it is sent again.
    answers: HashMap<Token, Appended>,
    life: Life,
    updated_at: UnixMillis,
    bytes: u64,
    /// How often it was changed; the change token.
    changes: u64,
}

impl Journal {
    /// Creates a journal; its first entry must be the header of this very session.
    pub(crate) fn create(
        key: &SessionKey,
        commits: &[Commit],
    ) -> Result<(Self, Vec<Appended>), Error> {
        let placed = place(Tip::ABSENT, commits)?;
        let appended = placed.iter().map(answer).collect();
        Ok((Self::of(key, placed)?, appended))
    }

    /// Makes a journal of commits that stand in their places.
    fn of(key: &SessionKey, commits: Vec<StoredCommit>) -> Result<Self, Error> {
        let first = commits.first().and_then(|commit| commit.entries.first());
        let entry = first.ok_or_else(|| refused("a journal begins with a header"))?;
        let header = header::read(entry)
            .map_err(|error| refused("a journal begins with a header").with_source(error))?;
        if header.id != key.id || header.space != key.space {
            return Err(refused("the header is of another session"));
        }
        let mut journal = Self {
            header: entry.clone(),
            scope: Scope::of(&header),
            gist: None,
            commits: Vec::with_capacity(commits.len()),
            answers: HashMap::with_capacity(commits.len()),
            life: Life::Living,
            updated_at: UnixMillis::default(),
            bytes: 0,
            changes: 0,
        };
        journal.push(commits);
        Ok(journal)
    }

    /// Adds commits that stand in their places.
    fn push(&mut self, commits: Vec<StoredCommit>) {
        for commit in commits {
            for entry in &commit.entries {
                match entry.entry_type {
                    EntryType::Delete => self.life = Life::Deleted,
                    EntryType::Undelete => self.life = Life::Living,
                    _ => {}
                }
                if !entry.entry_type.is_bookkeeping() {
                    // A clock that fell back does not make a session older.
                    self.updated_at = self.updated_at.max(entry.at);
                }
            }
            self.bytes += payload_bytes(&commit);
            self.answers.insert(commit.token, answer(&commit));
            self.commits.push(Arc::new(commit));
        }
        self.changes += 1;
    }

    /// Appends commits where the writer thinks the journal ends: all of them or none.
    pub(crate) fn append(
        &mut self,
        expected: Expected,
        commits: &[Commit],
    ) -> Result<Vec<Appended>, Error> {
        let resent: Vec<Appended> = commits
            .iter()
            .filter_map(|commit| self.answers.get(&commit.token()).copied())
            .map(|appended| Appended { replayed: true, ..appended })
            .collect();
        let all_resent = resent.len() == commits.len();
        if self.life != Life::Living && !self.is_undeleted_by(commits) {
            // Whoever deleted it may ask again whether that was done.
            let is_tombstone = resent.last().is_some_and(|last| last.tip == self.tip());
            return if all_resent && is_tombstone { Ok(resent) } else { Err(deleted()) };
        }
        if all_resent {
            return Ok(resent);
        }
        self.check(expected)?;
        if !resent.is_empty() {
            // At the end nothing else would keep the rest from being done after others.
            return Err(Error::new(
                ErrorKind::Conflict,
                "some of the commits are in the journal, and others are not",
            ));
        }
        let placed = place(self.tip(), commits)?;
        let appended = placed.iter().map(answer).collect();
        self.push(placed);
        Ok(appended)
    }

    /// Replaces the commits by others that end alike.
    pub(crate) fn rewrite(
        &mut self,
        key: &SessionKey,
        expected: Tip,
        mut commits: Vec<StoredCommit>,
    ) -> Result<(), Error> {
        self.check_living()?;
        self.check(Expected::At(expected))?;
        if commits.last().map(StoredCommit::tip) != Some(self.tip()) {
            return Err(refused("the last commit must stay where it is"));
        }
        let seqs: Vec<Seq> =
            commits.iter().flat_map(|commit| &commit.entries).map(|entry| entry.seq).collect();
        let is_whole = commits.iter().all(|commit| !commit.entries.is_empty());
        if !is_whole || !seqs.is_sorted_by(|a, b| a < b) {
            return Err(refused("the numbers of the entries do not rise"));
        }
        link(&mut commits);
        let rewritten = Self::of(key, commits)?;
        *self = Self { updated_at: self.updated_at, changes: self.changes + 1, ..rewritten };
        Ok(())
    }

    /// Removes the data of entries; members that nobody here knows go with it.
    pub(crate) fn mask(&mut self, expected: Tip, seqs: &[Seq]) -> Result<(), Error> {
        self.check_living()?;
        self.check(Expected::At(expected))?;
        let mut wanted: BTreeSet<Seq> = seqs.iter().copied().collect();
        if wanted.contains(&Seq::FIRST) {
            return Err(refused("the header can't be masked"));
        }
        let mut commits = self.commits.clone();
        for commit in &mut commits {
            if !commit.entries.iter().any(|it| wanted.contains(&it.seq)) {
                continue;
            }
            for entry in &mut Arc::make_mut(commit).entries {
                if wanted.remove(&entry.seq) {
                    entry.redact()?;
                }
            }
        }
        if !wanted.is_empty() {
            return Err(refused("there is no such entry to mask"));
        }
        self.replace(commits);
        Ok(())
    }

    /// Removes all but the header and the tombstone.
    pub(crate) fn purge(&mut self) -> Result<(), Error> {
        match self.life {
            Life::Living => {
                return Err(Error::new(ErrorKind::Conflict, "it is not deleted")
                    .with_hint("delete it first"));
            }
            Life::Purged => return Ok(()),
            Life::Deleted => self.life = Life::Purged,
        }
        if let [first, .., tombstone] = self.commits.as_slice() {
            let mut kept = [first, tombstone].map(|commit| StoredCommit::clone(commit));
            let [first, _] = &mut kept;
            first.entries.truncate(1);
            link(&mut kept);
            self.answers.retain(|token, _| kept.iter().any(|commit| commit.token == *token));
            self.answers.shrink_to_fit();
            self.replace(kept.map(Arc::new).to_vec());
        }
        Ok(())
    }

    /// For how many commits, entries and answers it takes memory.
    #[cfg(test)]
    pub(crate) fn room(&self) -> [usize; 3] {
        let entries = self.commits.iter().map(|commit| commit.entries.capacity()).sum();
        [self.commits.capacity(), entries, self.answers.capacity()]
    }

    /// Puts changed commits in the place of those with the same numbers.
    fn replace(&mut self, commits: Vec<Arc<StoredCommit>>) {
        self.bytes = commits.iter().map(|commit| payload_bytes(commit)).sum();
        self.commits = commits;
        self.gist = None;
        self.changes += 1;
    }

    /// The commits of a span, in order.
    pub(crate) fn read(&self, span: Span) -> &[Arc<StoredCommit>] {
        let ending_by = |number: u64| {
            let ends = |commit: &Arc<StoredCommit>| commit.tip().position.number() <= number;
            self.commits.partition_point(ends)
        };
        let range = match span {
            Span::From(seq) => ending_by(seq.number())..self.commits.len(),
            Span::Back { before, max_bytes } => {
                let end = ending_by(before.number());
                let mut bytes = 0_u64;
                let fits = |commit: &&Arc<StoredCommit>| {
                    bytes = bytes.saturating_add(commit.span_bytes());
                    bytes <= max_bytes
                };
                let fitting = self.commits.iter().take(end).rev().take_while(fits).count();
                end.saturating_sub(fitting.max(1))..end
            }
        };
        self.commits.get(range).unwrap_or_default()
    }

    /// All commits, in order.
    pub(crate) fn commits(&self) -> &[Arc<StoredCommit>] {
        &self.commits
    }

    /// The journal seen from outside.
    pub(crate) fn head(&self) -> Head {
        Head {
            tip: self.tip(),
            header: self.header.clone(),
            change: ChangeToken(self.changes.to_string()),
            bytes: self.bytes,
            updated_at: self.updated_at,
            deleted: self.life != Life::Living,
            tail: None,
        }
    }

    /// Whether it is listed within a scope.
    pub(crate) fn is_in(&self, scope: &Scope) -> bool {
        scope.holds(&self.scope)
    }

    /// Takes note of what may be shown of it.
    pub(crate) fn note(&mut self, gist: Arc<Gist>) {
        if gist.tip == self.tip() {
            self.gist = Some(gist);
        }
    }

    /// The journal as a listing shows it.
    pub(crate) fn seen(&self) -> Seen {
        match &self.gist {
            Some(gist) if gist.tip == self.tip() => Seen::Gist(Arc::clone(gist)),
            _ => self.head().into(),
        }
    }

    /// When a caller last added something.
    pub(crate) const fn updated_at(&self) -> UnixMillis {
        self.updated_at
    }

    /// Where it ends.
    fn tip(&self) -> Tip {
        self.commits.last().map_or(Tip::ABSENT, |last| last.tip())
    }

    fn check(&self, expected: Expected) -> Result<(), Error> {
        match expected {
            Expected::At(tip) if tip != self.tip() => {
                Err(Error::conflict(tip.position, self.tip().position))
            }
            Expected::At(_) | Expected::End => Ok(()),
        }
    }

    fn check_living(&self) -> Result<(), Error> {
        match self.life {
            Life::Living => Ok(()),
            Life::Deleted | Life::Purged => Err(deleted()),
        }
    }

    /// Whether commits begin with the entry that takes the tombstone back. A `state` may ride
    /// before it, as before any entry of a caller's.
    fn is_undeleted_by(&self, commits: &[Commit]) -> bool {
        let mut entries = commits.iter().take(1).flat_map(Commit::entries);
        let first = entries.find(|entry| !entry.entry_type.is_bookkeeping());
        self.life == Life::Deleted
            && first.is_some_and(|entry| entry.entry_type == EntryType::Undelete)
    }
}

/// Gives commits their places after a tip. A place in memory loses nothing while it lasts: all
/// that stands before a commit counts as durable.
fn place(mut tip: Tip, commits: &[Commit]) -> Result<Vec<StoredCommit>, Error> {
    let mut placed = Vec::with_capacity(commits.len());
    for commit in commits {
        let stored = commit.stored_at(tip, tip.position)?;
        tip = stored.tip();
        placed.push(stored);
    }
    Ok(placed)
}

/// Makes commits name the one before them.
fn link(commits: &mut [StoredCommit]) {
    let mut prev = None;
    for commit in commits {
        commit.prev = prev.replace(commit.token);
    }
}

/// What the append of a commit is answered.
fn answer(commit: &StoredCommit) -> Appended {
    Appended { first: commit.first_seq(), tip: commit.tip(), replayed: false }
}

fn payload_bytes(commit: &StoredCommit) -> u64 {
    let bytes: usize = commit.entries.iter().map(|entry| entry.data.len()).sum();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn refused(clause: &'static str) -> Error {
    Error::new(ErrorKind::Refused, clause)
}

fn deleted() -> Error {
    Error::new(ErrorKind::Deleted, "it was deleted").with_hint("use another id")
}
