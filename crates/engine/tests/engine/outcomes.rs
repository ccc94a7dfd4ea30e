//! Answers that are lost: what is sent again, what is found out, and what is never done twice.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::{EntryType, Error, ErrorKind, Outcome};
use sessile_engine::{Append, From, NewSession, Options, Session, Store};

use super::faults::{Fault, Faulty};

async fn session(faulty: &Arc<Faulty>) -> Result<(Store, Session), Error> {
    let options = Options::default().deadline(Duration::from_secs(5));
    let store = faulty.store_with(options);
    let session = store.create_as("a", NewSession::new()).await?;
    Ok((store, session))
}

async fn numbers(session: &Session) -> Result<Vec<u8>, Error> {
    session.transcript(From::start()).await?.all().await
}

async fn barriers(session: &Session) -> Result<usize, Error> {
    let entries = session.entries(From::start()).await?.all().await?;
    Ok(entries.iter().filter(|entry| entry.entry_type == EntryType::Barrier).count())
}

/// More losses of one kind than there is time to send again for.
fn for_long(fault: Fault) -> impl Iterator<Item = Fault> {
    std::iter::repeat_n(fault, 500)
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_is_asked_for_again() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    faulty.script([Fault::AnswerLost]);
    let done = session.append([1]).await?;
    assert!(!done.replayed, "it is this call that did it");
    faulty.script([Fault::CallLost, Fault::CallLost]);
    session.append([2]).await?;
    // What fails for certain says nothing of the sending before it.
    faulty.script([Fault::AnswerLost, Fault::Unavailable]);
    session.append([3]).await?;
    assert_eq!(numbers(&session).await?, [1, 2, 3]);
    assert_eq!(barriers(&session).await?, 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_append_that_was_overtaken_after_it_was_applied_is_found() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    let other = faulty.store().open_session("a").await?;
    // The first sending waits, is applied, and its answer is lost; before the next one another
    // handle appends.
    faulty.script([Fault::AnswerLost, Fault::Held]);
    let appending = tokio::spawn({
        let session = session.clone();
        async move { session.append([1]).await }
    });
    faulty.is_holding().await;
    other.append([2]).await?;
    faulty.let_go();
    let done = appending.await.unwrap()?;
    assert_eq!(done.position.number(), 2);
    assert_eq!(numbers(&session).await?, [1, 2]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_conflict_after_a_lost_answer_may_be_with_oneself() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    faulty.script([Fault::AnswerLost, Fault::Conflict]);
    let done = session.append_with(Append::at(session.position()), [1]).await?;
    assert!(!done.replayed);
    assert_eq!(numbers(&session).await?, [1]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn conflicts_without_end_are_a_deadline_and_nothing_is_applied() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    faulty.script([Fault::Conflict, Fault::Conflict, Fault::Conflict]);
    session.append([1]).await?;
    faulty.script(for_long(Fault::Conflict));
    let error = session.append([2]).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Deadline, Outcome::NotApplied));
    assert!(error.may_retry());
    faulty.script_ends();
    assert_eq!(numbers(&session).await?, [1]);
    assert_eq!(barriers(&session).await?, 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_for_certain_is_not_applied() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    for (fault, kind) in
        [(Fault::Unavailable, ErrorKind::Unavailable), (Fault::Forbidden, ErrorKind::Permission)]
    {
        faulty.script([fault]);
        let error = session.append([1]).await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (kind, Outcome::NotApplied));
    }
    session.append([2]).await?;
    assert_eq!(numbers(&session).await?, [2]);
    assert_eq!(barriers(&session).await?, 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn after_an_unknown_outcome_the_next_mutation_finds_it_applied() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    let append = Append::at(session.position()).commit_id("c".parse()?);
    faulty.script([Fault::AnswerLost].into_iter().chain(for_long(Fault::CallLost)));
    let error = session.append_with(append.clone(), [1]).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    faulty.script_ends();
    assert_eq!(session.info().messages, 0, "nothing is taken for granted");
    let again = session.append_with(append, [1]).await?;
    assert!(again.replayed);
    assert_eq!(numbers(&session).await?, [1]);
    assert_eq!(barriers(&session).await?, 0, "the journal has left the place by itself");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn after_an_unknown_outcome_a_barrier_keeps_a_late_write_out() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    faulty.script([Fault::Delayed].into_iter().chain(for_long(Fault::CallLost)));
    let error = session.append([1]).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    faulty.script_ends();
    session.append([2]).await?;
    // Now it comes through, and finds its place taken.
    faulty.land().await;
    session.refresh().await?;
    assert_eq!(numbers(&session).await?, [2]);
    assert_eq!(barriers(&session).await?, 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_late_write_that_lands_before_the_barrier_is_found() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    let append = Append::at_end().commit_id("c".parse()?);
    faulty.script([Fault::Delayed].into_iter().chain(for_long(Fault::CallLost)));
    session.append_with(append.clone(), [1]).await.unwrap_err();
    faulty.script_ends();
    // The barrier is on its way when the write lands.
    faulty.script([Fault::Held]);
    let again = tokio::spawn({
        let session = session.clone();
        async move { session.append_with(append, [1]).await }
    });
    faulty.is_holding().await;
    faulty.land().await;
    faulty.let_go();
    assert!(again.await.unwrap()?.replayed);
    assert_eq!(numbers(&session).await?, [1]);
    assert_eq!(barriers(&session).await?, 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_can_not_be_found_out_yet_stops_the_next_mutation() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    faulty.script(for_long(Fault::CallLost));
    session.append([1]).await.unwrap_err();
    let error = session.append([2]).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::NotApplied, "nothing of this one was sent");
    assert!(error.may_retry());
    assert!(error.clause().contains("an earlier commit"), "{error}");
    // A barrier that is refused for certain settles nothing.
    faulty.script_ends();
    faulty.script([Fault::Forbidden]);
    let error = session.append([2]).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Permission, Outcome::NotApplied));
    session.append([3]).await?;
    assert_eq!(numbers(&session).await?, [3]);
    assert_eq!(barriers(&session).await?, 1);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn resolving_answers_what_was_done_or_that_it_never_will_be() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (store, session) = session(&faulty).await?;
    let (one, two) = ("one".parse()?, "two".parse()?);
    let done = session.append_with(Append::at_end().commit_id(one), [1]).await?;
    let resolved = session.resolve(&done.commit_id).await?.unwrap();
    assert_eq!((resolved.position, resolved.replayed), (done.position, true));
    assert_eq!(barriers(&session).await?, 0);

    faulty.script([Fault::Delayed].into_iter().chain(for_long(Fault::CallLost)));
    let append = Append::at_end().commit_id("two".parse()?);
    session.append_with(append, [2]).await.unwrap_err();
    faulty.script_ends();
    assert_eq!(session.resolve(&two).await?, None);
    assert_eq!(barriers(&session).await?, 1, "one barrier is enough");
    faulty.land().await;
    assert_eq!(numbers(&session).await?, [1]);

    // A handle that knows of nothing, as after a restart, must write to know.
    let restarted = store.open_session("a").await?;
    assert_eq!(restarted.resolve(&two).await?, None);
    assert_eq!(barriers(&session).await?, 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_deletion_whose_answer_is_lost_is_found_done() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (store, session) = session(&faulty).await?;
    let id = "x".parse()?;
    faulty.script([Fault::AnswerLost].into_iter().chain(for_long(Fault::CallLost)));
    let error = session.delete().await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown);
    faulty.script_ends();
    session.delete().await?;
    assert_eq!(session.resolve(&id).await?, None, "nothing lands behind a tombstone");
    assert_eq!(store.open_session("a").await.unwrap_err().kind(), ErrorKind::Deleted);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_hangs_leaves_an_unknown_outcome_at_the_deadline() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (_, session) = session(&faulty).await?;
    faulty.script([Fault::Stuck]);
    let error = session.append([1]).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Deadline, Outcome::Unknown));
    assert_eq!(error.subject(), Some("session a"));
    session.append([2]).await?;
    assert_eq!(numbers(&session).await?, [2]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_replay_is_made_sure_of_before_it_is_told() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (store, session) = session(&faulty).await?;
    let append = Append::at_end().commit_id("c".parse()?);
    session.append_with(append.clone(), [1]).await?;
    let sent = faulty.appends();
    assert!(session.append_with(append.clone(), [1]).await?.replayed);
    assert_eq!(faulty.appends(), sent, "this handle was told that it is durable");

    // To another one it may be what a process wrote that died before its sync.
    faulty.forget_syncs();
    let other = store.open_session("a").await?;
    let position = other.position();
    assert!(other.append_with(append.clone(), [1]).await?.replayed);
    assert_eq!(faulty.appends(), sent + 1);
    assert_eq!(other.refresh().await?.position, position, "nothing was added");
    assert!(other.append_with(append.clone(), [1]).await?.replayed);
    assert_eq!(faulty.appends(), sent + 1, "once is enough");

    let third = store.open_session("a").await?;
    faulty.script(for_long(Fault::CallLost));
    third.append_with(append, [1]).await.unwrap_err();
    Ok(())
}

#[tokio::test]
async fn an_unreachable_place_is_never_taken_for_an_empty_one() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (store, session) = session(&faulty).await?;
    faulty.reachable(false);
    let kind = |result: Result<(), Error>| result.err().map(|error| error.kind());
    let unavailable = Some(ErrorKind::Unavailable);
    assert_eq!(kind(store.open_session("a").await.map(drop)), unavailable);
    assert_eq!(kind(store.open_or_create("b", NewSession::new()).await.map(drop)), unavailable);
    assert_eq!(kind(session.refresh().await.map(drop)), unavailable);
    assert_eq!(kind(session.entries(From::start()).await.map(drop)), unavailable);
    let page = sessile_engine::Page::of(1);
    assert_eq!(kind(store.list(sessile_engine::Filter::all(), page).await.map(drop)), unavailable);
    assert_eq!(kind(store.verify("a").await.map(drop)), unavailable);
    faulty.reachable(true);
    session.append([1]).await?;
    Ok(())
}
