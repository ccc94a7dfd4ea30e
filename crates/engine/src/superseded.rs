//! What a journal holds and nobody needs any more: what it is, and the journal without it.
//!
//! Two kinds of entries are superseded. A derived state is, where the last one and those that it
//! leaves ids to have all that it had. A `meta` is, where later ones set each of its keys again
//! *before the next state that stays*: so every state goes on being what the entries before it
//! fold to, and whoever goes on from an older one reads the same. One that records that an identity
//! was accepted never is: it tells who accepted what.
//!
//! What is recorded to be removed goes with it. That is not for its room: whoever removes it may do
//! so while the journal is read here, and the end, by which a rewrite finds others out, stays.
//!
//! Of a commit the first and the last entry of its caller stay as lines, emptied: by them its
//! repeat is recognised, and answered as the first time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sessile_core::entry::shape::Header;
use sessile_core::fold::{Meta, SessionState};
use sessile_core::{Entry, EntryType, Error, Payload, Seq, StoredCommit, Tip, UnixMillis, header};

use crate::opened::Opened;
use crate::own;
use crate::removal::Removals;

/// What is left of the data of an entry whose line stays: it sets nothing.
const EMPTIED: &str = "{}";

/// What is superseded of a journal that ends at a tip.
#[derive(Debug)]
pub(crate) struct Superseded {
    /// Where the journal ends.
    pub(crate) tip: Tip,
    /// How many entries are dropped.
    pub(crate) dropped: u64,
    /// How many more lose their data.
    pub(crate) emptied: u64,
    /// The states that stay, in order.
    states: Vec<Seq>,
    /// For each key the last entry that sets it, up to each state that stays and behind the last.
    settings: Vec<HashMap<String, Seq>>,
    /// What is recorded to be removed.
    removals: Removals,
    /// Whether metadata is what this version takes it for.
    knows_meta: bool,
}

impl Superseded {
    /// What is known before the journal is read; the state says which states stay.
    pub(crate) fn begin(state: &SessionState) -> Self {
        let states: BTreeSet<Seq> = state.commits().states().collect();
        Self {
            tip: Tip::ABSENT,
            dropped: 0,
            emptied: 0,
            settings: vec![HashMap::new(); states.len() + 1],
            states: states.into_iter().collect(),
            removals: Removals::default(),
            knows_meta: state.blocked().is_none(),
        }
    }

    /// Looks at the next commit: the first time that the journal is read.
    pub(crate) fn note(&mut self, commit: &StoredCommit) {
        self.tip = commit.tip();
        self.removals.take(commit);
        for entry in commit.entries.iter().filter(|entry| entry.entry_type == EntryType::Meta) {
            let stretch = self.stretch_of(entry.seq);
            if let (Some(keys), Some(settings)) = (keys(entry), self.settings.get_mut(stretch)) {
                settings.extend(keys.into_iter().map(|key| (key, entry.seq)));
            }
        }
    }

    /// Counts what would be left out of a commit: after all was noted.
    pub(crate) fn count(&mut self, commit: StoredCommit) {
        let lines = commit.entries.len();
        let before = commit.vacuumed;
        let had_state = commit.state.is_some();
        let kept = self.without(commit);
        let dropped = length(lines.saturating_sub(kept.entries.len()));
        let states = u64::from(had_state && kept.state.is_none());
        self.dropped += dropped;
        self.emptied += (kept.vacuumed - before).saturating_sub(dropped - states);
    }

    /// A commit without what is superseded.
    pub(crate) fn without(&self, mut commit: StoredCommit) -> StoredCommit {
        self.drop_state(&mut commit);
        // Where a line of a commit is bad, its digest must tell whether it was the state alone.
        if self.knows_meta && commit.state.is_none() {
            self.drop_meta(&mut commit);
        }
        commit
    }

