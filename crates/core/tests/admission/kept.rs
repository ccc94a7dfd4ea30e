//! What stays of a request across its claims, and what its end makes of what it has written.

use sessile_core::admission::{Bid, Decision, End, Hand, Recovery, Request};
use sessile_core::digest::Digest;
use sessile_core::entry::shape::{Outcome, OutcomeStatus};
use sessile_core::fold::Effect;
use sessile_core::{EntryType, ErrorKind, NewEntry, Usage};

use super::journal::{Journal, contract, entry, held, id, json, name, seq, tokens};
use super::play::{admit, commit, recover, replayed, seen, state};
use super::states::{State, checkpoint, intent};

#[test]
fn a_recovered_request_keeps_its_checkpoint_its_intents_and_no_less_usage() {
    let mut journal = Journal::new();
    let claim = journal.claim("a", "in");
    let request = id("a");
    let mut first = checkpoint(0, true);
    first.usage = Usage::new().with("tokens", 4).with("calls", 3);
    journal.perform(&Request::Checkpoint { held: held(&request, claim), checkpoint: &first });
    journal.perform(&Request::Intend { held: held(&request, claim), intent: &intent() });
    // Of (5, 0) and (4, 3) the greater counts, component by component.
    let floor = Usage::new().with("tokens", 5).with("calls", 3);
    assert_eq!(journal.state.admission().active().unwrap().usage, floor);
    let more = floor.with("tokens", 7);
    let claim = recover(&mut journal, claim, &more, Recovery::Resume);
    let active = journal.state.admission().active().unwrap();
    assert_eq!((active.claim, &active.usage, &active.contract), (claim, &more, &contract()));
    assert_eq!(
        active.checkpoint.as_ref().map(|last| (last.number, last.in_flight)),
        Some((0, true))
    );
    let open: Vec<&str> = active.indeterminate().map(|(action, _)| action.as_str()).collect();
    assert_eq!(open, ["act"]);
    // Numbers of checkpoints go on.
    let next = checkpoint(1, false);
    journal.perform(&Request::Checkpoint { held: held(&request, claim), checkpoint: &next });
    assert_eq!(journal.state.admission().active().unwrap().checkpoint.as_ref().unwrap().number, 1);
}

#[test]
fn what_a_turn_writes_is_in_sight_once_its_end_adopts_it() {
    let mut journal = Journal::new();
    let claim = journal.claim("a", "in");
    journal.push(claim, "1");
    journal.append(vec![entry(EntryType::Event, "0")]);
    journal.push(claim, "2");
    assert_eq!(seen(&journal), [1]);
    let hidden = journal.state.sight().hidden().clone();
    assert!(hidden.is_pending(seq(3)) && !hidden.is_pending(seq(4)) && hidden.is_pending(seq(5)));
    let ended = commit(&mut journal, claim, 1, &["3", "4"]);
    assert_eq!(seen(&journal), [1, 3, 5, ended.number(), ended.number() + 1]);
    assert!(journal.state.sight().hidden().is_settled());
    let outcome = journal.commits.last().unwrap().entries.last().unwrap();
    assert_eq!((outcome.claim, outcome.seq), (Some(claim), seq(ended.number() + 2)));
    let outcome: Outcome = outcome.data.decode().unwrap();
    assert_eq!(outcome.adopts, Some((seq(3), seq(ended.number() + 1))));
}

#[test]
fn a_restart_leaves_what_was_written_and_a_resumption_takes_it_over() {
    for (recovery, expected) in [(Recovery::Restart, vec![1, 6]), (Recovery::Resume, vec![1, 3, 6])]
    {
        let mut journal = Journal::new();
        let claim = journal.claim("a", "in");
        journal.push(claim, "1");
        let claim = recover(&mut journal, claim, &tokens(5), recovery);
        // The old owner writes on, and is not heard.
        journal.push(seq(2), "\"stray\"");
        journal.push(claim, "2");
        commit(&mut journal, claim, 1, &[]);
        assert_eq!(seen(&journal), expected);
        assert!(journal.state.sight().hidden().is_left(seq(5)));
        let strays = journal.state.admission().strays().unwrap();
        assert_eq!((strays.count, strays.first, strays.last), (1, seq(5), seq(5)));
    }
}

#[test]
fn an_end_by_somebody_else_fences_the_holder_in_the_same_commit() {
    let State { mut journal, claim } = state("pushed");
    let request = id("a");
    let end = End { reason: Some("gone".into()), ..End::new(OutcomeStatus::Abandoned) };
    let hand = Hand::Other { holder: None };
    let first = journal.perform(&Request::End { held: held(&request, claim), hand, end: &end });
    let entries = &journal.commits.last().unwrap().entries;
    let told: Vec<_> = entries.iter().map(|it| (it.entry_type.as_str(), it.claim)).collect();
    assert_eq!(told, [("claim", None), ("outcome", Some(first))]);
    assert_eq!(seen(&journal), [1], "what it had written is evidence");
    let ended = replayed(&mut journal, "a");
    assert_eq!((ended.status, ended.claim), (OutcomeStatus::Abandoned, first));
    let write = Request::Write { claim: Some(claim), types: &[EntryType::Message] };
    assert_eq!(journal.decide(&write).unwrap_err().kind(), ErrorKind::Fenced);
}

