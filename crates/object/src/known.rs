//! What a handle knows of journals: where each ended when it looked last.
//!
//! It is never more than a guess at where to look and to write next: a create-only write finds out
//! what it missed, and readers ask for the next object before they say that there is none.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sessile_core::backend::{Appended, ChangeToken, Gist, Head};
use sessile_core::commit::{Commit, FRAME_BYTES, StoredCommit, Tip};
use sessile_core::digest::Token;
use sessile_core::id::SessionKey;
use sessile_core::journal::LastWord;
use tokio::sync::Mutex as Turn;

use crate::age::Moment;
use crate::piece::{self, Begun};
use crate::survey::Range;

/// Of how many journals a handle remembers where they end.
const REMEMBERED: usize = 4_096;

/// A journal as it was when a handle looked last.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) begun: Begun,
    /// The number of the object that the journal begins with: 0, or what is left of it.
    pub(crate) first: u64,
    /// The number of the last object on the chain.
    pub(crate) last: u64,
    /// The greatest number that is taken, on the chain or not.
    pub(crate) taken: u64,
    pub(crate) tip: Tip,
    /// How many bytes its objects have.
    pub(crate) bytes: u64,
    /// What the last object's content is told apart by.
    pub(crate) tag: String,
    /// The mark of the last removal that an object up to the greatest number tells of, or a later
    /// one; empty where there was none.
    pub(crate) masked: String,
    pub(crate) word: LastWord,
    /// How many bytes of an object do not count when it is read back, by the last ones that were
    /// seen.
    pub(crate) framing: u64,
    /// The merged ranges that there were when they were listed.
    pub(crate) ranges: Arc<[Range]>,
    /// The greatest number that was taken when they were.
    pub(crate) ranged: u64,
    pub(crate) looked: Moment,
}

/// How many bytes of the end of a journal are looked through for an append at the end that is
/// sent again.
pub(crate) const RECOGNISED_BYTES: u64 = 64 << 10;

/// The commits at the end of a journal, by their tokens.
#[derive(Debug, Default)]
pub(crate) struct LastCommits {
    /// The object that they end with.
    pub(crate) last: u64,
    commits: VecDeque<(Token, Appended, u64)>,
    bytes: u64,
}

impl LastCommits {
    pub(crate) fn push(&mut self, commit: &StoredCommit) {
        let bytes = piece::payload_bytes(commit);
        let appended = Appended { first: commit.first_seq(), tip: commit.tip(), replayed: true };
        self.commits.push_back((commit.token, appended, bytes));
        self.bytes += bytes;
        while let Some((_, _, first)) = self.commits.front()
            && self.bytes - first >= RECOGNISED_BYTES
        {
            self.bytes -= first;
            self.commits.pop_front();
        }
    }

    /// Adds what the next object holds.
    pub(crate) fn add<'c>(
        &mut self,
        number: u64,
        commits: impl IntoIterator<Item = &'c StoredCommit>,
    ) {
        commits.into_iter().for_each(|commit| self.push(commit));
        self.last = number;
    }

    /// What the append of some commits was answered, where all of them are there.
    pub(crate) fn all_of(&self, commits: &[Commit]) -> Option<Vec<Appended>> {
        commits.iter().map(|commit| self.of(commit.token())).collect()
    }

    fn of(&self, token: Token) -> Option<Appended> {
        let found = self.commits.iter().rev().find(|(other, ..)| *other == token);
        found.map(|(_, appended, _)| *appended)
    }
}

impl Known {
    /// Takes note of how many bytes of another object do not count when it is read back.
    pub(crate) const fn weigh(&mut self, bytes: u64, counted: u64) {
        self.framing = self.framing.midpoint(bytes.saturating_sub(counted));
    }

    /// How many objects are likely to hold what counts so many bytes, rather more than fewer.
    pub(crate) fn objects_with(&self, counted: u64) -> u64 {
        let each = self.bytes / (self.last - self.first + 1);
        let each = each.saturating_sub(self.framing).max(FRAME_BYTES);
        // Messages that follow each other are often alike, and unlike those of the whole; merged, more
        // of them are hardly more requests.
        (counted / each).saturating_mul(2) + 2
    }

    /// The journal seen from outside.
    pub(crate) fn head(&self) -> Head {
        let Self { last, tag, masked, .. } = self;
        Head {
            tip: self.tip,
            header: self.begun.entry.clone(),
            change: ChangeToken(format!("{last}-{tag}-{masked}")),
            bytes: self.bytes,
            updated_at: self.word.updated_at,
            deleted: self.word.deleted,
            tail: None,
        }
    }
}

/// One journal within a handle.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    known: Mutex<Option<Arc<Known>>>,
    /// What a listing shows of it, and the greatest number that was taken when that was told.
    gist: Mutex<Option<(u64, Arc<Gist>)>>,
    /// Appends of one handle do not race each other. Whoever appends at the end without saying
    /// where that is leaves here what it has seen of it.
    pub(crate) turn: Turn<Option<LastCommits>>,
}

impl Journal {
    pub(crate) fn known(&self) -> Option<Arc<Known>> {
        self.lock().clone()
    }

    /// Remembers where it ends, unless more is known by now; whoever looked later is right about
    /// the same end.
    pub(crate) fn learn(&self, known: Known) -> Arc<Known> {
        let known = Arc::new(known);
        let mut held = self.lock();
        let is_newer = |held: &Arc<Known>| {
            (held.taken, held.looked) <= (known.taken, known.looked) || known.first > held.last
        };
        if held.as_ref().is_none_or(is_newer) {
            *held = Some(Arc::clone(&known));
        }
        known
    }

    /// Remembers what a listing may show of it, if that is of the end that is known.
    pub(crate) fn tell(&self, gist: Arc<Gist>) {
        let known = self.known().filter(|known| known.first == 0 && known.tip == gist.tip);
        if let Some(known) = known {
            *self.gist.lock().unwrap_or_else(PoisonError::into_inner) = Some((known.taken, gist));
        }
    }

    /// What a listing may show of it where it ends as it is known to: not if anything was put behind
    /// since that was told, a notice of a removal included.
    pub(crate) fn gist_at(&self, known: &Known) -> Option<Arc<Gist>> {
        let gist = self.gist.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_of_it = |taken, gist: &Gist| taken == known.taken && gist.tip == known.tip;
        gist.filter(|(taken, gist)| is_of_it(*taken, gist)).map(|(_, gist)| gist)
    }

    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    /// The value is replaced as a whole, so a holder that panicked leaves it whole.
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Known>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The journals that a handle has looked at.
#[derive(Debug, Default)]
pub(crate) struct Journals(Mutex<HashMap<SessionKey, Arc<Journal>>>);

impl Journals {
    /// A journal; others that nobody uses are forgotten when there are too many.
    pub(crate) fn of(&self, key: &SessionKey) -> Arc<Journal> {
        let mut journals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if journals.len() >= REMEMBERED && !journals.contains_key(key) {
            journals.retain(|_, journal| Arc::strong_count(journal) > 1);
        }
        Arc::clone(journals.entry(key.clone()).or_default())
    }
}
