//! Appending: one create-only write of the next log object, whose bytes tell for ever who won.

use std::sync::Arc;

use bytes::Bytes;
use sessile_core::backend::{Appended, Commits, Expected};
use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::{Salt, Token};
use sessile_core::entry::EntryType;
use sessile_core::error::{Error, ErrorKind, Outcome};
use sessile_core::journal::LastWord;
use sessile_core::{Seq, header, line};

use futures_util::{StreamExt as _, stream};

use crate::age::Moment;
use crate::catalog::Catalog;
use crate::client::{Object, Only};
use crate::known::{Known, LastCommits, RECOGNISED_BYTES};
use crate::look::{Session, deleted, missing};
use crate::piece::{self, Begun, Piece};
use crate::settle::{Settled, Whose, settle};

/// After how many lost races in a row a writer at the end asks again where that is.
const RACES: u32 = 3;

/// What an append did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) appended: Vec<Appended>,
    /// The journal as it ends by then; none where nothing was written, because it was there.
    pub(crate) written: Option<Arc<Known>>,
}

/// Commits in their places, as the bytes of one object.
struct Built {
    body: Bytes,
    stored: Vec<StoredCommit>,
}

/// Where an append is to go, and how it went so far.
struct Course<'a> {
    catalog: &'a Catalog,
    expected: Expected,
    first: &'a Commit,
    commits: &'a [Commit],
    /// The end of the journal, where whoever appends does not say where it is.
    seen: &'a mut Option<LastCommits>,
    /// How many races it lost.
    lost: u32,
}

/// What an attempt led to.
enum Next {
    Done(Done),
    /// Another one, on what is known of the journal by then; whether that was just looked at.
    Again(Option<Arc<Known>>, bool),
}

impl Session {
    /// Appends commits where the writer thinks the journal ends: all of them or none.
    ///
    /// # Errors
    /// Those of [`append`](sessile_core::Backend::append).
    pub(crate) async fn append(
        &self,
        catalog: &Catalog,
        expected: Expected,
        commits: &[Commit],
    ) -> Result<Done, Error> {
        let first = commits.first().ok_or_else(|| refused("there is no commit to append"))?;
        let mut seen = self.journal.turn.lock().await;
        let seen = &mut *seen;
        let begun = Moment::now();
        let mut asked = begun;
        let mut course = Course { catalog, expected, first, commits, seen, lost: 0 };
        let (mut known, mut fresh) = match self.young() {
            Some(known) => (Some(known), false),
            None if expected == Expected::At(Tip::ABSENT) => {
                (self.look_before_creating().await?, true)
            }
            None => (self.look().await?, true),
        };
        loop {
            let before = Moment::now();
            let attempt = match known {
                Some(at) => self.attempt(&mut course, at, fresh).await?,
                None => self.attempt_to_create(&course, asked).await?,
            };
            asked = before;
            match attempt {
                Next::Done(done) => return Ok(done),
                Next::Again(by_then, looked) => (known, fresh) = (by_then, looked),
            }
            if begun.age() > self.client().options().deadline {
                let clause = "others appended first until the deadline passed";
                return Err(Error::new(ErrorKind::Deadline, clause).retryable());
            }
        }
    }

    async fn again(&self) -> Result<Next, Error> {
        Ok(Next::Again(self.look().await?, true))
    }

    /// Creates the journal; it was looked for since a moment, and there was none.
    async fn attempt_to_create(&self, course: &Course<'_>, looked: Moment) -> Result<Next, Error> {
        if course.expected != Expected::At(Tip::ABSENT) {
            return Err(missing());
        }
        match self.create(course, looked).await? {
            Some(done) => Ok(Next::Done(done)),
            None => self.again().await,
        }
    }

