//! What is asked on each state.

use sessile_core::admission::{Bid, BuiltOn, Decision, End, Hand, Recovery, Request};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{self, Approval, Contract, Intent, OutcomeStatus};
use sessile_core::{EntryType, Error, ErrorKind, Seq, Usage};

use super::journal::{contract, held, id, json, name, seq, tokens};
use super::states::{State, approval, arguments, checkpoint, floor, intent};

type Answer = Result<Decision, Error>;

/// Asks on a state.
type Ask = fn(&mut State) -> Answer;

/// Every request, by name.
pub(crate) const REQUESTS: &[(&str, Ask)] = &[
    ("admit a", |it| admit(it, "a", "in", &contract())),
    ("admit a with another input", |it| admit(it, "a", "other", &contract())),
    ("admit a under other terms", |it| admit(it, "a", "in", &other_contract())),
    ("admit b", |it| admit(it, "b", "in", &contract())),
    ("admit under the session's id", |it| admit(it, "ses", "in", &contract())),
    ("recover a", |it| recover(it, Recovery::Reject, &floor(it))),
    ("recover a to restart", |it| recover(it, Recovery::Restart, &floor(it))),
    ("recover a to resume", |it| recover(it, Recovery::Resume, &floor(it))),
    ("recover a with less usage", |it| recover(it, Recovery::Resume, &tokens(4))),
    ("recover a with more usage", |it| recover(it, Recovery::Resume, &tokens(50))),
    ("recover a by another claim", |it| {
        let usage = floor(it);
        recover_with(it, seq(1), ("a", "in", &contract()), Recovery::Resume, &usage)
    }),
    ("recover a with another input", |it| {
        let (claim, usage) = (it.claim, floor(it));
        recover_with(it, claim, ("a", "other", &contract()), Recovery::Resume, &usage)
    }),
    ("recover a under other terms", |it| {
        let (claim, usage) = (it.claim, floor(it));
        recover_with(it, claim, ("a", "in", &other_contract()), Recovery::Resume, &usage)
    }),
    ("recover b", |it| {
        let (claim, usage) = (it.claim, floor(it));
        recover_with(it, claim, ("b", "in", &contract()), Recovery::Resume, &usage)
    }),
    ("release a", |it| release(it, "a", it.claim)),
    ("release a by another claim", |it| release(it, "a", seq(1))),
    ("release b", |it| release(it, "b", it.claim)),
    ("write a message", |it| write(it, None, &[EntryType::Message])),
    ("write a message under the claim", |it| write(it, Some(it.claim), &[EntryType::Message])),
    ("write a message under another claim", |it| write(it, Some(seq(1)), &[EntryType::Message])),
    ("write an event", |it| write(it, None, &[EntryType::Event, EntryType::Meta])),
    ("write an event under another claim", |it| write(it, Some(seq(1)), &[EntryType::Event])),
    ("close", |it| write(it, None, &[EntryType::Close])),
    ("close under the claim", |it| write(it, Some(it.claim), &[EntryType::Close])),
    ("close with the end", |it| write(it, Some(it.claim), &[EntryType::Outcome, EntryType::Close])),
    ("delete", |it| write(it, None, &[EntryType::Delete])),
    ("write an outcome without a claim", |it| write(it, None, &[EntryType::Outcome])),
    ("checkpoint 0", |it| checkpoint_at(it, it.claim, 0)),
    ("checkpoint 1", |it| checkpoint_at(it, it.claim, 1)),
    ("checkpoint under another claim", |it| checkpoint_at(it, seq(1), 0)),
    ("intend", |it| intend(it, it.claim, &intent())),
    ("intend other arguments", |it| {
        intend(it, it.claim, &Intent { arguments: Digest::of(b"other"), ..intent() })
    }),
    ("intend with leave", |it| intend(it, it.claim, &with_leave("act", "leave"))),
    ("intend another action with leave", |it| intend(it, it.claim, &with_leave("act2", "leave"))),
    ("intend with leave nobody asked for", |it| {
        intend(it, it.claim, &with_leave("act2", "forged"))
    }),
    ("intend under another claim", |it| intend(it, seq(1), &intent())),
    ("complete", |it| complete(it, it.claim, 3, "\"output\"")),
    ("complete with another output", |it| complete(it, it.claim, 3, "\"other\"")),
    ("complete another intent", |it| complete(it, it.claim, 2, "\"output\"")),
    ("complete under another claim", |it| complete(it, seq(1), 3, "\"output\"")),
    ("reconcile as done", |it| {
        reconcile(it, it.claim, Hand::Holder, ("act", "tool"), Some("\"output\""))
    }),
    ("reconcile as not executed, by another", |it| {
        reconcile(it, it.claim, OTHER, ("act", "tool"), None)
    }),
    ("reconcile by another with another claim", |it| {
        reconcile(it, seq(1), OTHER, ("act", "tool"), Some("\"output\""))
    }),
    ("reconcile another action", |it| {
        reconcile(it, it.claim, OTHER, ("act3", "tool"), Some("\"output\""))
    }),
    ("reconcile another tool", |it| {
        reconcile(it, it.claim, OTHER, ("act", "tool3"), Some("\"output\""))
    }),
    ("ask", |it| ask(it, it.claim, &approval())),
    ("ask for another call", |it| {
        ask(it, it.claim, &Approval { call: Digest::of(b"other"), ..approval() })
    }),
    ("ask under another claim", |it| ask(it, seq(1), &approval())),
    ("allow", |it| decide(it, "leave", true)),
    ("deny", |it| decide(it, "leave", false)),
    ("allow what nobody asked for", |it| decide(it, "forged", true)),
    ("commit", |it| commit(it, it.claim, built_on(it))),
    ("commit on other messages", |it| {
        commit(it, it.claim, BuiltOn { messages: 9, ..built_on(it) })
    }),
    ("commit on another checkpoint", |it| {
        commit(it, it.claim, BuiltOn { checkpoint: Some(9), ..built_on(it) })
    }),
    ("commit under another claim", |it| commit(it, seq(1), built_on(it))),
    ("fail", |it| end(it, it.claim, Hand::Holder, OutcomeStatus::Failed)),
    ("fail under another claim", |it| end(it, seq(1), Hand::Holder, OutcomeStatus::Failed)),
    ("cancel, by another", |it| end(it, it.claim, OTHER, OutcomeStatus::Cancelled)),
    ("abandon by another claim, by another", |it| end(it, seq(1), OTHER, OutcomeStatus::Abandoned)),
    ("complete without a turn", |it| end(it, it.claim, Hand::Holder, OutcomeStatus::Completed)),
];

