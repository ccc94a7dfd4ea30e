//! Appends that wait at the same time: sent together, decided and answered each for itself.

use std::sync::Arc;
use std::time::Duration;

use sessile_core::{CommitId, EntryType, Error, ErrorKind, Limits, Outcome, Position};
use sessile_engine::{Append, Committed, From, NewSession, Options, Session};
use tokio::task::JoinHandle;

use super::faults::{Fault, Faulty};

type Appending = JoinHandle<Result<Committed, Error>>;

/// A session whose first append is held, and that append.
async fn held(faulty: &Arc<Faulty>, options: Options) -> Result<(Session, Appending), Error> {
    let store = faulty.store_with(options.deadline(Duration::from_secs(5)));
    let session = store.create_as("a", NewSession::new()).await?;
    faulty.script([Fault::Held]);
    let first = appending(&session, Append::at_end(), 0);
    faulty.is_holding().await;
    Ok((session, first))
}

fn appending(session: &Session, append: Append, number: u64) -> Appending {
    let session = session.clone();
    tokio::spawn(async move { session.append_with(append, [number]).await })
}

/// Lets every task come to where it waits: there is one thread, and it takes them in turn.
async fn all_wait() {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}

async fn numbers(session: &Session) -> Result<Vec<u64>, Error> {
    session.transcript(From::start()).await?.all().await
}

fn id(id: &str) -> Result<CommitId, Error> {
    id.parse()
}