    /// Appends behind the end that is known, which may not be the end any more.
    async fn attempt(
        &self,
        course: &mut Course<'_>,
        at: Arc<Known>,
        fresh: bool,
    ) -> Result<Next, Error> {
        let (expected, commits) = (course.expected, course.commits);
        let elsewhere = matches!(expected, Expected::At(tip) if tip != at.tip);
        let ended = at.word.deleted && !takes_back(&at, commits);
        if (elsewhere || ended) && !fresh {
            return self.again().await;
        }
        if let Some(appended) = self.done_before(course, &at, elsewhere || ended).await? {
            return Ok(Next::Done(Done { appended, written: None }));
        }
        if ended {
            return Err(deleted());
        }
        if let Expected::At(tip) = expected
            && elsewhere
        {
            return Err(Error::conflict(tip.position, at.tip.position));
        }
        let built = build(at.tip, commits, at.begun.salt)?;
        let (token, salt) = (course.first.token(), at.begun.salt);
        let ours = |object: &Object| whose(object, salt, token);
        let path = self.keys.log(at.taken + 1);
        let sent = settle(self.client(), &path, &built.body, &Only::IfAbsent, ours).await?;
        course.lost += 1;
        match sent {
            Settled::Ours(tag) => {
                let next = behind(&at, &built, tag.text());
                if let Some(seen) = course.seen {
                    seen.add(next.last, &built.stored);
                }
                let done = self.acknowledge(next, at.looked, expected, commits, &built);
                Ok(Next::Done(done.await?))
            }
            // Whoever appends wherever the end is goes on behind the winner.
            Settled::Others(object)
                if expected == Expected::End && !course.lost.is_multiple_of(RACES) =>
            {
                let mut next = Known::clone(&at);
                match self.advance(&mut next, at.taken + 1, &object).await? {
                    Some(piece) => {
                        if let Some(seen) = course.seen.as_mut() {
                            seen.add(next.last, piece.commits());
                        }
                    }
                    None if next.last == at.last => {}
                    None => *course.seen = None,
                }
                Ok(Next::Again(Some(self.journal.learn(next)), fresh))
            }
            Settled::Others(_) | Settled::Gone => self.again().await,
        }
    }

    /// What an earlier sending of the same append did, where that may be.
    async fn done_before(
        &self,
        course: &mut Course<'_>,
        at: &Known,
        elsewhere: bool,
    ) -> Result<Option<Vec<Appended>>, Error> {
        if elsewhere {
            return self.resent(at, course.expected, course.commits).await;
        }
        if course.expected != Expected::End {
            return Ok(None);
        }
        let seen = self.seen(at, course.seen.take()).await?;
        Ok(course.seen.insert(seen).all_of(course.commits))
    }

    /// Answers an append that was written, if the handle's last look is young enough: one that
    /// was stalled for longer may have written where nobody reads any more.
    async fn acknowledge(
        &self,
        next: Known,
        looked: Moment,
        expected: Expected,
        commits: &[Commit],
        built: &Built,
    ) -> Result<Done, Error> {
        if looked.age() < self.client().options().believes_looks_for() {
            let known = self.journal.learn(next);
            let appended = built.stored.iter().map(answer).collect();
            return Ok(Done { appended, written: Some(known) });
        }
        self.journal.forget();
        let unknown = |error: Error| error.outcome_unknown();
        let known = self.look_at_existing().await.map_err(unknown)?;
        match self.resent(&known, expected, commits).await.map_err(unknown)? {
            // What is noted and merged behind an append is owed to this one too.
            Some(appended) => Ok(Done { appended, written: Some(Arc::new(next)) }),
            None if known.word.deleted => Err(deleted()),
            None => Err(Error::conflict(next.tip.position, known.tip.position)),
        }
    }

    /// Creates the journal; none where somebody else has.
    async fn create(&self, course: &Course<'_>, looked: Moment) -> Result<Option<Done>, Error> {
        let Course { catalog, first, commits, .. } = *course;
        let entries = first.numbered_from(Tip::ABSENT.position)?;
        let entry = entries.first().ok_or_else(no_header)?;
        let header = header::read(entry).map_err(|error| no_header().with_source(error))?;
        if header.id != self.key.id || header.space != self.key.space {
            return Err(refused("the header is of another session"));
        }
        let begun = Begun { entry: entry.clone(), salt: header.salt };
        let built = build(Tip::ABSENT, commits, header.salt)?;
        let ours = |object: &Object| whose(object, header.salt, first.token());
        // Before the journal is there, so that no list misses it.
        let at = built.stored.iter().find_map(LastWord::of).unwrap_or_default().updated_at;
        catalog.stub(&self.key, at.millis()).await.map_err(nothing_written)?;
        let path = self.keys.log(0);
        let sent = settle(self.client(), &path, &built.body, &Only::IfAbsent, ours).await?;
        let Settled::Ours(tag) = sent else { return Ok(None) };
        let known = Known {
            begun,
            first: 0,
            last: 0,
            taken: 0,
            tip: Tip::ABSENT,
            bytes: 0,
            tag: String::new(),
            masked: String::new(),
            word: LastWord::default(),
            framing: 0,
            ranges: Arc::default(),
            ranged: 0,
            looked,
        };
        let mut next = behind(&known, &built, tag.text());
        (next.last, next.taken) = (0, 0);
        let expected = Expected::At(Tip::ABSENT);
        self.acknowledge(next, looked, expected, commits, &built).await.map(Some)
    }