#[test]
fn what_was_reconciled_by_somebody_else_stands_and_the_request_goes_on_by_recovery() {
    let State { mut journal, claim } = state("intended");
    journal.push(claim, "1");
    let (request, action, tool, output) = (id("a"), name("act"), name("tool"), json("7"));
    let reconcile = Request::Reconcile {
        held: held(&request, claim),
        hand: Hand::Other { holder: None },
        action: &action,
        name: &tool,
        output: Some(&output),
    };
    let by = journal.perform(&reconcile);
    assert!(matches!(journal.decide(&reconcile), Ok(Decision::Stands(_))), "said again it stands");
    let claim = recover(&mut journal, by, &tokens(5), Recovery::Resume);
    let active = journal.state.admission().active().unwrap();
    assert!(matches!(active.intents[&action].effect, Effect::Done { .. }));
    commit(&mut journal, claim, 1, &[]);
    assert_eq!(seen(&journal), [1, 4], "the messages stayed the turn's");
}

#[test]
fn a_released_request_is_taken_over_by_who_sends_it_again() {
    let State { mut journal, claim } = state("released");
    let Ok(Decision::Claim(plan)) = admit(&mut journal, "a") else { panic!("not to be claimed") };
    let taken = plan.new_claim().unwrap();
    assert_eq!((taken.recovers, taken.released, taken.resumes), (Some(claim), false, false));
    assert_eq!(taken.usage, tokens(8), "no less than what was recorded");
    let claim = journal.carry_out(&plan);
    assert!(matches!(admit(&mut journal, "a"), Err(error) if error.kind() == ErrorKind::Busy));
    commit(&mut journal, claim, 1, &["1"]);
    assert_eq!(seen(&journal).len(), 2);
}

#[test]
fn entries_of_a_turn_that_no_claim_covers_change_nothing() {
    let mut journal = Journal::new();
    let claim = journal.claim("a", "in");
    journal.append(vec![entry(EntryType::Event, "0")]);
    let before = journal.state.admission().active().cloned();
    let rival = journal.commits[2].entries[0].data.as_str().replace("\"a\"", "\"b\"");
    journal.append(vec![entry(EntryType::Claim, &rival)]);
    let stray = |entry_type: EntryType, data: &str| NewEntry {
        claim: Some(seq(1)),
        ..entry(entry_type, data)
    };
    let other = r#"{"request":"b","status":"completed","messages":0}"#;
    let of_another = NewEntry { claim: Some(claim), ..entry(EntryType::Outcome, other) };
    let data = r#"{"to":0,"messages":0,"summary":[1],"keep_from":1,"kind":"k","schema":1,"number":9,
        "state":0,"action":"x","name":"x","id":"x","call":"x","intent":1,"request":"a",
        "status":"completed"}"#;
    let all = [
        EntryType::Message,
        EntryType::Rewind,
        EntryType::Compaction,
        EntryType::Checkpoint,
        EntryType::Intent,
        EntryType::Completion,
        EntryType::Approval,
        EntryType::Outcome,
    ];
    journal.append(all.iter().map(|it| stray(it.clone(), data)).chain([of_another]).collect());
    assert_eq!(journal.state.admission().active().cloned(), before);
    assert_eq!(journal.state.admission().strays().unwrap().count, 10);
    assert_eq!((journal.state.messages(), journal.state.blocked()), (1, None));
    assert_eq!(journal.state.sight().compaction(), None);
    journal.reopen();
    assert_eq!(journal.state.admission().strays().unwrap().count, 10);
}

#[test]
fn who_is_told_busy_learns_who_holds_the_session_since_when() {
    let (request, contract, usage) = (id("a"), contract(), tokens(0));
    let holder = "host 7".into();
    let mut journal = Journal::new();
    let input = Digest::of(b"in");
    let holder = Some(&holder);
    let bid = Bid { request: &request, input, contract: &contract, usage: &usage, holder };
    let claim = journal.perform(&Request::Admit(bid));
    let error = admit(&mut journal, "b").unwrap_err();
    let occupant = error.occupant().unwrap();
    assert_eq!((&*occupant.request, occupant.claim, occupant.since.millis()), ("a", claim, 7));
    assert_eq!(occupant.holder.as_deref(), Some("host 7"));
    assert_eq!(error.subject(), Some("session ses"));
}

#[test]
fn the_usage_of_a_recovery_is_told_apart_from_none_idle_and_another() {
    let usage = |name: &str, request: &str| {
        let state = state(name);
        let active = sessile_core::admission::active(&state.journal.state, &id(request));
        active.map(|active| active.usage.clone()).map_err(|error| error.kind())
    };
    assert_eq!(usage("in-flight", "a"), Ok(tokens(8)));
    assert_eq!(usage("in-flight", "b"), Err(ErrorKind::Mismatch));
    assert_eq!(usage("untouched", "a"), Err(ErrorKind::Missing));
    assert_eq!(usage("completed", "a"), Err(ErrorKind::InvalidAdmission));
    assert_eq!(usage("unreadable", "a"), Err(ErrorKind::InvalidAdmission));
    assert_eq!(usage("deleted", "a"), Err(ErrorKind::Deleted));
}