const OTHER: Hand<'static> = Hand::Other { holder: None };

fn other_contract() -> Contract {
    Contract::new().part("agent", "shop").unwrap().part("tools", "some").unwrap()
}

fn with_leave(action: &str, approval: &str) -> Intent {
    let (action, approval) = (name(action), Some(name(approval)));
    Intent { action, approval, name: name("tool"), arguments: arguments() }
}

fn admit(it: &mut State, request: &str, input: &str, contract: &Contract) -> Answer {
    let (request, usage) = (id(request), tokens(5));
    let input = Digest::of(input.as_bytes());
    let bid = Bid { request: &request, input, contract, usage: &usage, holder: None };
    it.journal.decide(&Request::Admit(bid))
}

fn recover(it: &mut State, recovery: Recovery, usage: &Usage) -> Answer {
    let claim = it.claim;
    recover_with(it, claim, ("a", "in", &contract()), recovery, usage)
}

fn recover_with(
    it: &mut State,
    claim: Seq,
    (request, input, contract): (&str, &str, &Contract),
    recovery: Recovery,
    usage: &Usage,
) -> Answer {
    let (request, input) = (id(request), Digest::of(input.as_bytes()));
    let bid = Bid { request: &request, input, contract, usage, holder: None };
    it.journal.decide(&Request::Recover { claim, bid, recovery })
}

