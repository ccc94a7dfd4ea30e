//! Requests that take the session, their turns, and what becomes of them.

use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::json;
use sessile_core::admission::Recovery;
use sessile_core::entry::shape::{Contract, OutcomeStatus};
use sessile_core::{Error, ErrorKind, Outcome, Payload, RequestId, Usage};
use sessile_engine::{
    Action, Admission, Admit, Approval, ContextPolicy, Finish, From, Intent, NewSession, Options,
    RawMessage, Reconciled, Session, Store, Summarised, Turn, TurnEvent, Window,
};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

fn store() -> Store {
    Store::on(Arc::new(MemoryBackend::new()))
}

fn request(id: &str) -> Result<RequestId, Error> {
    id.parse()
}

fn contract() -> Result<Contract, Error> {
    Contract::new().part("agent", "a-1")
}

async fn begin(session: &Session, id: &str) -> Result<Turn, Error> {
    session.admit(&request(id)?, "input", &contract()?).await?.started()
}

async fn texts(session: &Session) -> Result<Vec<String>, Error> {
    session.transcript(From::start()).await?.all().await
}

#[tokio::test]
async fn a_turn_is_provisional_until_one_commit_adopts_it_and_frees_the_session()
-> Result<(), Error> {
    let session = store().create_as("a", NewSession::new()).await?;
    session.append(["before"]).await?;
    let turn = begin(&session, "r1").await?;
    turn.push("one").await?;
    turn.push("two").await?;
    assert_eq!(texts(&session).await?, ["before"]);
    assert_eq!(session.view(Window::last(9)).await?.messages().count(), 1);
    let view = turn.view(Window::last(9)).await?;
    let seen: Vec<String> = view.messages().map(Payload::decode).collect::<Result<_, _>>()?;
    assert_eq!(seen, ["before", "one", "two"]);
    let error = session.append(["rival"]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert_eq!(error.occupant().unwrap().claim, turn.claim());
    session.append_events(["free"]).await?;
    let done = turn.commit_with(Finish::new("result")?.message("three")?).await?;
    assert!(done.is_completed() && !done.replayed);
    assert_eq!(texts(&session).await?, ["before", "one", "two", "three"]);
    let messages: Vec<RawMessage> = session.transcript(From::start()).await?.all().await?;
    let ordinals: Vec<u64> = messages.iter().map(|it| it.ordinal.unwrap().number()).collect();
    assert_eq!(ordinals, [1, 2, 3, 4]);
    assert!(session.info().active().is_none());
    session.append(["after"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_request_that_ended_is_replayed_for_ever_and_never_done_again() -> Result<(), Error> {
    let backend = Arc::new(MemoryBackend::new());
    let options = Options::default().state_every(20, u64::MAX);
    let store = Store::with(backend, options);
    let session = store.create_as("a", NewSession::new()).await?;
    begin(&session, "r1").await?.commit("first").await?;
    begin(&session, "r2").await?.fail("broken", true).await?;
    for number in 0..200 {
        session.append([number]).await?;
    }
    let active = begin(&session, "r3").await?;
    for session in [session.clone(), store.open_session("a").await?] {
        let again = session.admit(&request("r1")?, "input", &contract()?).await?;
        let done = again.replayed().unwrap();
        assert_eq!((done.decode::<String>()?.as_str(), done.replayed), ("first", true));
        let again = session.admit(&request("r2")?, "input", &contract()?).await?;
        let done = again.replayed().unwrap();
        assert_eq!((done.status, done.may_retry), (OutcomeStatus::Failed, true));
        let error = session.admit(&request("r1")?, "other", &contract()?).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        let terms = Contract::new().part("agent", "a-2")?;
        let error = session.admit(&request("r1")?, "input", &terms).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConfigurationMismatch);
        assert_eq!(error.part(), Some("agent"));
    }
    active.commit("third").await?;
    Ok(())
}

#[tokio::test]
async fn a_dropped_turn_keeps_the_session_and_a_recovery_fences_it() -> Result<(), Error> {
    let store = store();
    let session = store.create_as("a", NewSession::new()).await?;
    let old = begin(&session, "r1").await?;
    old.push("lost").await?;
    let other = store.open_session("a").await?;
    let active = other.refresh().await?.active.unwrap();
    assert_eq!(active.claim, old.claim());
    let recovered = other
        .recover(&active, "input", &contract()?, Recovery::Restart, &Usage::new())
        .await?
        .started()?;
    assert!(recovered.claim() > old.claim());
    recovered.push("kept").await?;
    assert_eq!(old.push("late").await.unwrap_err().kind(), ErrorKind::Fenced);
    assert_eq!(old.commit("late").await.unwrap_err().kind(), ErrorKind::Fenced);
    recovered.commit("done").await?;
    assert_eq!(old.push("late").await.unwrap_err().kind(), ErrorKind::Fenced);
    assert_eq!(texts(&other).await?, ["kept"]);
    let error =
        other.recover(&active, "input", &contract()?, Recovery::Restart, &Usage::new()).await?;
    assert!(error.replayed().is_some());
    Ok(())
}

#[tokio::test]
async fn tools_are_intended_once_and_what_nobody_knows_waits_for_a_word() -> Result<(), Error> {
    let session = store().create_as("a", NewSession::new()).await?;
    let turn = begin(&session, "r1").await?;
    let call = || Action::new("call-1", "mail", r#"{"to":"x"}"#);
    let Intent::Fresh(intent) = turn.intend(call()).await? else { panic!("it is fresh") };
    assert_eq!(intent.token(), turn.claim());
    intent.complete(&json!({"sent": true})).await?;
    let Intent::Done(output) = turn.intend(call()).await? else { panic!("it is done") };
    assert_eq!(output.as_str(), r#"{"sent":true}"#);
    let other = Action::new("call-1", "mail", "{}");
    assert_eq!(turn.intend(other).await.unwrap_err().kind(), ErrorKind::Conflict);

    let open = || Action::new("call-2", "mail", "{}");
    let Intent::Fresh(_) = turn.intend(open()).await? else { panic!("it is fresh") };
    let Intent::Indeterminate(unknown) = turn.intend(open()).await? else { panic!("unknown") };
    assert_eq!(turn.commit("no").await.unwrap_err().kind(), ErrorKind::Ambiguous);
    let active = session.refresh().await?.active.unwrap();
    let error = session
        .reconcile(&active, "call-2", "other", Reconciled::NotExecuted, None)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    turn.reconcile_unexecuted(&unknown).await?;
    let Intent::Fresh(again) = turn.intend(open()).await? else { panic!("it may be done") };
    again.complete("ok").await?;
    turn.commit("yes").await?;
    Ok(())
}

#[tokio::test]
async fn leave_covers_one_call_once() -> Result<(), Error> {
    let session = store().create_as("a", NewSession::new()).await?;
    let turn = begin(&session, "r1").await?;
    let call = || Action::new("call-1", "pay", "10");
    assert_eq!(turn.ask("ok-1", &call()).await?, Approval::Pending);
    let error = turn.intend(call().approved("ok-1")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StaleApproval);
    let decided = session.decide("ok-1", true, Some("ann".into())).await?;
    assert_eq!(session.decide("ok-1", true, None).await?, decided);
    assert_eq!(session.decide("ok-1", false, None).await.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(turn.ask("ok-1", &call()).await?, Approval::Allowed);
    let dearer = Action::new("call-1", "pay", "99").approved("ok-1");
    assert_eq!(turn.intend(dearer).await.unwrap_err().kind(), ErrorKind::StaleApproval);
    let Intent::Fresh(intent) = turn.intend(call().approved("ok-1")).await? else { panic!() };
    intent.complete("paid").await?;
    assert_eq!(turn.approval("ok-1").await?, Approval::Used);
    Ok(())
}

#[tokio::test]
async fn a_release_lets_the_same_request_in_again() -> Result<(), Error> {
    let session = store().create_as("a", NewSession::new()).await?;
    let old = begin(&session, "r1").await?;
    let active = session.refresh().await?.active.unwrap();
    session.release(&active, Some("ann".into())).await?;
    assert_eq!(old.push("late").await.unwrap_err().kind(), ErrorKind::Fenced);
    let error = session.admit(&request("r2")?, "input", &contract()?).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    begin(&session, "r1").await?.commit("done").await?;
    Ok(())
}

#[tokio::test]
async fn a_turn_tells_its_course_and_its_end_once() -> Result<(), Error> {
    let session = store().create_as("a", NewSession::new()).await?;
    let admission = session.admit(&request("r1")?, "input", &contract()?).await?;
    let progress = admission.progress();
    let Admission::Started(mut turn) = admission else { panic!("it is new") };
    turn.push("one").await?;
    turn.checkpoint("agent.step", 1, "state").await?;
    let done = turn.commit("done").await?;
    assert_eq!(turn.commit("done").await?.seq, done.seq);
    let events: Vec<TurnEvent> = progress.collect().await;
    assert!(matches!(events[0], TurnEvent::Pushed { messages: 1, .. }), "{events:?}");
    assert!(matches!(events[1], TurnEvent::Checkpointed { number: 0 }), "{events:?}");
    assert_eq!(events[2..], [TurnEvent::Committed(Box::new(done.clone()))]);
    let replay = session.admit(&request("r1")?, "input", &contract()?).await?;
    let events: Vec<TurnEvent> = replay.progress().collect().await;
    let [TurnEvent::Committed(replayed)] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((replayed.seq, replayed.replayed), (done.seq, true));
    Ok(())
}

#[tokio::test]
async fn summaries_come_pass_by_pass_and_survive_what_stops_them() -> Result<(), Error> {
    let session = store().create_as("a", NewSession::new()).await?;
    session.append((1..=10).map(|number| number.to_string())).await?;
    let admit = || {
        let policy = ContextPolicy::last(2)?.batch(3)?.passes(3)?;
        Admit::new(&request("r1")?, "input", &contract()?).context(policy)
    };
    let mut turn = session.admit_with(admit()?).await?.started()?;
    assert_eq!(turn.context().await.unwrap_err().kind(), ErrorKind::Refused);
    let mut calls = 0;
    let error = turn
        .summarise(|passage| {
            calls += 1;
            let fails = passage.pass == 2;
            async move {
                if fails {
                    return Err(std::io::Error::other("the model is away"));
                }
                let ends: Vec<String> =
                    passage.messages.iter().map(|it| it.data.as_str().to_owned()).collect();
                Summarised::of([ends.join("+")]).map_err(std::io::Error::other)
            }
        })
        .await
        .unwrap_err();
    assert_eq!((error.kind(), calls), (ErrorKind::Unavailable, 2));
    drop(turn);
    let active = session.refresh().await?.active.unwrap();
    let recover = |recovery| session.recover_with(active.claim, admit().unwrap(), recovery);
    assert_eq!(recover(Recovery::Reject).await.unwrap_err().kind(), ErrorKind::Ambiguous);
    let mut turn = recover(Recovery::Resume).await?.started()?;
    let mut passes = Vec::new();
    let taken = turn
        .summarise(|passage| {
            passes.push((passage.pass, passage.messages.len(), passage.backlog));
            async move { Summarised::of(["sum"]) }
        })
        .await?;
    assert_eq!((taken, passes), (2, vec![(2, 3, 2), (3, 2, 0)]));
    let view = turn.context().await?;
    let seen: Vec<String> = view.messages().map(Payload::decode).collect::<Result<_, _>>()?;
    assert_eq!(seen, ["sum", "9", "10"]);
    turn.commit("done").await?;
    assert_eq!(session.info().messages, 10);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_claim_whose_answer_is_lost_is_one_claim() -> Result<(), Error> {
    let faulty = Faulty::new();
    let session = faulty.store().create_as("a", NewSession::new()).await?;
    faulty.script([Fault::AnswerLost]);
    let turn = begin(&session, "r1").await?;
    assert_eq!(session.info().active().unwrap().claim, turn.claim());
    faulty.script([Fault::AnswerLost]);
    let done = turn.commit("done").await?;
    assert!(!done.replayed);
    faulty.script(std::iter::repeat_n(Fault::CallLost, 500));
    let error = begin(&session, "r2").await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    faulty.script_ends();
    let turn = begin(&session, "r2").await?;
    turn.commit("done").await?;
    Ok(())
}

#[tokio::test]
async fn a_copy_of_a_held_session_is_free_and_its_request_is_given_up_there() -> Result<(), Error> {
    let (source, target) = (store(), store());
    let session = source.create_as("a", NewSession::new()).await?;
    let turn = begin(&session, "r1").await?;
    turn.push("one").await?;
    let copied = source.copy("a", &target).await?;
    assert_eq!(copied.interrupted, Some(request("r1")?));
    let again = source.copy("a", &target).await?;
    assert_eq!((again.added, again.interrupted), (0, Some(request("r1")?)));
    let there = target.open_session("a").await?;
    assert!(there.info().active().is_none());
    let replay = there.admit(&request("r1")?, "input", &contract()?).await?;
    let done = replay.replayed().unwrap();
    assert_eq!((done.status, done.may_retry), (OutcomeStatus::Abandoned, true));
    assert_eq!(done.reason.as_deref(), Some("interrupted"));
    assert!(target.verify("a").await?.sound);
    // Here it goes on, which the copy does not follow.
    turn.commit("done").await?;
    assert_eq!(source.copy("a", &target).await.unwrap_err().kind(), ErrorKind::Conflict);
    let free = store();
    assert_eq!(source.copy("a", &free).await?.interrupted, None);
    Ok(())
}

#[tokio::test]
async fn a_move_fences_the_holder_and_frees_the_copy() -> Result<(), Error> {
    let (source, target) = (store(), store());
    let session = source.create_as("a", NewSession::new()).await?;
    let turn = begin(&session, "r1").await?;
    let moved = source.move_to("a", &target).await?;
    assert_eq!(moved.interrupted, Some(request("r1")?));
    assert_eq!(turn.push("late").await.unwrap_err().kind(), ErrorKind::Deleted);
    target.open_session("a").await?.append(["free"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_fork_begins_free_and_tells_what_nobody_knows() -> Result<(), Error> {
    let store = store();
    let session = store.create_as("a", NewSession::new()).await?;
    session.append(["before"]).await?;
    begin(&session, "r0").await?.commit("ended").await?;
    let turn = begin(&session, "r1").await?;
    turn.push("pending").await?;
    let Intent::Fresh(_) = turn.intend(Action::new("c", "mail", "{}")).await? else { panic!() };
    let fork = session.fork(None).await?;
    let info = fork.info();
    assert!(info.active().is_none());
    let [inherited] = info.inherited.as_slice() else { panic!("{info:?}") };
    assert_eq!((inherited.action.as_str(), inherited.name.as_str()), ("c", "mail"));
    assert_eq!((texts(&fork).await?, info.messages), (vec!["before".to_owned()], 1));
    // What was asked of the session before is not asked of the fork.
    begin(&fork, "r0").await?.commit("again").await?;
    let other = begin(&fork, "r1").await?;
    other.push("own").await?;
    other.commit("own").await?;
    assert_eq!(texts(&fork).await?, ["before", "own"]);
    turn.push("goes on").await?;
    assert!(store.verify(fork.id().clone()).await?.sound);
    Ok(())
}
