//! Writes of which the place never says what became of them: *unknown*, and the truth is found.

use futures_util::{StreamExt as _, future, stream};
use sessile_core::{Error, ErrorKind, Outcome};
use sessile_engine::{Append, From, NewSession, Session, Store};

use super::deeds::{DEEDS, Deed};
use super::lost::LOSSES;
use super::stage::{Stage, at_last, key_of, on_each, patient_store, store};
use super::words;
use crate::support::proxy::{Fault, Loss, Rule};

/// The most reads after which a place stops answering those.
const READS: usize = 9;

/// How many deeds are done at once.
const TOGETHER: usize = 48;

#[tokio::test]
async fn what_is_told_as_not_applied_is_not_and_what_is_unknown_is_completed_by_the_same_call() {
    on_each(async |stage| {
        let courses = DEEDS.into_iter().flat_map(|deed| (0..READS).map(move |reads| (deed, reads)));
        let (stage, hasty) = (&stage, &stage.hasty());
        let done = stream::iter(courses).map(|(deed, reads)| async move {
            let planned = deed.plan(stage).await;
            let lost = Fault::Unanswered(Loss::Close);
            stage.proxy.rule(Rule::on("PUT", &planned.part, lost).times(2));
            // One handle on one session is dark for longer than it is tried.
            let dark = Fault::Unseen(Loss::Status(500));
            stage.proxy.rule(Rule::on("GET", &planned.part, dark).after(reads).times(40));
            let answer = planned.carry_out(hasty).await;
            let is_done = planned.is_done(stage).await;
            let course = format!("{:?} {deed:?} {reads}: {answer:?}", stage.kind);
            let outcome = answer.as_ref().err().map(Error::outcome);
            match outcome {
                None => assert!(is_done, "{course}"),
                Some(Outcome::Unknown) => {}
                Some(_) => assert!(!is_done, "{course}"),
            }
            let again = planned.carry_out(&stage.past()).await;
            match again {
                // What is deleted is not there to be deleted; it may have landed just by then.
                Err(error)
                    if deed == Deed::Delete && (is_done || outcome == Some(Outcome::Unknown)) =>
                {
                    assert_eq!(error.kind(), ErrorKind::Missing, "{course}");
                }
                again => again.unwrap_or_else(|error| panic!("{course}; {error:?}")),
            }
            assert!(planned.is_done(stage).await, "{course}");
            outcome
        });
        let outcomes: Vec<_> = done.buffer_unordered(TOGETHER).collect().await;
        for seen in [None, Some(Outcome::Unknown), Some(Outcome::NotApplied)] {
            assert!(outcomes.contains(&seen), "{seen:?} among {outcomes:?}");
        }
    })
    .await;
}

/// A session with a message, open through the proxy.
async fn opened(stage: &Stage) -> (Store, Session) {
    let (key, ..) = stage.session(&["one"]).await;
    let store = store(stage.hasty(), &stage.space);
    let session = at_last(async || store.open_session(key.id.clone()).await).await.unwrap();
    (store, session)
}

/// Appends a message, of which it is known in the end that it is there.
async fn next(session: &Session, text: &str) {
    let append = Append::at_end().commit_id(text.parse().unwrap());
    at_last(async || session.append_with(append.clone(), [text]).await).await.unwrap();
}

/// What a fresh handle past the proxy finds said.
async fn said(stage: &Stage, session: &Session) -> Vec<String> {
    let fresh = patient_store(stage.past(), &stage.space);
    let fresh = fresh.open_session(session.id().clone()).await.unwrap();
    fresh.transcript(From::start()).await.unwrap().all().await.unwrap()
}

