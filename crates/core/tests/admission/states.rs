//! The states on which requests are decided. The request `a` is active in them, or was.

use sessile_core::admission::{Bid, BuiltOn, End, Hand, Recovery, Request};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{self, Approval, Checkpoint, Intent, OutcomeStatus, call};
use sessile_core::{EntryType, Seq, Usage};

use super::journal::{Journal, contract, entry, held, id, json, name, seq, tokens};

/// A journal, and the last claim of `a` in it.
pub(crate) struct State {
    pub(crate) journal: Journal,
    pub(crate) claim: Seq,
}

/// Comes to a state.
type Make = fn() -> State;

/// Every state, by name.
pub(crate) const STATES: &[(&str, Make)] = &[
    ("untouched", || State { journal: Journal::new(), claim: seq(99) }),
    ("completed", completed),
    ("failed", || ended(OutcomeStatus::Failed)),
    ("cancelled", || ended(OutcomeStatus::Cancelled)),
    ("abandoned", || ended(OutcomeStatus::Abandoned)),
    ("expired", expired),
    ("fresh", fresh),
    ("pushed", pushed),
    ("ready", || checkpointed(false)),
    ("in-flight", || checkpointed(true)),
    ("recovered", recovered),
    ("intended", intended),
    ("done", done),
    ("not-executed", not_executed),
    ("asked", || asked(None)),
    ("allowed", || asked(Some(true))),
    ("denied", || asked(Some(false))),
    ("used", used),
    ("released", released),
    ("closed", || plus(State { journal: Journal::new(), claim: seq(99) }, EntryType::Close)),
    ("closed-completed", || plus(completed(), EntryType::Close)),
    ("deleted", || plus(fresh(), EntryType::Delete)),
    ("undeleted", || plus(plus(fresh(), EntryType::Delete), EntryType::Undelete)),
    ("unreadable", unreadable),
];

/// The digest of the arguments of the one action there is.
pub(crate) fn arguments() -> Digest {
    Digest::of(b"arguments")
}

/// The intent of action `act`, which calls `tool`.
pub(crate) fn intent() -> Intent {
    Intent { action: name("act"), name: name("tool"), arguments: arguments(), approval: None }
}

/// The question for leave for it.
pub(crate) fn approval() -> Approval {
    Approval { id: name("leave"), action: name("act"), call: call(&name("tool"), &arguments()) }
}

/// A checkpoint of 8 tokens.
pub(crate) fn checkpoint(number: u64, in_flight: bool) -> Checkpoint {
    let (kind, state) = (name("agent.step"), json("{}"));
    Checkpoint { kind, schema: 1, number, in_flight, usage: tokens(8), state }
}

fn plus(mut state: State, entry_type: EntryType) -> State {
    state.journal.append(vec![entry(entry_type, "{}")]);
    state
}

fn fresh() -> State {
    let mut journal = Journal::new();
    let claim = journal.claim("a", "in");
    State { journal, claim }
}

fn completed() -> State {
    let mut state = fresh();
    let end = End { result: Some(json("\"out\"")), ..End::new(OutcomeStatus::Completed) };
    let built_on = BuiltOn { messages: 1, checkpoint: None };
    let request = id("a");
    let held = held(&request, state.claim);
    state.journal.perform(&Request::Commit { held, built_on, end: &end });
    state
}

fn ended(status: OutcomeStatus) -> State {
    let mut state = fresh();
    let request = id("a");
    let held = held(&request, state.claim);
    let end = End { may_retry: true, ..End::new(status) };
    state.journal.perform(&Request::End { held, hand: Hand::Holder, end: &end });
    state
}

fn expired() -> State {
    let mut state = completed();
    let outcome = state.journal.commits.last_mut().unwrap();
    outcome.entries[0].redact().unwrap();
    let outcome = outcome.first_seq();
    let redacted = format!("{{\"seqs\":[{outcome}]}}");
    state.journal.append(vec![entry(EntryType::Redacted, &redacted)]);
    state
}

fn pushed() -> State {
    let mut state = fresh();
    state.journal.push(state.claim, "\"thinking\"");
    state
}

fn checkpointed(in_flight: bool) -> State {
    let mut state = pushed();
    let request = id("a");
    let held = held(&request, state.claim);
    let checkpoint = &checkpoint(0, in_flight);
    state.journal.perform(&Request::Checkpoint { held, checkpoint });
    state
}

fn recovered() -> State {
    let mut state = checkpointed(true);
    let (request, contract, usage) = (id("a"), contract(), tokens(9));
    let input = Digest::of(b"in");
    let bid = Bid { request: &request, input, contract: &contract, usage: &usage, holder: None };
    let (claim, recovery) = (state.claim, Recovery::Restart);
    state.claim = state.journal.perform(&Request::Recover { claim, bid, recovery });
    state
}

fn intended() -> State {
    let mut state = fresh();
    let request = id("a");
    let held = held(&request, state.claim);
    state.journal.perform(&Request::Intend { held, intent: &intent() });
    state
}

fn done() -> State {
    let mut state = intended();
    let (request, action) = (id("a"), name("act"));
    let (held, intent) = (held(&request, state.claim), seq(3));
    let output = &json("\"output\"");
    state.journal.perform(&Request::Complete { held, action: &action, intent, output });
    state
}

fn not_executed() -> State {
    let mut state = intended();
    let (request, action, name) = (id("a"), name("act"), name("tool"));
    let (held, hand) = (held(&request, state.claim), Hand::Holder);
    let (action, name) = (&action, &name);
    state.journal.perform(&Request::Reconcile { held, hand, action, name, output: None });
    state
}

fn asked(allow: Option<bool>) -> State {
    let mut state = fresh();
    let request = id("a");
    let held = held(&request, state.claim);
    state.journal.perform(&Request::Ask { held, approval: &approval() });
    if let Some(allow) = allow {
        let decision = shape::Decision { approval: name("leave"), allow, by: None };
        state.journal.perform(&Request::Decide(&decision));
    }
    state
}

fn used() -> State {
    let mut state = asked(Some(true));
    let request = id("a");
    let held = held(&request, state.claim);
    let intent = Intent { approval: Some(name("leave")), ..intent() };
    state.journal.perform(&Request::Intend { held, intent: &intent });
    state
}

fn released() -> State {
    let mut state = checkpointed(true);
    let request = id("a");
    let held = held(&request, state.claim);
    state.claim = state.journal.perform(&Request::Release { held, holder: None });
    state
}

fn unreadable() -> State {
    let mut journal = Journal::new();
    let claim = journal.append(vec![entry(EntryType::Claim, r#"{"schema":2}"#)]);
    State { journal, claim }
}

/// The usage that a state goes on with.
pub(crate) fn floor(state: &State) -> Usage {
    let active = state.journal.state.admission().active();
    active.map_or_else(|| tokens(5), |active| active.usage.clone())
}