#[tokio::test(start_paused = true)]
async fn what_waits_together_is_sent_together_and_answered_each_for_itself() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let before = faulty.calls();
    let waiting: Vec<Appending> =
        (1..=100).map(|number| appending(&session, Append::at_end(), number)).collect();
    all_wait().await;
    faulty.let_go();
    let mut at = first.await.unwrap()?.position;
    for appending in waiting {
        let done = appending.await.unwrap()?;
        assert_eq!((done.first.number(), done.replayed), (at.number(), false));
        at = done.position;
    }
    assert_eq!(faulty.calls() - before, 1, "100 appends are one call");
    assert_eq!(numbers(&session).await?, (0..=100).collect::<Vec<_>>());
    assert_eq!(session.refresh().await?.position, at);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_expectation_that_fails_fails_that_one_alone() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let stale = session.position();
    let next = Position::new(stale.number() + 1).unwrap();
    let waiting = [
        appending(&session, Append::at_end(), 1),
        appending(&session, Append::at(stale), 2),
        // It holds once those before it are there, and for one of two only.
        appending(&session, Append::at(Position::new(stale.number() + 2).unwrap()), 3),
        appending(&session, Append::at(Position::new(stale.number() + 2).unwrap()), 4),
        appending(&session, Append::at(next), 5),
        appending(&session, Append::at_end(), 6),
    ];
    all_wait().await;
    faulty.let_go();
    first.await.unwrap()?;
    let mut answers = Vec::new();
    for appending in waiting {
        let answer = appending.await.unwrap();
        answers.push(answer.map(|_| ()).map_err(|error| (error.kind(), error.outcome())));
    }
    let conflict = Err((ErrorKind::Conflict, Outcome::NotApplied));
    assert_eq!(answers, [Ok(()), conflict, Ok(()), conflict, conflict, Ok(())]);
    assert_eq!(numbers(&session).await?, [0, 1, 3, 6]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_commit_id_given_twice_at_once_is_one_append_and_one_replay() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let named = || Ok::<_, Error>(Append::at_end().commit_id(id("turn-7")?));
    let one = appending(&session, named()?, 1);
    let same = appending(&session, named()?, 1);
    let other = appending(&session, named()?, 2);
    all_wait().await;
    faulty.let_go();
    first.await.unwrap()?;
    let (one, same) = (one.await.unwrap()?, same.await.unwrap()?);
    assert_eq!((one.replayed, same.replayed), (false, true));
    assert_eq!((one.first, one.position), (same.first, same.position));
    assert_eq!(other.await.unwrap().unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(numbers(&session).await?, [0, 1]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn each_of_a_group_is_done_once_whichever_answer_is_lost() -> Result<(), Error> {
    for lost in 0..4 {
        for fault in [Fault::AnswerLost, Fault::CallLost, Fault::Delayed] {
            let faulty = Faulty::new();
            let (session, first) = held(&faulty, Options::default()).await?;
            let waiting: Vec<Appending> =
                (1..=4).map(|number| appending(&session, Append::at_end(), number)).collect();
            all_wait().await;
            faulty.script(std::iter::repeat_n(Fault::None, lost).chain([fault]));
            faulty.let_go();
            first.await.unwrap()?;
            for appending in waiting {
                appending.await.unwrap()?;
            }
            faulty.land().await;
            session.append([9]).await?;
            assert_eq!(numbers(&session).await?, [0, 1, 2, 3, 4, 9], "{fault:?} at {lost}");
        }
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_refuses_a_group_for_certain_refuses_each_of_it() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let waiting = [1, 2].map(|number| appending(&session, Append::at_end(), number));
    all_wait().await;
    faulty.script([Fault::Forbidden]);
    faulty.let_go();
    first.await.unwrap()?;
    for appending in waiting {
        let error = appending.await.unwrap().unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Permission, Outcome::NotApplied));
    }
    session.append([3]).await?;
    assert_eq!(numbers(&session).await?, [0, 3]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_stays_unknown_is_everybody_s_and_each_can_find_it_out() -> Result<(), Error>
{
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let named = |name: &str| Ok::<_, Error>(Append::at_end().commit_id(id(name)?));
    let one = appending(&session, named("one")?, 1);
    let two = appending(&session, named("two")?, 2);
    all_wait().await;
    // The first one is applied, and nobody hears of either.
    faulty.script([Fault::AnswerLost]);
    faulty.script(std::iter::repeat_n(Fault::CallLost, 500));
    faulty.let_go();
    first.await.unwrap()?;
    for appending in [one, two] {
        assert_eq!(appending.await.unwrap().unwrap_err().outcome(), Outcome::Unknown);
    }
    faulty.script_ends();
    let done = session.resolve(&id("one")?).await?.unwrap();
    assert!(done.replayed);
    assert_eq!(session.resolve(&id("two")?).await?, None);
    faulty.land().await;
    session.append([3]).await?;
    assert_eq!(numbers(&session).await?, [0, 1, 3]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_rival_that_was_faster_has_the_whole_group_decided_anew() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let stale = Position::new(session.position().number() + 1).unwrap();
    let waiting = [
        appending(&session, Append::at(stale), 1),
        appending(&session, Append::at_end(), 2),
        appending(&session, Append::at_end(), 3),
    ];
    all_wait().await;
    // The first of the group is held, and another handle appends meanwhile.
    faulty.script([Fault::Held]);
    faulty.let_go();
    first.await.unwrap()?;
    faulty.is_holding().await;
    let rival = faulty.store().open_session("a").await?;
    rival.append([100]).await?;
    faulty.let_go();
    let [one, two, three] = waiting;
    assert_eq!(one.await.unwrap().unwrap_err().kind(), ErrorKind::Conflict);
    two.await.unwrap()?;
    three.await.unwrap()?;
    assert_eq!(numbers(&session).await?, [0, 100, 2, 3]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn who_goes_away_before_it_was_taken_is_not_appended() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let gone = appending(&session, Append::at_end(), 1);
    let stays = appending(&session, Append::at_end(), 2);
    all_wait().await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    faulty.let_go();
    first.await.unwrap()?;
    stays.await.unwrap()?;
    assert_eq!(numbers(&session).await?, [0, 2]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn who_waited_in_vain_was_not_appended_and_never_is() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let waiting = appending(&session, Append::at_end(), 1);
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Deadline, Outcome::NotApplied));
    // The one that was sent is another matter.
    let error = first.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Deadline, Outcome::Unknown));
    faulty.let_go();
    session.append([2]).await?;
    assert!(!numbers(&session).await?.contains(&1));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_group_is_bounded_by_its_bytes() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default()).await?;
    let before = faulty.calls();
    let large = "x".repeat(400 << 10);
    let waiting: Vec<Appending> = (0..5)
        .map(|_| {
            let (session, large) = (session.clone(), large.clone());
            tokio::spawn(async move { session.append([large]).await })
        })
        .collect();
    all_wait().await;
    faulty.let_go();
    first.await.unwrap()?;
    for appending in waiting {
        appending.await.unwrap()?;
    }
    assert_eq!(faulty.calls() - before, 3, "two at a time, and the last one alone");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn one_above_a_limit_is_refused_before_it_waits() -> Result<(), Error> {
    let faulty = Faulty::new();
    let mut limits = Limits::default();
    limits.entry_bytes = 200;
    let (session, first) = held(&faulty, Options::default().limits(limits)).await?;
    let error = session.append(["x".repeat(300)]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    faulty.let_go();
    first.await.unwrap()?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_state_rides_on_a_group_and_who_opens_behind_it_is_told_the_same() -> Result<(), Error> {
    let faulty = Faulty::new();
    let (session, first) = held(&faulty, Options::default().state_every(10, u64::MAX)).await?;
    let waiting: Vec<Appending> =
        (1..=300).map(|number| appending(&session, Append::at_end(), number)).collect();
    all_wait().await;
    faulty.let_go();
    first.await.unwrap()?;
    for appending in waiting {
        appending.await.unwrap()?;
    }
    let fresh = faulty.store().open_session("a").await?;
    assert_eq!(numbers(&fresh).await?, (0..=300).collect::<Vec<_>>());
    assert_eq!((fresh.info().messages, session.info().messages), (301, 301));
    let entries = fresh.entries(From::start()).await?.all().await?;
    let states = entries.iter().filter(|entry| entry.entry_type == EntryType::State).count();
    assert_eq!(states, 30, "every ten entries, in the middle of a group too");
    Ok(())
}
