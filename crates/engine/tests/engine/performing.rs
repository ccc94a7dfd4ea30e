//! What others decide on, by folds of their own.

use std::sync::Arc;

use sessile_core::{Backend, CommitId, Error, ErrorKind, Seq};
use sessile_engine::{NewSession, Session, Store};
use sessile_memory::MemoryBackend;
use tokio::task::JoinSet;

use super::faults::{Fault, Faulty};
use super::tally::{PostUpTo, Tally, Unposted, count, tallying};

async fn post(session: &Session, most: u64) -> Result<u64, Unposted> {
    let done = session.perform(PostUpTo { what: "1", most, id: None }).await?;
    Ok(done.answer)
}

async fn counted(session: &Session) -> Result<u64, Error> {
    count(&session.state().await?, "1")
}

fn shared() -> (Arc<dyn Backend>, Store) {
    let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    (Arc::clone(&backend), Store::with(backend, tallying()))
}

#[tokio::test]
async fn it_is_decided_on_the_newest_state_whoever_wrote_it() -> Result<(), Error> {
    let (backend, store) = shared();
    let session = store.create_as("a", NewSession::new()).await?;
    let other = Store::with(backend, tallying()).open_session("a").await?;
    assert_eq!(post(&session, 2).await.unwrap(), 1);
    // What the handle knows is older: it is decided again, and refused only after it was read.
    assert_eq!(post(&other, 2).await.unwrap(), 2);
    assert!(matches!(post(&session, 2).await, Err(Unposted::Enough(2))));
    assert_eq!(post(&session, 3).await.unwrap(), 3);
    assert_eq!((counted(&session).await?, counted(&other).await?), (3, 3));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_rivals_as_many_win_as_the_state_allows() -> Result<(), Error> {
    let (backend, store) = shared();
    store.create_as("a", NewSession::new()).await?;
    let mut rivals = JoinSet::new();
    for number in 0..24 {
        // Some in this store and some in others.
        let store = match number % 3 {
            0 => store.clone(),
            _ => Store::with(Arc::clone(&backend), tallying()),
        };
        rivals.spawn(async move {
            let session = store.open_session("a").await?;
            match post(&session, 7).await {
                Ok(answer) => Ok(Some(answer)),
                Err(Unposted::Enough(_)) => Ok(None),
                Err(Unposted::Failed(error)) => Err(error),
            }
        });
    }
    let answers = rivals.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut answers: Vec<u64> = answers.into_iter().flatten().collect();
    answers.sort_unstable();
    assert_eq!(answers, (1..=7).collect::<Vec<_>>());
    assert_eq!(counted(&store.open_session("a").await?).await?, 7);
    Ok(())
}

#[tokio::test]
async fn an_answer_that_was_lost_is_found_out() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(tallying());
    let session = store.create_as("a", NewSession::new()).await?;
    for (times, fault) in [(1, Fault::AnswerLost), (2, Fault::CallLost), (3, Fault::Conflict)] {
        faulty.script([fault]);
        assert_eq!(post(&session, 9).await.unwrap(), times, "{fault:?}");
        assert_eq!(counted(&session).await?, times, "{fault:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_commit_of_its_id_that_is_there_is_not_made_again() -> Result<(), Error> {
    let (_, store) = shared();
    let session = store.create_as("a", NewSession::new()).await?;
    let id: CommitId = "post-1".parse()?;
    let post = || PostUpTo { what: "1", most: 9, id: Some(id.clone()) };
    let done = session.perform(post()).await.unwrap();
    assert_eq!(done.committed.unwrap().commit_id, id);
    assert_eq!(session.perform(post()).await.unwrap_err().kind(), Some(ErrorKind::Conflict));
    assert_eq!(counted(&session).await?, 1);
    Ok(())
}

#[tokio::test]
async fn what_the_session_does_not_take_is_refused() -> Result<(), Error> {
    let (backend, store) = shared();
    let session = store.create_as("a", NewSession::new()).await?;
    let without = Store::on(backend).open_session("a").await?;
    assert_eq!(post(&without, 9).await.unwrap_err().kind(), Some(ErrorKind::Unsupported));
    session.close().await?;
    assert_eq!(post(&session, 9).await.unwrap_err().kind(), Some(ErrorKind::Closed));
    session.append_events([1]).await?;
    assert_eq!(counted(&session).await?, 1);
    session.delete().await?;
    assert_eq!(post(&session, 9).await.unwrap_err().kind(), Some(ErrorKind::Deleted));
    Ok(())
}

#[tokio::test]
async fn a_program_without_the_fold_goes_on_and_its_states_are_made_up_for() -> Result<(), Error> {
    let (backend, store) = shared();
    let options = || tallying().state_every(4, u64::MAX);
    let with = Store::with(Arc::clone(&backend), options());
    let without = Store::with(
        Arc::clone(&backend),
        sessile_engine::Options::default().state_every(4, u64::MAX),
    );
    with.create_as("a", NewSession::new()).await?;
    let mut posted = 0;
    for round in 0..12_u64 {
        let session = with.open_session("a").await?;
        for _ in 0..round % 4 {
            posted += 1;
            assert_eq!(post(&session, 99).await.unwrap(), posted);
        }
        let other = without.open_session("a").await?;
        for number in 0..6 {
            other.append([number]).await?;
        }
        other.append_events([1]).await?;
        posted += 1;
        // A third one goes on from whatever state is the last.
        let third = Store::with(Arc::clone(&backend), options()).open_session("a").await?;
        assert_eq!(counted(&third).await?, posted, "round {round}");
        assert_eq!(third.info().messages, (round + 1) * 6);
    }
    assert!(with.verify("a").await?.sound);
    assert!(store.verify("a").await?.passed_over.is_empty());
    Ok(())
}

#[tokio::test]
async fn behind_damage_what_rests_on_it_is_refused_and_the_rest_goes_on() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(tallying());
    let session = store.create_as("a", NewSession::new()).await?;
    post(&session, 9).await.unwrap();
    session.append([1]).await?;
    faulty.damage(1, 2);
    let opened = faulty.store_with(tallying()).open_session("a").await?;
    let error = opened.state().await?.extended::<Tally>().unwrap_err();
    assert_eq!(error.damage().map(|place| place.seq), Seq::new(1));
    assert_eq!(post(&opened, 9).await.unwrap_err().kind(), Some(ErrorKind::Corrupt));
    opened.append([2]).await?;
    assert_eq!(opened.info().messages, 2);
    Ok(())
}

#[tokio::test]
async fn a_lag_that_lies_across_damage_is_told_and_one_behind_it_is_made_up() -> Result<(), Error> {
    let faulty = Faulty::new();
    let options = || tallying().state_every(4, u64::MAX);
    let store = faulty.store_with(options());
    let session = store.create_as("a", NewSession::new()).await?;
    for _ in 0..10 {
        post(&session, 99).await.unwrap();
    }
    let without = faulty.store_with(sessile_engine::Options::default().state_every(4, u64::MAX));
    let other = without.open_session("a").await?;
    for number in 0..10 {
        other.append([number]).await?;
    }
    let reopen = || async { faulty.store_with(options()).open_session("a").await };
    assert_eq!(counted(&reopen().await?).await?, 10);
    // Before the last state that has the fold.
    faulty.damage(1, 2);
    assert_eq!(counted(&reopen().await?).await?, 10);
    // Behind it.
    let end = session.refresh().await?.position.number();
    faulty.damage(end - 9, end - 8);
    let kind = counted(&reopen().await?).await.map_err(|error| error.kind());
    assert_eq!(kind, Err(ErrorKind::Corrupt));
    Ok(())
}

#[tokio::test]
async fn who_waits_is_told_of_what_any_handle_of_the_store_appends() -> Result<(), Error> {
    let (_, store) = shared();
    let session = store.create_as("a", NewSession::new()).await?;
    let position = session.position();
    let waiting = tokio::spawn({
        let session = session.clone();
        async move { session.moved_past(position).await }
    });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    store.evict_all();
    let done = store.open_session("a").await?.append([1]).await?;
    assert_eq!(waiting.await.unwrap(), done.position);
    // What has happened already is not waited for.
    assert_eq!(session.moved_past(position).await, done.position);
    Ok(())
}
