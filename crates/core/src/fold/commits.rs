//! Which commits are in a journal and which requests ended there: the ids by which a repeat is
//! recognised, for ever.
//!
//! The ids since the last `state` are known by name. Those before it stand in runs, which states
//! hold and which are read when somebody asks for an id that is not known by name.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ended::Ended;
use super::ids::{IdHash, IdRun};
use super::lookup::{Lookup, Recorded, RequestLookup, Unread};
use crate::commit::StoredCommit;
use crate::entry::EntryType;
use crate::entry::shape::Redacted;
use crate::id::{CommitId, RequestId};
use crate::position::Seq;

/// A run of so many ids is not merged any more, so that no state grows without bound.
const GREATEST_RUN: u64 = 16_384;

/// About how many bytes of memory a commit takes that is known by name.
const COMMIT_WEIGHT: usize = 192;

/// About how many bytes of memory a request takes that ended.
const ENDED_WEIGHT: usize = 512;

/// How many bytes of memory an id in a run takes.
const ID_WEIGHT: usize = 16;

/// How many commits that were read to be sure of an id are remembered.
const MOST_CONFIRMED: usize = 64;

/// A run of ids, which a `state` holds.
#[derive(Clone, Debug)]
struct Run {
    state: Seq,
    ids: u64,
    /// None until it was read; shared by the copies of a state.
    read: Option<Arc<IdRun>>,
}

/// The commit ids as a `state` has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ids {
    /// The states whose runs hold the other ids, oldest first, each with how many it holds.
    runs: Vec<(Seq, u64)>,
    /// The state's own run.
    ids: String,
}

/// A commit that was read because a run names an entry of it.
#[derive(Clone, Debug)]
struct Confirmed {
    id: CommitId,
    recorded: Recorded,
    /// The request that the entry has ended.
    ended: Option<Ended>,
}

/// Every commit id of a journal, and every request that ended there.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::{CommitIndex, Lookup, RequestLookup};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let done = session.append(["hi"]).await?;
/// let turn = session.admit(&"req-1".parse()?, "and now?", &Contract::new()).await?.started()?;
/// turn.commit("wait").await?;
/// let index: CommitIndex = session.state().await?.commits().clone();
/// // Ids of commits and those of requests are told apart.
/// assert!(matches!(index.look(&done.commit_id), Lookup::Found(_)));
/// assert!(matches!(index.look_request(&"req-1".parse()?), RequestLookup::Found(_)));
/// assert_eq!(index.look(&"req-1".parse()?), Lookup::Absent);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct CommitIndex {
    /// The ids since the last state that was folded, and any that no run is known to hold.
    recent: HashMap<CommitId, Recorded>,
    /// The requests that ended since then.
    ended: HashMap<RequestId, Ended>,
    /// The runs of the others, oldest first.
    runs: Vec<Run>,
    /// Commits that were read, by the entries that runs name.
    confirmed: HashMap<Seq, Confirmed>,
    /// Whether the journal was folded from within, so that older ids stand in unread runs only.
    partial: bool,
}

impl CommitIndex {
    /// The index of a journal that is folded from a state on; what is older stands in runs.
    pub(super) fn partial() -> Self {
        Self { partial: true, ..Self::default() }
    }

    /// What is known of a commit id.
    pub fn look(&self, id: &CommitId) -> Lookup {
        if let Some(recorded) = self.recent.get(id) {
            return Lookup::Found(*recorded);
        }
        if self.runs.is_empty() {
            return Lookup::Absent;
        }
        let hash = IdHash::of(id);
        // What is asked for again is most often young.
        for run in self.runs.iter().rev() {
            let Some(read) = &run.read else {
                return Lookup::Unread(Unread::Run(run.state));
            };
            for seq in read.seqs(hash) {
                match self.confirmed.get(&seq) {
                    None => return Lookup::Unread(Unread::Commit(seq)),
                    Some(Confirmed { id: confirmed, recorded, .. }) if confirmed == id => {
                        return Lookup::Found(*recorded);
                    }
                    // Another id with the same hash.
                    Some(_) => {}
                }
            }
        }
        Lookup::Absent
    }

