//! What is to be appended as one commit, before it is known where.

use crate::entry::shape::{Claim, Outcome};
use crate::entry::{EntryType, NewEntry};
use crate::error::{Error, ErrorKind};
use crate::payload::Payload;
use crate::position::Seq;
use crate::time::UnixMillis;

/// Entries that are to be appended together, and that may name one another's numbers: those of a
/// commit in which a claim stands name that claim, and an outcome names the messages it adopts.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::admission::{Bid, Decision, Plan, Request, decide};
/// use sessile_core::digest::Digest;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::{EntryType, Payload, UnixMillis, Usage};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let (request, contract, usage) = ("req-1".parse()?, Contract::new(), Usage::new());
/// # let input = Digest::of(b"hi");
/// # let bid = Bid { request: &request, input, contract: &contract, usage: &usage, holder: None };
/// let state = session.state().await?;
/// let Decision::Claim(plan) = decide(&state, &Request::Admit(bid))? else { panic!("it is free") };
/// // A message in the same commit, which names the claim that it begins with.
/// let plan: Plan = plan.with(EntryType::Message, Payload::of("hi")?);
/// let first = state.position().seq().expect("there is room");
/// let entries = plan.entries(first, UnixMillis(0))?;
/// assert_eq!((entries[0].claim, entries[1].claim), (None, Some(first)));
/// // So it must stand exactly there.
/// assert!(plan.is_numbered());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The claim that they are written under, unless they begin with one.
    claim: Option<Seq>,
    /// The claim that they begin with.
    claims: Option<Claim>,
    /// What follows it.
    drafts: Vec<(EntryType, Payload)>,
    /// What ends the request.
    outcome: Option<Outcome>,
    /// Whether that adopts messages: those of the plan, and those that pend.
    adopts: bool,
    /// The first and the last of those that pend.
    pending: Option<(Seq, Seq)>,
    /// What follows that.
    last: Vec<(EntryType, Payload)>,
}

impl Plan {
    /// Nothing yet, under a claim or under none.
    const fn begin(claim: Option<Seq>, claims: Option<Claim>) -> Self {
        Self {
            claim,
            claims,
            drafts: Vec::new(),
            outcome: None,
            adopts: false,
            pending: None,
            last: Vec::new(),
        }
    }

    /// One claim, under which the rest is written.
    pub(super) const fn claim(claim: Claim) -> Self {
        Self::begin(None, Some(claim))
    }

    /// One entry that no claim covers.
    pub(super) fn free(entry_type: EntryType, data: Payload) -> Self {
        Self::begin(None, None).with(entry_type, data)
    }

    /// Nothing yet, under a claim.
    pub(super) const fn under(claim: Seq) -> Self {
        Self::begin(Some(claim), None)
    }

    /// And an entry, before what ends the request: a message or the last checkpoint of a turn.
    #[must_use]
    pub fn with(mut self, entry_type: EntryType, data: Payload) -> Self {
        self.drafts.push((entry_type, data));
        self
    }

    /// And what ends the request, adopting nothing.
    pub(super) fn ending(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// And what ends the request, adopting messages that pend and those of the plan.
    pub(super) fn adopting(mut self, outcome: Outcome, pending: Option<(Seq, Seq)>) -> Self {
        self.adopts = true;
        self.pending = pending;
        self.ending(outcome)
    }

    /// And an entry behind what ends the request: closing the session.
    #[must_use]
    pub fn then(mut self, entry_type: EntryType, data: Payload) -> Self {
        self.last.push((entry_type, data));
        self
    }

    /// The claim that it begins with.
    pub const fn new_claim(&self) -> Option<&Claim> {
        self.claims.as_ref()
    }

    /// Whether entries of it name numbers of others of it, so that it must stand exactly where
    /// [`entries`](Self::entries) was told.
    pub fn is_numbered(&self) -> bool {
        let holds_message = self.drafts.iter().any(|(it, _)| *it == EntryType::Message);
        let names_claim =
            self.claims.is_some() && (!self.drafts.is_empty() || self.outcome.is_some());
        names_claim || self.adopts && holds_message
    }

    /// The entries, made at a time, where the first of them gets a number and each other the next.
    ///
    /// A `state` that rides before them takes a number of its own: the first here is the one after
    /// it. The entries carry no numbers, and get them by where they are appended.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when the journal is full.
    pub fn entries(&self, first: Seq, at: UnixMillis) -> Result<Vec<NewEntry>, Error> {
        let Self { claim, claims, drafts, outcome, adopts, pending, last } = self;
        let mut placed = Placed { entries: Vec::new(), next: Some(first), at, claim: *claim };
        if let Some(claim) = claims {
            let claim = Payload::of(claim)?;
            placed.claim = None;
            placed.push(EntryType::Claim, claim)?;
            placed.claim = Some(first);
        }
        let mut adopted = *pending;
        for (entry_type, data) in drafts {
            let seq = placed.push(entry_type.clone(), data.clone())?;
            if *entry_type == EntryType::Message {
                adopted = Some((adopted.map_or(seq, |(from, _)| from), seq));
            }
        }
        if let Some(outcome) = outcome {
            let adopts = adopted.filter(|_| *adopts);
            placed
                .push(EntryType::Outcome, Payload::of(&Outcome { adopts, ..outcome.clone() })?)?;
        }
        for (entry_type, data) in last {
            placed.push(entry_type.clone(), data.clone())?;
        }
        Ok(placed.entries)
    }
}

/// Entries whose numbers are known.
struct Placed {
    entries: Vec<NewEntry>,
    next: Option<Seq>,
    at: UnixMillis,
    claim: Option<Seq>,
}

impl Placed {
    /// Adds an entry; answers its number.
    fn push(&mut self, entry_type: EntryType, data: Payload) -> Result<Seq, Error> {
        let seq = self
            .next
            .ok_or_else(|| Error::new(ErrorKind::Refused, "the journal has no numbers left"))?;
        self.next = seq.next();
        let entry = NewEntry::new(self.at, entry_type, data);
        self.entries.push(NewEntry { claim: self.claim, ..entry });
        Ok(seq)
    }
}
