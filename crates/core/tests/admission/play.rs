//! What a turn does, in few words.

use sessile_core::admission::{Bid, BuiltOn, Decision, End, Recovery, Request};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::OutcomeStatus;
use sessile_core::fold::Ended;
use sessile_core::{EntryType, Error, Seq, Usage};

use super::journal::{Journal, contract, held, id, json, tokens};
use super::states::{STATES, State};

pub(crate) fn state(name: &str) -> State {
    STATES.iter().find(|(known, _)| *known == name).unwrap().1()
}

pub(crate) fn recover(journal: &mut Journal, claim: Seq, usage: &Usage, recovery: Recovery) -> Seq {
    let (request, contract, input) = (id("a"), contract(), Digest::of(b"in"));
    let bid = Bid { request: &request, input, contract: &contract, usage, holder: None };
    journal.perform(&Request::Recover { claim, bid, recovery })
}

pub(crate) fn commit(journal: &mut Journal, claim: Seq, messages: u64, pushed: &[&str]) -> Seq {
    let (request, end) = (id("a"), End::new(OutcomeStatus::Completed));
    let last = journal.state.admission().active().and_then(|active| active.checkpoint.clone());
    let built_on = BuiltOn { messages, checkpoint: last.map(|last| last.number) };
    let request = Request::Commit { held: held(&request, claim), built_on, end: &end };
    let Decision::Append(mut plan) = journal.decide(&request).unwrap() else {
        panic!("not to be appended");
    };
    for message in pushed {
        plan = plan.with(EntryType::Message, json(message));
    }
    journal.carry_out(&plan)
}

pub(crate) fn admit(journal: &mut Journal, request: &str) -> Result<Decision, Error> {
    let (request, contract, usage) = (id(request), contract(), tokens(5));
    let input = Digest::of(b"in");
    let bid = Bid { request: &request, input, contract: &contract, usage: &usage, holder: None };
    journal.decide(&Request::Admit(bid))
}

pub(crate) fn replayed(journal: &mut Journal, request: &str) -> Ended {
    match admit(journal, request).unwrap() {
        Decision::Replay(ended) => ended,
        decision => panic!("{decision:?}"),
    }
}

/// Which messages are in sight.
pub(crate) fn seen(journal: &Journal) -> Vec<u64> {
    let entries = journal.commits.iter().flat_map(|commit| &commit.entries);
    let messages = entries.filter(|entry| entry.entry_type == EntryType::Message);
    let numbers = messages.map(|entry| entry.seq);
    let hidden = journal.state.sight().hidden();
    let seen: Vec<u64> = numbers.filter(|seq| !hidden.hides(*seq)).map(Seq::number).collect();
    assert_eq!(journal.state.messages(), u64::try_from(seen.len()).unwrap());
    seen
}
