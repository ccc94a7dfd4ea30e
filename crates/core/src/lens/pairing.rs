//! What does not fit together in a transcript: calls without results, results without calls,
//! parents that are nowhere.
//!
//! Lenses never refuse a message for it; whoever goes on with a session is told. The entries are
//! fed one by one, and of each id only a digest is kept.

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::Digest;
use crate::lens::reading::Reading;
use crate::position::Seq;

/// How many ids are kept at most; what follows after that many is not looked at.
const MOST_IDS: usize = 1 << 20;

/// How many places of each kind are named.
const MOST_NAMED: usize = 100;

/// Takes the messages of a transcript one by one, and tells what does not fit together.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::lens::{self, Pairing};
/// use sessile_core::{Payload, Seq};
///
/// let call = r#"{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"ls"}}]}"#;
/// let mut pairing = Pairing::default();
/// let data = Payload::parse(call)?;
/// pairing.message(Seq::FIRST, &lens::read(Dialect::Openai, &data));
/// assert_eq!(pairing.report().open_calls.count, 1);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    calls: BTreeMap<Key, Call>,
    ids: BTreeSet<Key>,
    /// Parents that were named and not seen yet: some programs write a child before its parent.
    waiting: BTreeMap<Key, Findings>,
    orphan_results: Findings,
    second_results: Findings,
    own_parents: Findings,
    /// The first entry that was not looked at.
    stopped_at: Option<Seq>,
}

/// What a [`Pairing`] has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairingReport {
    /// Calls that no result follows.
    pub open_calls: Findings,
    /// Results that no call precedes.
    pub orphan_results: Findings,
    /// Further results of a call that has one.
    pub second_results: Findings,
    /// Entries that name a parent that is nowhere, or themselves.
    pub unknown_parents: Findings,
    /// The first entry that was not looked at, because there were too many ids before it; none
    /// where everything was.
    pub stopped_at: Option<Seq>,
}

/// How many there are, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// How many.
    pub count: u64,
    /// The entries that hold the first hundred of them, in the order of the transcript.
    pub seqs: Vec<Seq>,
}

/// The first half of an id's SHA-256: ids may be of any length.
type Key = [u8; 16];

/// What is known of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Open(Seq),
    Answered,
}

impl Pairing {
    /// Takes the next message of the transcript.
    pub fn message(&mut self, seq: Seq, reading: &Reading<'_>) {
        if !self.has_room(seq, reading) {
            return;
        }
        self.link(seq, reading);
        for call in &reading.calls {
            self.calls.insert(key(&call.id), Call::Open(seq));
        }
        for result in &reading.results {
            match self.calls.get_mut(&key(&result.call_id)) {
                Some(call @ Call::Open(_)) => *call = Call::Answered,
                Some(Call::Answered) => self.second_results.note(seq),
                None => self.orphan_results.note(seq),
            }
        }
    }

    /// Takes an entry that is no message: others may follow it, or it them.
    pub fn event(&mut self, seq: Seq, reading: &Reading<'_>) {
        if self.has_room(seq, reading) {
            self.link(seq, reading);
        }
    }

    /// What was found so far.
    pub fn report(&self) -> PairingReport {
        let open = self.calls.values().filter_map(|call| match call {
            Call::Open(seq) => Some(*seq),
            Call::Answered => None,
        });
        let unknown = self.waiting.values().chain([&self.own_parents]);
        PairingReport {
            open_calls: Findings::of(open.map(|seq| (1, seq))),
            orphan_results: self.orphan_results.clone(),
            second_results: self.second_results.clone(),
            unknown_parents: Findings::merged(unknown),
            stopped_at: self.stopped_at,
        }
    }

    /// Notes the entry's own id and the parent that it names.
    fn link(&mut self, seq: Seq, reading: &Reading<'_>) {
        let id = reading.id.as_deref().map(key);
        let parent = reading.parent.as_deref().map(key);
        match parent {
            Some(_) if parent == id => self.own_parents.note(seq),
            Some(parent) if !self.ids.contains(&parent) => {
                self.waiting.entry(parent).or_default().note(seq);
            }
            _ => {}
        }
        if let Some(id) = id {
            self.waiting.remove(&id);
            self.ids.insert(id);
        }
    }

    /// Whether what an entry names can be kept; once it can't, nothing is looked at any more,
    /// since what follows could not be told from what was not kept.
    fn has_room(&mut self, seq: Seq, reading: &Reading<'_>) -> bool {
        let kept = self.calls.len() + self.ids.len() + self.waiting.len();
        if kept + reading.calls.len() + 2 > MOST_IDS {
            self.stopped_at.get_or_insert(seq);
        }
        self.stopped_at.is_none()
    }
}

impl Findings {
    fn note(&mut self, seq: Seq) {
        self.count += 1;
        if self.seqs.len() < MOST_NAMED {
            self.seqs.push(seq);
        }
    }

    /// Sorts what was found in no order: counts with a place each.
    fn of(found: impl Iterator<Item = (u64, Seq)>) -> Self {
        let mut all = Self::default();
        for (count, seq) in found {
            all.count += count;
            all.seqs.push(seq);
        }
        all.seqs.sort_unstable();
        all.seqs.truncate(MOST_NAMED);
        all
    }

    fn merged<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let count = parts.clone().map(|part| part.count).sum();
        let places = parts.flat_map(|part| part.seqs.iter().map(|seq| (0, *seq)));
        Self { count, ..Self::of(places) }
    }
}

fn key(id: &str) -> Key {
    let digest = Digest::of(id.as_bytes());
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