    /// The last commits of the journal, as far as what was seen of them before is not enough.
    async fn seen(&self, at: &Known, before: Option<LastCommits>) -> Result<LastCommits, Error> {
        let (mut seen, commits) = match before.filter(|it| it.last <= at.last) {
            Some(seen) if seen.last == at.last => return Ok(seen),
            Some(seen) => {
                let (_, commits) = self.collect(at, seen.last + 1, at.last).await?;
                (seen, commits)
            }
            None => {
                let end = at.tip.position;
                (LastCommits::default(), self.back(at, end, RECOGNISED_BYTES).await?)
            }
        };
        for item in commits {
            match item {
                Ok(commit) => seen.push(&commit),
                // What is damaged is nobody's to recognise.
                Err(error) if error.damage().is_some() => {}
                Err(error) => return Err(error),
            }
        }
        seen.last = at.last;
        Ok(seen)
    }

    /// What commits did that are in the journal already, where they were sent first.
    async fn resent(
        &self,
        known: &Known,
        expected: Expected,
        commits: &[Commit],
    ) -> Result<Option<Vec<Appended>>, Error> {
        let deletes = commits.last().map(Commit::token) == known.tip.token;
        if known.word.deleted && !deletes {
            // The tombstone alone is answered after it.
            return Ok(None);
        }
        let mut stored: Commits = match expected {
            Expected::At(tip) => {
                let seq = tip.position.seq().unwrap_or(Seq::FIRST);
                self.read_from(known, seq).await?
            }
            Expected::End => {
                let entries = commits.iter().flat_map(Commit::entries);
                let bytes: usize = entries.map(|entry| entry.data.len()).sum();
                let max_bytes = RECOGNISED_BYTES + u64::try_from(bytes).unwrap_or(0);
                Box::pin(stream::iter(self.back(known, known.tip.position, max_bytes).await?))
            }
        };
        let mut resent: Vec<Appended> = Vec::new();
        while let Some(item) = stored.next().await {
            // Damage hides what may be looked for, and nobody appends because of that.
            let commit = item?;
            let token = commits.get(resent.len()).map(Commit::token);
            if token == Some(commit.token) {
                resent.push(Appended { replayed: true, ..answer(&commit) });
                if resent.len() == commits.len() {
                    return Ok(Some(resent));
                }
            } else if expected != Expected::End || !resent.is_empty() {
                break;
            }
        }
        Ok(None)
    }
}

/// Whether a log object is the one that an append with a first token wrote.
fn whose(object: &Object, salt: Salt, token: Token) -> Whose {
    let piece = Piece::read(object.bytes.clone(), salt, None);
    let is_ours = piece.commits().any(|commit| commit.token == token);
    if is_ours { Whose::Ours } else { Whose::Others }
}

/// Puts commits in their places after a tip.
fn build(tip: Tip, commits: &[Commit], salt: Salt) -> Result<Built, Error> {
    let (mut at, mut body, mut stored) = (tip, Vec::new(), Vec::with_capacity(commits.len()));
    for commit in commits {
        // All before this object is durable, and all of it will be or none.
        let placed = commit.stored_at(at, tip.position)?;
        line::encode_commit(&mut body, &placed, salt);
        at = placed.tip();
        stored.push(placed);
    }
    Ok(Built { body: body.into(), stored })
}

/// A journal behind what was built for its end.
fn behind(known: &Known, built: &Built, tag: &str) -> Known {
    let number = known.taken + 1;
    let tip = built.stored.last().map_or(known.tip, StoredCommit::tip);
    let word = built.stored.iter().rev().find_map(LastWord::of).unwrap_or(known.word);
    let bytes = known.bytes + u64::try_from(built.body.len()).unwrap_or(0);
    let (last, taken, tag) = (number, number, tag.to_owned());
    let mut next = Known { last, taken, tip, bytes, tag, word, ..known.clone() };
    next.weigh(bytes - known.bytes, built.stored.iter().map(piece::payload_bytes).sum());
    next
}

/// Whether commits begin with the entry that takes a tombstone back. A `state` may ride before it,
/// as before any entry of a caller's.
fn takes_back(known: &Known, commits: &[Commit]) -> bool {
    let mut entries = commits.iter().take(1).flat_map(Commit::entries);
    let first = entries.find(|entry| !entry.entry_type.is_bookkeeping());
    !known.word.purged && first.is_some_and(|entry| entry.entry_type == EntryType::Undelete)
}

/// What the append of a commit is answered.
fn answer(commit: &StoredCommit) -> Appended {
    Appended { first: commit.first_seq(), tip: commit.tip(), replayed: false }
}

/// An error of the note that comes before a journal: whatever became of the note, no session is
/// made of it.
fn nothing_written(error: Error) -> Error {
    if error.outcome() == Outcome::NotApplied {
        return error;
    }
    let is_retryable = error.may_retry();
    let clause = "the place did not take the note that comes before a session";
    let told = Error::new(error.kind(), clause).with_source(error);
    if is_retryable { told.retryable() } else { told }
}

fn no_header() -> Error {
    refused("a journal begins with a header")
}

fn refused(clause: &'static str) -> Error {
    Error::new(ErrorKind::Refused, clause)
}