#[tokio::test]
async fn a_commit_of_unknown_outcome_is_resolved_to_what_fresh_handles_see() {
    on_each(async |stage| {
        let each = LOSSES.into_iter().flat_map(|loss| [(loss, false), (loss, true)]);
        let stage = &stage;
        future::join_all(each.map(|(loss, is_applied)| async move {
            let stage = stage.another().await;
            let (_store, session) = opened(&stage).await;
            let id = session.id().to_string();
            let fault = if is_applied { Fault::Unanswered } else { Fault::Unseen };
            stage.proxy.rule(Rule::on("PUT", &id, fault(loss)).always());
            if is_applied {
                stage.proxy.rule(Rule::on("GET", &id, Fault::Unseen(Loss::Reset)).always());
            }
            let commit = Append::at_end().commit_id("turn-2".parse().unwrap());
            let error = session.append_with(commit.clone(), ["two"]).await.unwrap_err();
            let course = format!("{:?} {loss:?} {is_applied}", stage.kind);
            assert_eq!(error.outcome(), Outcome::Unknown, "{course} {error:?}");
            stage.proxy.mend();
            let id = "turn-2".parse().unwrap();
            let found = at_last(async || session.resolve(&id).await).await.unwrap();
            // What the place never saw may still have been on its way when the way was mended.
            assert!(found.is_some() || !is_applied, "{course}");
            let expected: &[&str] = if found.is_some() { &["one", "two"] } else { &["one"] };
            assert_eq!(said(&stage, &session).await, expected, "{course}");
            // Sent again it is there, once.
            let again = at_last(async || session.append_with(commit.clone(), ["two"]).await);
            assert!(again.await.unwrap().replayed || found.is_none(), "{course}");
            next(&session, "three").await;
            assert_eq!(said(&stage, &session).await, ["one", "two", "three"], "{course}");
        }))
        .await;
    })
    .await;
}

#[tokio::test]
async fn an_append_without_an_id_is_found_out_by_the_next_one() {
    on_each(async |stage| {
        let stage = &stage;
        future::join_all([false, true].map(|is_applied| async move {
            let stage = stage.another().await;
            let (_store, session) = opened(&stage).await;
            let id = session.id().to_string();
            let fault = if is_applied { Fault::Unanswered } else { Fault::Unseen };
            stage.proxy.rule(Rule::on("PUT", &id, fault(Loss::Close)).always());
            if is_applied {
                stage.proxy.rule(Rule::on("GET", &id, Fault::Unseen(Loss::Reset)).always());
            }
            let error = session.append(["two"]).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown);
            stage.proxy.mend();
            next(&session, "three").await;
            let said = said(&stage, &session).await;
            let [with, without] = [&["one", "two", "three"][..], &["one", "three"]];
            let is_true = said == with || !is_applied && said == without;
            assert!(is_true, "{:?} {is_applied} {said:?}", stage.kind);
            // Whatever was on its way has lost by then.
            next(&session, "four").await;
            assert_eq!(self::said(&stage, &session).await, [&said[..], &["four".into()]].concat());
        }))
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_session_whose_creation_is_unknown_is_opened_or_created_by_the_same_call() {
    on_each(async |stage| {
        let stage = &stage;
        future::join_all([false, true].map(|is_applied| async move {
            let stage = stage.another().await;
            let id = words::key(&stage.space).id;
            let store = store(stage.hasty(), &stage.space);
            let fault = if is_applied { Fault::Unanswered } else { Fault::Unseen };
            let journal = format!("{id}/log");
            stage.proxy.rule(Rule::on("PUT", &journal, fault(Loss::Reset)).always());
            if is_applied {
                let dark = Rule::on("GET", &journal, Fault::Unseen(Loss::Reset));
                stage.proxy.rule(dark.always());
            }
            let created = store.create_as(id.clone(), NewSession::new()).await;
            assert_eq!(created.unwrap_err().outcome(), Outcome::Unknown, "{is_applied}");
            stage.proxy.mend();
            let opening = async || store.open_or_create(id.clone(), NewSession::new()).await;
            let session = at_last(opening).await.unwrap();
            next(&session, "one").await;
            assert_eq!(said(&stage, &session).await, ["one"]);
            assert_eq!(stage.tokens(&key_of(&session)).await.len(), 2);
        }))
        .await;
    })
    .await;
}
