//! What does not fit together in a transcript: calls without results, results without calls,
//! parents that are nowhere.
//!
//! Lenses never refuse a message for it; whoever goes on with a session is told. The entries are
//! fed one by one, and of most ids only a digest is kept.

mod finding;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub use finding::{Finding, Findings};

use crate::digest::Digest;
use crate::lens::reading::Reading;
use crate::position::Seq;

/// How many ids are kept at most.
const MOST_IDS: usize = 1 << 20;

/// How many ids of what may turn out not to fit are kept as text, to be named.
const MOST_TEXTS: usize = 4096;

/// Takes the messages of a transcript one by one, and tells what does not fit together.
///
/// Where only the end of a transcript is fed, [`restart`](Self::restart) says so first: what may
/// stand before it is not called missing then.
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
#[derive(Clone, Default)]
pub struct Pairing {
    calls: BTreeMap<Key, Call>,
    ids: BTreeSet<Key>,
    /// Parents that were named and not seen yet: some programs write a child before its parent.
    waiting: BTreeMap<Key, Waiting>,
    orphan_results: Findings,
    second_results: Findings,
    own_parents: Findings,
    /// How many ids are kept as text.
    texts: usize,
    /// The first entry that was looked at, where there may be others before it.
    from: Option<Seq>,
}

/// What a [`Pairing`] has found.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::lens::{self, Pairing, PairingReport};
/// use sessile_core::{Payload, Seq};
///
/// let answer = Payload::parse(r#"{"role":"tool","tool_call_id":"c1","content":"done"}"#)?;
/// let reading = lens::read(Dialect::Openai, &answer);
/// let mut pairing = Pairing::default();
/// pairing.message(Seq::FIRST, &reading);
/// let report: PairingReport = pairing.report();
/// assert_eq!(report.orphan_results.count, 1);
///
/// // Where only the end of a transcript is looked at, its call may stand before.
/// pairing.restart(Seq::FIRST);
/// pairing.message(Seq::FIRST, &reading);
/// let report = pairing.report();
/// assert_eq!((report.orphan_results.count, report.from), (0, Some(Seq::FIRST)));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairingReport {
    /// Calls that no result follows.
    pub open_calls: Findings,
    /// Results that no call precedes; none where the call may stand before what was looked at.
    pub orphan_results: Findings,
    /// Further results of a call that has one.
    pub second_results: Findings,
    /// Entries that name a parent that is nowhere, or themselves; only the latter where the parent
    /// may stand before what was looked at.
    pub unknown_parents: Findings,
    /// The first entry that was looked at, where there may be others before it; none where all
    /// of it is accounted for.
    pub from: Option<Seq>,
}

/// The first half of an id's SHA-256: ids may be of any length.
type Key = [u8; 16];

/// What is known of a call.
#[derive(Clone)]
enum Call {
    Open(Finding),
    Answered,
}

/// Entries that name a parent which was not seen yet.
#[derive(Clone, Default)]
struct Waiting {
    /// The parent's id, if it is kept.
    id: Option<String>,
    count: u64,
    seqs: Vec<Seq>,
}

impl Pairing {
    /// Begins anew with an entry before which others may stand that are not looked at: because
    /// only the end of the transcript is, or because they can't be read.
    pub fn restart(&mut self, from: Seq) {
        *self = Self { from: Some(from), ..Self::default() };
    }

    /// Takes the next message of the transcript.
    pub fn message(&mut self, seq: Seq, reading: &Reading<'_>) {
        self.make_room(seq, reading);
        self.link(seq, reading);
        for call in &reading.calls {
            let id = self.text(&call.id);
            let before = self.calls.insert(key(&call.id), Call::Open(Finding { seq, id }));
            self.release(before.as_ref());
        }
        for result in &reading.results {
            let finding = || Finding::new(seq, &result.call_id);
            match self.calls.get_mut(&key(&result.call_id)) {
                Some(call @ Call::Open(_)) => {
                    let open = std::mem::replace(call, Call::Answered);
                    self.release(Some(&open));
                }
                Some(Call::Answered) => self.second_results.note(finding),
                None => self.orphan_results.note(finding),
            }
        }
    }