    /// What is known of the end of a request.
    pub fn look_request(&self, id: &RequestId) -> RequestLookup {
        if let Some(ended) = self.ended.get(id) {
            return RequestLookup::Found(ended.clone());
        }
        let hash = IdHash::of_request(id);
        for run in self.runs.iter().rev() {
            let Some(read) = &run.read else {
                return RequestLookup::Unread(Unread::Run(run.state));
            };
            for seq in read.seqs(hash).rev() {
                let Some(confirmed) = self.confirmed.get(&seq) else {
                    return RequestLookup::Unread(Unread::Commit(seq));
                };
                if let Some(ended) = confirmed.ended.as_ref().filter(|it| it.request == *id) {
                    return self.with_terms(ended);
                }
            }
        }
        RequestLookup::Absent
    }

    /// What ended, with what its claim says of it where the outcome leaves that out.
    fn with_terms(&self, ended: &Ended) -> RequestLookup {
        let mut ended = ended.clone();
        if ended.input.is_some() && ended.contract.is_some() {
            return RequestLookup::Found(ended);
        }
        let Some(claim) = self.confirmed.get(&ended.claim) else {
            return RequestLookup::Unread(Unread::Commit(ended.claim));
        };
        if let Some(claim) = claim.ended.as_ref().filter(|it| it.request == ended.request) {
            ended.input = ended.input.or(claim.input);
            ended.contract = ended.contract.or_else(|| claim.contract.clone());
        }
        RequestLookup::Found(ended)
    }

    /// The states whose runs hold the ids that are not known by name.
    pub fn states(&self) -> impl Iterator<Item = Seq> {
        self.runs.iter().map(|run| run.state)
    }

    /// About how many bytes of memory it takes.
    pub(super) fn weight(&self) -> usize {
        let read = self.runs.iter().filter_map(|run| run.read.as_deref());
        let run_ids = usize::try_from(read.map(IdRun::len).sum::<u64>()).unwrap_or(usize::MAX);
        self.recent.len() * COMMIT_WEIGHT
            + (self.ended.len() + self.confirmed.len()) * ENDED_WEIGHT
            + self.runs.len() * size_of::<Run>()
            + run_ids.saturating_mul(ID_WEIGHT)
    }

    /// How many commits are known by name.
    pub fn recent(&self) -> usize {
        self.recent.len()
    }

    /// Remembers a commit, unless nobody could ask for it again: repairs and barriers are no
    /// caller's.
    pub(super) fn record(&mut self, commit: &StoredCommit) {
        let bookkeeping = |entry_type: &EntryType| entry_type.is_bookkeeping();
        if commit.entries.iter().all(|entry| bookkeeping(&entry.entry_type)) {
            return;
        }
        self.recent.entry(commit.id.clone()).or_insert_with(|| Recorded::of(commit));
    }

    /// Remembers a request that ended; of two ends the later one counts.
    pub(super) fn end(&mut self, ended: Ended) {
        self.ended.insert(ended.request.clone(), ended);
    }

    /// Remembers that the results of requests were removed.
    pub(super) fn expire(&mut self, redacted: &Redacted) {
        for ended in self.ended.values_mut() {
            ended.expired |= redacted.seqs.contains(&ended.seq);
        }
        for seq in &redacted.seqs {
            self.confirmed.remove(seq);
        }
    }

    /// Remembers that the results of requests that ended before an entry were removed.
    pub(super) fn expire_before(&mut self, before: Seq) {
        // What a deletion ended has no outcome, and so no result.
        let has_outcome = |ended: &&mut Ended| ended.seq < before && ended.seq != ended.claim;
        for ended in self.ended.values_mut().filter(has_outcome) {
            ended.expired = true;
        }
        self.confirmed.retain(|seq, _| *seq >= before);
    }

    /// Forgets every request: those of another session are none of this one's.
    pub(super) fn forget_requests(&mut self) {
        self.ended.clear();
    }

    /// Remembers a commit that was read because a run names an entry of it.
    pub(super) fn confirm(&mut self, seq: Seq, commit: &StoredCommit) {
        if self.confirmed.len() >= MOST_CONFIRMED {
            self.confirmed.clear();
        }
        let ended = Ended::in_commit(commit, seq);
        let confirmed = Confirmed { id: commit.id.clone(), recorded: Recorded::of(commit), ended };
        self.confirmed.insert(seq, confirmed);
    }

    /// Takes the run that a state holds, as it has it; answers whether it can be read.
    pub(super) fn fill(&mut self, state: Seq, ids: &Ids) -> bool {
        let Some(read) = IdRun::from_text(&ids.ids) else {
            return false;
        };
        let run = self.runs.iter_mut().find(|run| run.state == state);
        run.is_some_and(|run| {
            run.read = Some(Arc::new(read));
            true
        })
    }

