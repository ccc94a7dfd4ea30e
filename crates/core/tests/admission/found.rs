//! What is found again of a request behind states, deletions, forks, redactions and damage.

use sessile_core::admission::{Decision, End, Hand, Request};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{ForkedFrom, Outcome, OutcomeStatus};
use sessile_core::error::DamagePlace;
use sessile_core::fold::{RequestLookup, SessionState};
use sessile_core::{EntryType, ErrorKind, NewEntry, Payload, Position, Usage};

use super::journal::{Journal, contract, entry, held, id, json, name, seq};
use super::play::{admit, commit, replayed, seen, state};
use super::states::{State, checkpoint, intent};

#[test]
fn a_request_that_ended_is_found_again_behind_any_number_of_states() {
    let mut journal = Journal::new();
    for number in 0..40 {
        let claim = journal.claim(&format!("r{number}"), "in");
        let request = id(&format!("r{number}"));
        let end = End { result: Some(json("1")), ..End::new(OutcomeStatus::Failed) };
        let held = held(&request, claim);
        journal.perform(&Request::End { held, hand: Hand::Holder, end: &end });
        if number % 7 == 0 {
            journal.reopen();
        }
    }
    journal.reopen();
    for number in 0..40 {
        let request = format!("r{number}");
        let ended = replayed(&mut journal, &request);
        let of = |commit: &&sessile_core::StoredCommit| {
            commit.entries.iter().any(|it| it.seq == ended.seq)
        };
        let commit = journal.commits.iter().find(of).unwrap();
        assert_eq!(ended.position, commit.tip().position);
        assert_eq!(
            (ended.request.as_str(), ended.status),
            (request.as_str(), OutcomeStatus::Failed)
        );
        assert_eq!(ended.input, Some(Digest::of(b"in")));
    }
    assert_eq!(journal.state.commits().look_request(&id("r40")), RequestLookup::Absent);
    // A commit of the same id is another thing.
    let asked = "r7".parse().unwrap();
    assert_eq!(journal.state.commits().look(&asked), sessile_core::fold::Lookup::Absent);
}