    /// Takes an entry that is no message: others may follow it, or it them.
    pub fn event(&mut self, seq: Seq, reading: &Reading<'_>) {
        self.make_room(seq, reading);
        self.link(seq, reading);
    }

    /// What was found so far.
    pub fn report(&self) -> PairingReport {
        let open = self.calls.values().filter_map(|call| match call {
            Call::Open(finding) => Some(finding.clone()),
            Call::Answered => None,
        });
        // What may stand before is not called missing.
        let (orphan_results, waiting) = match self.from {
            None => (self.orphan_results.clone(), Some(&self.waiting)),
            Some(_) => (Findings::default(), None),
        };
        let unknown = waiting.into_iter().flat_map(BTreeMap::values).flat_map(Waiting::findings);
        PairingReport {
            open_calls: Findings::sorted(open.map(|finding| (1, finding))),
            orphan_results,
            second_results: self.second_results.clone(),
            unknown_parents: Findings::sorted(unknown.chain(self.own_parents.counted())),
            from: self.from,
        }
    }

    /// Notes the entry's own id and the parent that it names.
    fn link(&mut self, seq: Seq, reading: &Reading<'_>) {
        let id = reading.id.as_deref().map(key);
        let parent = reading.parent.as_deref().map(|parent| (parent, key(parent)));
        match parent {
            Some((text, parent)) if Some(parent) == id => {
                self.own_parents.note(|| Finding::new(seq, text));
            }
            Some((text, parent)) if !self.ids.contains(&parent) => self.wait(seq, text, parent),
            _ => {}
        }
        if let Some(id) = id {
            if let Some(Waiting { id: Some(_), .. }) = self.waiting.remove(&id) {
                self.texts -= 1;
            }
            self.ids.insert(id);
        }
    }

    /// Notes that an entry names a parent which was not seen yet.
    fn wait(&mut self, seq: Seq, text: &str, parent: Key) {
        if !self.waiting.contains_key(&parent) {
            let id = self.text(text);
            self.waiting.insert(parent, Waiting { id, ..Waiting::default() });
        }
        if let Some(waiting) = self.waiting.get_mut(&parent) {
            waiting.note(seq);
        }
    }

    /// Begins anew with an entry if what it names can't be kept beside what is kept: what follows
    /// could not be told from what was not kept.
    fn make_room(&mut self, seq: Seq, reading: &Reading<'_>) {
        let kept = self.calls.len() + self.ids.len() + self.waiting.len();
        if kept > 0 && kept + reading.calls.len() + 2 > MOST_IDS {
            self.restart(seq);
        }
    }

    /// The text of an id, if there is room for it.
    fn text(&mut self, id: &str) -> Option<String> {
        let text = finding::short(id).filter(|_| self.texts < MOST_TEXTS)?;
        self.texts += 1;
        Some(text.to_owned())
    }

    /// Makes room for another text where a call is not open any more.
    fn release(&mut self, call: Option<&Call>) {
        if let Some(Call::Open(Finding { id: Some(_), .. })) = call {
            self.texts -= 1;
        }
    }
}

impl Waiting {
    fn note(&mut self, seq: Seq) {
        self.count += 1;
        if self.seqs.len() < finding::MOST_NAMED {
            self.seqs.push(seq);
        }
    }

    /// Each entry that is named, the first with how many there are.
    fn findings(&self) -> impl Iterator<Item = (u64, Finding)> {
        let counts = std::iter::once(self.count).chain(std::iter::repeat(0));
        let findings = self.seqs.iter().map(|seq| Finding { seq: *seq, id: self.id.clone() });
        counts.zip(findings)
    }
}

fn key(id: &str) -> Key {
    let digest = Digest::of(id.as_bytes());
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}

impl fmt::Debug for Pairing {
    /// Tells sizes only: ids are of the payload, which never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pairing")
            .field("calls", &self.calls.len())
            .field("ids", &self.ids.len())
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