    /// Takes over from a state which runs there are; answers whether they can be read.
    ///
    /// An id that is known by name is forgotten only if a run at hand has it: a state that lacks
    /// what it should have makes nobody do a commit twice.
    pub(super) fn rest_on(&mut self, state: Seq, ids: &Ids) -> bool {
        let Some(own) = IdRun::from_text(&ids.ids) else {
            return false;
        };
        let mut at_hand = std::mem::take(&mut self.runs);
        let mut named = Vec::with_capacity(ids.runs.len() + 1);
        let mut is_lost = false;
        for (state, ids) in &ids.runs {
            let known = at_hand.iter().position(|run| run.state == *state);
            match known.map(|known| at_hand.remove(known)) {
                Some(run) => named.push(run),
                None if self.partial => named.push(Run { state: *state, ids: *ids, read: None }),
                // Who has folded everything knows what a run that can't be read held: the ids
                // that are known by name, and runs that it had taken over.
                None => is_lost = true,
            }
        }
        named.push(Run { state, ids: own.len(), read: Some(Arc::new(own)) });
        at_hand.retain(|run| is_lost && run.read.is_some());
        self.runs.extend(at_hand.into_iter().chain(named));
        let runs = &self.runs;
        let seqs = |hash: IdHash| {
            runs.iter().filter_map(|run| run.read.as_deref()).flat_map(move |run| run.seqs(hash))
        };
        self.recent.retain(|id, _| seqs(IdHash::of(id)).next().is_none());
        self.ended.retain(|id, ended| seqs(IdHash::of_request(id)).all(|seq| seq != ended.seq));
        true
    }

    /// The states whose runs the next state would merge with its own if they were read.
    pub(super) fn unread_to_merge(&self) -> impl Iterator<Item = Seq> {
        let unread = self.to_merge().filter(|run| run.read.is_none());
        unread.map(|run| run.state)
    }

    /// The ids as the next state has them: it takes over younger runs as long as they are no
    /// greater than its own, so that there are few runs and no id is written often.
    pub(super) fn to_ids(&self) -> Ids {
        let merged: Vec<&IdRun> = self.to_merge().map_while(|run| run.read.as_deref()).collect();
        let kept = self.runs.len().saturating_sub(merged.len());
        let own = IdRun::of(merged.into_iter().flat_map(IdRun::iter).chain(self.by_name()));
        let kept = self.runs.iter().take(kept).map(|run| (run.state, run.ids));
        Ids { runs: kept.collect(), ids: own.to_text() }
    }

    /// Every id that is known by name, as a run has it.
    fn by_name(&self) -> impl Iterator<Item = (IdHash, Seq)> {
        let commits = self.recent.iter().map(|(id, recorded)| (IdHash::of(id), recorded.first));
        let requests = self.ended.iter().map(|(id, ended)| (IdHash::of_request(id), ended.seq));
        commits.chain(requests)
    }

    /// The last runs, as many as the next state is to merge with its own, the youngest first.
    fn to_merge(&self) -> impl Iterator<Item = &Run> {
        let by_name = self.recent.len().saturating_add(self.ended.len());
        let mut ids = u64::try_from(by_name).unwrap_or(u64::MAX);
        self.runs.iter().rev().take_while(move |run| {
            let merged = ids.saturating_add(run.ids);
            let takes = run.ids <= ids && merged <= GREATEST_RUN;
            ids = merged;
            takes
        })
    }

    /// Whether a state's runs hold every id that is known here, as far as they are at hand.
    pub(super) fn is_covered_by(&self, ids: &Ids) -> bool {
        let Some(own) = IdRun::from_text(&ids.ids) else {
            return false;
        };
        let at_hand = |(state, _): &(Seq, u64)| {
            self.runs.iter().find(|run| run.state == *state)?.read.as_deref()
        };
        let Some(mut runs) = ids.runs.iter().map(at_hand).collect::<Option<Vec<_>>>() else {
            return true;
        };
        runs.push(&own);
        let has = |hash, seq| runs.iter().any(|run| run.seqs(hash).any(|it| it == seq));
        let read = self.runs.iter().filter_map(|run| run.read.as_deref()).flat_map(IdRun::iter);
        self.by_name().chain(read).all(|(hash, seq)| has(hash, seq))
    }
}