#[test]
fn where_an_outcome_leaves_its_terms_out_its_claim_tells_them() {
    let mut journal = Journal::new();
    let claim = journal.claim("a", "in");
    let outcome = entry(EntryType::Outcome, r#"{"request":"a","status":"completed","messages":1}"#);
    journal.append(vec![NewEntry { claim: Some(claim), ..outcome }]);
    for _ in 0..2 {
        let ended = replayed(&mut journal, "a");
        assert_eq!((ended.input, ended.contract), (Some(Digest::of(b"in")), Some(contract())));
        journal.reopen();
    }
}

#[test]
fn what_ended_by_deletion_is_found_again_by_its_claim() {
    let State { mut journal, claim } = state("undeleted");
    for _ in 0..2 {
        let ended = replayed(&mut journal, "a");
        assert_eq!((ended.status, ended.may_retry), (OutcomeStatus::Abandoned, true));
        assert_eq!((ended.claim, ended.seq), (claim, claim));
        journal.reopen();
    }
}

#[test]
fn a_redacted_end_has_expired_and_what_it_adopted_stays_in_sight() {
    let mut journal = Journal::new();
    let claim = journal.claim("a", "in");
    journal.push(claim, "1");
    commit(&mut journal, claim, 1, &[]);
    let before = journal.state.clone();
    let outcome = journal.commits.last_mut().unwrap().entries.last_mut().unwrap();
    outcome.redact().unwrap();
    assert!(outcome.is_redacted());
    let mut whole = SessionState::start(&journal.commits[0]).unwrap();
    journal.commits[1..].iter().for_each(|commit| whole.apply(commit));
    assert_eq!(whole.sight(), before.sight());
    journal.state = whole;
    let error = admit(&mut journal, "a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Expired);
    journal.reopen();
    assert_eq!(admit(&mut journal, "a").unwrap_err().kind(), ErrorKind::Expired);
}

#[test]
fn a_fork_inherits_open_intents_and_no_requests() {
    let mut source = Journal::new();
    let claim = source.claim("done", "in");
    let request = id("done");
    let end = End::new(OutcomeStatus::Cancelled);
    source.perform(&Request::End { held: held(&request, claim), hand: Hand::Holder, end: &end });
    let claim = source.claim("a", "in");
    let request = id("a");
    source.perform(&Request::Intend { held: held(&request, claim), intent: &intent() });
    source.push(claim, "1");
    let cut = ForkedFrom { session: "src".parse().unwrap(), seq: seq(6), copied: true };
    let mut fork = Journal::of(Some(&cut));
    for commit in &source.commits[1..] {
        fork.append(commit.entries.iter().cloned().map(NewEntry::from).collect());
    }
    assert!(fork.state.is_incomplete());
    fork.append(vec![entry(EntryType::Forked, "{}")]);
    let admission = fork.state.admission();
    assert!(admission.active().is_none() && admission.is_untouched());
    let inherited = admission.inherited();
    assert_eq!((inherited.len(), inherited[0].action.as_str()), (1, "act"));
    assert_eq!(seen(&fork), [1]);
    for request in ["done", "a"] {
        assert!(matches!(admit(&mut fork, request), Ok(Decision::Claim(_))), "{request} is new");
    }
    fork.reopen();
    assert_eq!(fork.state.admission().inherited().len(), 1);
}

#[test]
fn a_claim_that_cannot_be_read_refuses_admission_and_not_reading() {
    let State { mut journal, claim } = state("unreadable");
    journal.push(claim, "1");
    let outcome = Outcome {
        redacted: false,
        request: id("new"),
        input: None,
        contract: None,
        status: OutcomeStatus::Completed,
        adopts: Some((seq(3), seq(3))),
        messages: 1,
        result: None,
        may_retry: false,
        reason: None,
        usage: Usage::new(),
    };
    let outcome = Payload::of(&outcome).unwrap();
    let outcome = entry(EntryType::Outcome, outcome.as_str());
    journal.append(vec![NewEntry { claim: Some(claim), ..outcome }]);
    assert_eq!(seen(&journal), [1, 3]);
    let position = journal.state.position();
    for request in ["a", "new"] {
        let kind = admit(&mut journal, request).map_err(|error| error.kind());
        assert_eq!(kind.err(), Some(ErrorKind::InvalidAdmission), "{request}");
    }
    assert_eq!(journal.state.position(), position);
}

#[test]
fn behind_damage_a_turn_is_read_and_nothing_is_done_for_the_first_time() {
    let mut journal = Journal::new();
    let claim = journal.claim("a", "in");
    journal.push(claim, "1");
    let mut damaged = SessionState::start(&journal.commits[0]).unwrap();
    damaged.apply(&journal.commits[1]);
    // The claim is lost.
    damaged.note_damage(DamagePlace { seq: claim, offset: 9 });
    commit(&mut journal, claim, 1, &[]);
    journal.commits[3..].iter().for_each(|commit| damaged.apply(commit));
    assert_eq!((damaged.messages(), damaged.admission().strays()), (2, None));
    assert!(damaged.admission().active().is_none());
    journal.state = damaged;
    assert_eq!(admit(&mut journal, "b").unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(replayed(&mut journal, "a").claim, claim, "its end tells all there is to know");
    let damage = admit(&mut journal, "b").unwrap_err().damage();
    assert_eq!(damage.map(|place| place.seq), Some(claim));
    assert_eq!(journal.state.position(), Position::new(5).unwrap());
}

#[test]
fn a_state_tells_of_admission_as_the_formats_page_says() {
    let State { mut journal, claim } = state("used");
    let request = id("a");
    let held = held(&request, claim);
    journal.perform(&Request::Checkpoint { held, checkpoint: &checkpoint(0, true) });
    let (action, tool) = (name("act"), name("tool"));
    let (action, tool, hand) = (&action, &tool, Hand::Holder);
    journal.perform(&Request::Reconcile { held, hand, action, name: tool, output: None });
    journal.push(claim, "1");
    let state = journal.state.to_snapshot().unwrap().unwrap();
    let told = |fold: &str| {
        let (_, fold) = state.as_str().split_once(&format!("\"{fold}\":{{\"v\":1,")).unwrap();
        fold.split_once("\"state\":").unwrap().1
    };
    let digest = |bytes: &[u8]| Digest::of(bytes).to_string();
    let call = sessile_core::entry::shape::call(&name("tool"), &Digest::of(b"arguments"));
    let expected = format!(
        r#"{{"standing":{{"active":{{"request":"a","claim":2,"since":7,"input":"{input}",\
        "contract":{{"agent":"{agent}","tools":"{tools}"}},"usage":{{"tokens":8}},"released":false,\
        "messages":1,"checkpoint":{{"seq":6,"number":0,"kind":"agent.step","schema":1,\
        "in_flight":true,"usage":{{"tokens":8}}}},"kinds":{{"agent.step":6}},"intents":{{"act":{{"seq":5,"claim":2,\
        "name":"tool","arguments":"{arguments}","approval":"leave",\
        "effect":{{"not-executed":{{"seq":7}}}}}}}},"approvals":{{"leave":{{"seq":3,"action":"act",\
        "call":"{call}","decided":{{"seq":4,"allow":true}},"used_by":5}}}}}}}},"last":2}}"#,
        input = digest(b"in"),
        agent = digest(b"\"shop\""),
        tools = digest(b"\"none\""),
        arguments = digest(b"arguments"),
    );
    let expected = expected.replace("\\\n        ", "");
    let admission = told("admission");
    assert_eq!(admission.get(..expected.len()), Some(expected.as_str()));
    let hidden = r#""sight":{"messages":1,"hidden":{"pending":[[8,1]],"shown":1},"#;
    assert!(told("session").contains(hidden), "{}", told("session"));
}