fn release(it: &mut State, request: &str, claim: Seq) -> Answer {
    let request = id(request);
    it.journal.decide(&Request::Release { held: held(&request, claim), holder: None })
}

fn write(it: &mut State, claim: Option<Seq>, types: &[EntryType]) -> Answer {
    it.journal.decide(&Request::Write { claim, types })
}

fn checkpoint_at(it: &mut State, claim: Seq, number: u64) -> Answer {
    let request = id("a");
    let checkpoint = &checkpoint(number, false);
    it.journal.decide(&Request::Checkpoint { held: held(&request, claim), checkpoint })
}

fn intend(it: &mut State, claim: Seq, intent: &Intent) -> Answer {
    let request = id("a");
    it.journal.decide(&Request::Intend { held: held(&request, claim), intent })
}

fn complete(it: &mut State, claim: Seq, intent: u64, output: &str) -> Answer {
    let (request, action, output) = (id("a"), name("act"), json(output));
    let (held, intent) = (held(&request, claim), seq(intent));
    it.journal.decide(&Request::Complete { held, action: &action, intent, output: &output })
}

fn reconcile(
    it: &mut State,
    claim: Seq,
    hand: Hand<'_>,
    (action, tool): (&str, &str),
    output: Option<&str>,
) -> Answer {
    let (request, action, name) = (id("a"), name(action), name(tool));
    let output = output.map(json);
    let held = held(&request, claim);
    let (action, name, output) = (&action, &name, output.as_ref());
    it.journal.decide(&Request::Reconcile { held, hand, action, name, output })
}

fn ask(it: &mut State, claim: Seq, approval: &Approval) -> Answer {
    let request = id("a");
    it.journal.decide(&Request::Ask { held: held(&request, claim), approval })
}

fn decide(it: &mut State, approval: &str, allow: bool) -> Answer {
    let decision = shape::Decision { approval: name(approval), allow, by: None };
    it.journal.decide(&Request::Decide(&decision))
}

/// What the turn was built on, as its holder knows it.
fn built_on(it: &State) -> BuiltOn {
    let active = it.journal.state.admission().active();
    let last = active.and_then(|active| active.checkpoint.as_ref());
    BuiltOn { messages: 1, checkpoint: last.map(|last| last.number) }
}

fn commit(it: &mut State, claim: Seq, built_on: BuiltOn) -> Answer {
    let request = id("a");
    let end = &End::new(OutcomeStatus::Completed);
    it.journal.decide(&Request::Commit { held: held(&request, claim), built_on, end })
}

fn end(it: &mut State, claim: Seq, hand: Hand<'_>, status: OutcomeStatus) -> Answer {
    let request = id("a");
    let end = &End::new(status);
    it.journal.decide(&Request::End { held: held(&request, claim), hand, end })
}

/// The word that the table has for an answer.
pub(crate) fn word(answer: &Answer) -> &'static str {
    match answer {
        Ok(Decision::Claim(_)) => "claim",
        Ok(Decision::Append(_)) => "append",
        Ok(Decision::Granted) => "granted",
        Ok(Decision::Replay(_)) => "replay",
        Ok(Decision::Stands(_)) => "stands",
        Ok(Decision::Done(_)) => "stored-output",
        Ok(Decision::Indeterminate(_)) => "indeterminate",
        Ok(_) => "another answer",
        Err(error) if error.outcome() != sessile_core::Outcome::NotApplied => "an unknown outcome",
        Err(error) if error.kind() == ErrorKind::Busy && error.occupant().is_none() => {
            "busy-by-none"
        }
        Err(error) => error.kind().name(),
    }
}