    fn drop_state(&self, commit: &mut StoredCommit) {
        let state = commit.state.filter(|state| self.states.binary_search(state).is_err());
        // A commit closes with an entry: a state that stands alone or last stays.
        let is_droppable = |seq: Seq| {
            let last = commit.entries.last();
            last.is_some_and(|last| last.seq != seq && last.entry_type != EntryType::State)
        };
        if let Some(seq) = state.filter(|seq| is_droppable(*seq)) {
            commit.entries.retain(|entry| entry.seq != seq);
            commit.state = None;
        }
    }

    fn drop_meta(&self, commit: &mut StoredCommit) {
        let callers = commit.entries.iter().find(|entry| entry.entry_type != EntryType::State);
        let (Some(first), Some(last)) = (callers.map(|entry| entry.seq), commit.entries.last())
        else {
            return;
        };
        let closing = (last.seq, last.at, !last.entry_type.is_bookkeeping());
        let mut changed = 0;
        let mut left = Vec::with_capacity(commit.entries.len());
        for mut entry in commit.entries.drain(..) {
            if self.is_superseded(&entry) {
                if entry.seq != first && goes_without_trace(&entry, closing) {
                    changed += 1;
                    continue;
                }
                if entry.data.as_str() != EMPTIED
                    && let Ok(emptied) = Payload::parse(EMPTIED)
                {
                    entry.data = emptied;
                    changed += 1;
                }
            }
            left.push(entry);
        }
        commit.entries = left;
        commit.vacuumed += changed;
    }

    fn is_superseded(&self, entry: &Entry) -> bool {
        let stretch = self.settings.get(self.stretch_of(entry.seq));
        match (keys(entry), stretch) {
            (Some(keys), Some(settings)) => {
                keys.iter().all(|key| settings.get(key).is_some_and(|last| *last > entry.seq))
            }
            _ => false,
        }
    }

    /// Which stretch between states that stay holds an entry. A state stands before the other
    /// entries of its commit and folds what stands before it.
    fn stretch_of(&self, seq: Seq) -> usize {
        self.states.partition_point(|state| *state <= seq)
    }
}

/// The keys that an entry sets; none where it is no metadata, is the only record of something, or is
/// more than this version knows.
fn keys(entry: &Entry) -> Option<Vec<String>> {
    if entry.entry_type != EntryType::Meta || entry.must || !entry.extra.is_empty() {
        return None;
    }
    let changes = entry.data.decode::<BTreeMap<String, Payload>>().ok()?;
    let is_history = changes.contains_key(Meta::ACCEPTED_IDENTITY);
    (!is_history).then(|| changes.into_keys().collect())
}

/// Whether a commit that closes with an entry tells the same without another one: when its caller
/// last did something is the greatest time of its entries.
fn goes_without_trace(entry: &Entry, (last, at, is_callers): (Seq, UnixMillis, bool)) -> bool {
    entry.seq != last && is_callers && entry.at <= at
}

/// The commits of one physical file, made from those of another.
#[derive(Debug)]
pub(crate) struct Rewritten {
    superseded: Superseded,
    header: Header,
}

impl Rewritten {
    /// Of a journal without what is superseded, with a salt and a file token of its own.
    pub(crate) fn of(opened: &Opened, superseded: Superseded, header: Header) -> Self {
        let header = Header { salt: opened.salt(), file: opened.token(), ..header };
        Self { superseded, header }
    }

    /// Where the journal ends.
    pub(crate) const fn tip(&self) -> Tip {
        self.superseded.tip
    }

    /// A commit as it is to stand there.
    ///
    /// # Errors
    /// *corrupt* where the first one has no header.
    pub(crate) fn commit(&self, commit: StoredCommit) -> Result<StoredCommit, Error> {
        let mut commit = self.superseded.without(commit);
        for entry in &mut commit.entries {
            if self.superseded.removals.of(entry).is_some() {
                entry.redact()?;
            }
        }
        if let Some(entry) = commit.entries.first_mut().filter(|entry| entry.seq == Seq::FIRST) {
            header::read(entry)?;
            entry.data = own::with_own(&entry.data, &self.header)?;
        }
        Ok(commit)
    }
}

fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
