//! What goes on behind damage: reading, summarising, popping, and being opened by the tail.

use std::sync::Arc;

use futures_util::StreamExt as _;
use sessile_core::backend::{Backend as _, Span};
use sessile_core::entry::shape::{Compaction, Rewind};
use sessile_core::{Error, ErrorKind, Ordinal, Payload, Seq, SessionKey, Space, StoredCommit};
use sessile_engine::{
    Append, Filter, From, NewSession, Options, Page, RawMessage, Session, Store, View, Window,
};

use super::faults::Faulty;

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn ordinal(number: u64) -> From {
    Ordinal::new(number).map_or(From::start(), From::ordinal)
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// So many messages, each in a commit of its own and with the number of its entry where no state
/// takes one.
async fn session(options: Options, messages: u64) -> Result<(Arc<Faulty>, Store, Session), Error> {
    let faulty = Faulty::new();
    let store = faulty.store_with(options);
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 1..=messages {
        session.append([number]).await?;
    }
    Ok((faulty, store, session))
}

fn never() -> Options {
    Options::default().state_every(u64::MAX, u64::MAX)
}

fn often() -> Options {
    Options::default().state_every(4, u64::MAX)
}

fn numbers(messages: &[RawMessage]) -> Vec<u64> {
    messages.iter().filter_map(|message| message.decode().ok()).collect()
}

/// Summary, buffer, backlog and window.
type Shown = (Vec<String>, Vec<u64>, u64, Vec<u64>);

fn shown(view: &View) -> Shown {
    let summary = view.summary.iter().filter_map(|payload: &Payload| payload.decode().ok());
    (summary.collect(), numbers(&view.buffer), view.backlog, numbers(&view.window))
}

/// A session of 30 messages of which 11 to 14 can't be read: a handle that read them before, and
/// one that has not.
async fn damaged() -> Result<(Arc<Faulty>, Store, [Session; 2]), Error> {
    let (faulty, store, before) = session(never(), 30).await?;
    faulty.damage(11, 15);
    let since = faulty.store_with(never()).open_session("a").await?;
    Ok((faulty, store, [before, since]))
}

#[tokio::test]
async fn a_view_shows_what_stands_behind_damage() -> Result<(), Error> {
    let (_, _, [_, session]) = damaged().await?;
    let view = session.view(Window::last(5)).await?;
    assert_eq!(shown(&view), (vec![], vec![], 21, (26..=30).collect()));
    assert!(view.window.iter().all(|message| message.ordinal.is_none()));
    let view = session.view(Window::last(17).batch(3)).await;
    assert_eq!(kind(view), Some(ErrorKind::Corrupt), "it would begin before the damage");
    let view = session.view(Window::last(15).batch(10)).await?;
    assert_eq!(shown(&view).1, (1..=10).collect::<Vec<_>>());
    let covered = session.view(Window::last(15).batch(11)).await;
    assert_eq!(kind(covered), Some(ErrorKind::Corrupt));
    // Where all are wanted, what is damaged among them is missed.
    for window in [Window::last(27), Window::last(26), Window::last(10).batch(17)] {
        assert_eq!(kind(session.view(window).await), Some(ErrorKind::Corrupt), "{window:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_view_of_which_everything_is_damaged_is_not_an_empty_one() -> Result<(), Error> {
    let (faulty, store, session) = session(never(), 10).await?;
    session.compact(ordinal(8), ["up to 7"]).await?;
    faulty.damage(8, 11);
    for handle in [&session, &store.open_session("a").await?] {
        let view = handle.view(Window::last(1)).await.unwrap_err();
        assert_eq!(view.damage().map(|place| place.seq), Some(seq(8)));
    }
    session.append([11]).await?;
    for handle in [&session, &store.open_session("a").await?] {
        assert_eq!(numbers(&handle.view(Window::last(1)).await?.window), [11]);
        let view = handle.view(Window::last(1).batch(1)).await;
        assert_eq!(kind(view), Some(ErrorKind::Corrupt));
    }
    Ok(())
}

#[tokio::test]
async fn a_summary_of_what_is_damaged_takes_it_out_of_the_way() -> Result<(), Error> {
    for by in [0, 1] {
        let (_, store, handles) = damaged().await?;
        let done = handles[by].compact(From::seq(seq(20)), ["up to 19"]).await?;
        let made = handles[by].entries(From::seq(done.first)).await?.all().await?;
        let made: Compaction = made[0].data.decode()?;
        // Which one that is could only be counted across the damage.
        assert_eq!((made.keep_from, made.keep_seq), (None, Some(seq(20))));
        handles[1 - by].append(["more"]).await?;
        for handle in [&handles[0], &handles[1], &store.open_session("a").await?] {
            let view = handle.view(Window::last(99)).await?;
            assert_eq!(view.messages().count(), 13, "a summary, eleven that are kept and one more");
            assert_eq!(shown(&view).3, (20..=30).collect::<Vec<_>>());
            let view = handle.view(Window::last(2).batch(4)).await?;
            let summary = vec!["up to 19".to_owned()];
            assert_eq!(shown(&view), (summary, (20..=23).collect(), 6, vec![30]));
            let last = handle.transcript::<RawMessage>(From::last(3)).await?.all().await?;
            assert_eq!(numbers(&last), [29, 30]);
            // Whoever wants all of it is told.
            let error = handle.transcript::<RawMessage>(From::start()).await?.all().await;
            let error = error.unwrap_err();
            assert_eq!(error.damage().map(|place| place.seq), Some(seq(11)));
        }
        // It stands for more each time.
        for keep in [From::seq(seq(20)), From::seq(seq(16)), From::seq(seq(3)), From::last(12)] {
            let refused = handles[1].compact(keep, ["x"]).await;
            assert_eq!(kind(refused), Some(ErrorKind::Refused), "{keep:?}");
        }
        let hidden = handles[1].compact(ordinal(25), ["x"]).await.unwrap_err();
        assert_eq!(hidden.kind(), ErrorKind::Corrupt);
        assert!(hidden.hint().is_some_and(|hint| hint.contains("by its number")), "{hidden:?}");
        assert_eq!(kind(handles[1].compact(From::last(99), ["x"]).await), Some(ErrorKind::Corrupt));
        handles[1].compact(From::last(1), ["all but one"]).await?;
        let view = store.open_session("a").await?.view(Window::last(99)).await?;
        assert_eq!((view.window.len(), view.backlog), (1, 0));
        assert!(store.verify("a").await?.damage.len() == 1);
    }
    Ok(())
}

#[tokio::test]
async fn a_summary_from_before_the_damage_shows_what_it_always_did() -> Result<(), Error> {
    let (faulty, store, session) = session(never(), 30).await?;
    session.compact(ordinal(20), ["up to 19"]).await?;
    faulty.damage(11, 15);
    let opened = faulty.store_with(never()).open_session("a").await?;
    let view = opened.view(Window::last(99)).await?;
    assert_eq!(shown(&view).3, (20..=30).collect::<Vec<_>>());
    assert_eq!(view.through, Ordinal::new(19));
    // One that stands for all keeps what comes.
    opened.compact(From::last(1), ["up to 29"]).await?;
    session.compact(ordinal(31), ["all"]).await?;
    session.append([31]).await?;
    for handle in [&session, &store.open_session("a").await?] {
        let view = handle.view(Window::last(99).batch(9)).await?;
        assert_eq!(shown(&view), (vec!["all".to_owned()], vec![], 0, vec![31]));
    }
    Ok(())
}

#[tokio::test]
async fn popping_takes_what_stands_behind_damage() -> Result<(), Error> {
    for by in [0, 1] {
        let (_, store, handles) = damaged().await?;
        let popped = handles[by].pop(3).await?.unwrap();
        assert_eq!(numbers(&popped.messages), [28, 29, 30]);
        let entries = handles[by].entries(From::seq(popped.committed.first)).await?.all().await?;
        let made: Rewind = entries[0].data.decode()?;
        // Who had read it all before knew how many stay; who had not says why it does not.
        assert_eq!((made.messages, made.damage.is_some()), [(27, false), (23, true)][by]);
        handles[1 - by].append([40]).await?;
        for handle in [&handles[0], &handles[1], &store.open_session("a").await?] {
            let last = handle.transcript::<RawMessage>(From::last(3)).await?.all().await?;
            assert_eq!(numbers(&last), [26, 27, 40]);
            assert_eq!(
                kind(handle.transcript::<RawMessage>(From::last(16)).await),
                Some(ErrorKind::Corrupt)
            );
        }
        // More than stand behind it.
        let session = store.open_session("a").await?;
        assert_eq!(kind(session.pop(15).await), Some(ErrorKind::Corrupt));
        session.rewind(seq(17)).await?;
        let popped = session.pop(3).await?.unwrap();
        assert_eq!(numbers(&popped.messages), [15, 16, 17]);
        assert_eq!(kind(session.pop(1).await), Some(ErrorKind::Corrupt));
        // And back to before it: what is counted there is known again.
        session.rewind(seq(9)).await?;
        session.append([50]).await?;
        for handle in [&handles[0], &handles[1], &session, &store.open_session("a").await?] {
            let seen = handle.transcript::<RawMessage>(From::start()).await?.all().await?;
            assert_eq!(numbers(&seen), [1, 2, 3, 4, 5, 6, 7, 8, 9, 50]);
            assert_eq!(seen.last().and_then(|last| last.ordinal), Ordinal::new(10));
        }
    }
    Ok(())
}

#[tokio::test]
async fn popping_behind_damage_is_safe_to_repeat() -> Result<(), Error> {
    let (_, store, [_, session]) = damaged().await?;
    // A new id may be one of those that the damage hides.
    let append = Append::at(session.position()).commit_id("pop".parse()?);
    assert_eq!(kind(session.pop_with(append, 2).await), Some(ErrorKind::Corrupt));
    assert_eq!(store.open_session("a").await?.position(), session.position());
    Ok(())
}

/// Every commit, readable or not.
async fn commits(faulty: &Faulty) -> Result<Vec<StoredCommit>, Error> {
    let key = SessionKey { space: Space::default(), id: "a".parse()? };
    let commits: Vec<_> = faulty.memory().read(&key, Span::ALL).await?.collect().await;
    commits.into_iter().collect()
}

/// The number of the last state.
async fn last_state(faulty: &Faulty) -> Result<Option<u64>, Error> {
    Ok(commits(faulty).await?.iter().rev().find_map(|commit| commit.state).map(Seq::number))
}

#[tokio::test]
async fn a_damaged_session_is_opened_by_its_tail_and_says_so() -> Result<(), Error> {
    let options = Options::default().state_every(64, u64::MAX);
    let (faulty, store, session) = session(options, 20).await?;
    faulty.damage(11, 15);
    let damaged = store.open_session("a").await?;
    drop(session);
    for number in 21..=400_u64 {
        damaged.append(["x".repeat(1_000) + &number.to_string()]).await?;
    }
    assert!(last_state(&faulty).await?.is_some_and(|last| last > 300));
    let before = faulty.bytes_read();
    let opened = store.open_session("a").await?;
    let read = faulty.bytes_read() - before;
    assert!(read < 150_000, "{read} of 400,000");
    let info = opened.info();
    assert!(info.damaged);
    assert_eq!((info.messages, info.messages), (396, damaged.info().messages));
    let receipt = opened.receipt().unwrap();
    assert_eq!(receipt.damage, damaged.receipt().unwrap().damage);
    let row = store.list(Filter::all().damaged(), Page::of(9));
    assert_eq!(row.await?.sessions.len(), 1);
    for handle in [&damaged, &opened] {
        let tenth = handle.transcript::<RawMessage>(ordinal(10)).await?.next().await.unwrap()?;
        assert_eq!(tenth.seq, seq(10));
        let behind = match handle.transcript::<RawMessage>(ordinal(300)).await {
            Ok(mut messages) => messages.next().await.unwrap().map(drop),
            Err(error) => Err(error),
        };
        assert_eq!(kind(behind), Some(ErrorKind::Corrupt));
        let last = handle.transcript::<RawMessage>(From::last(2)).await?.all().await?;
        assert!(last.iter().all(|message| message.ordinal.is_none()));
        let unknown = Append::at_end().commit_id("unknown".parse()?);
        assert_eq!(kind(handle.append_with(unknown, [1]).await), Some(ErrorKind::Corrupt));
    }
    let verified = store.verify("a").await?;
    assert_eq!((verified.damage.len(), verified.passed_over.len()), (1, 0));
    Ok(())
}

#[tokio::test]
async fn what_was_mended_is_not_told_as_damaged_for_ever() -> Result<(), Error> {
    let (faulty, _, _) = session(never(), 20).await?;
    faulty.damage(11, 12);
    let store = faulty.store_with(often());
    let damaged = store.open_session("a").await?;
    for number in 21..=40_u64 {
        damaged.append([number]).await?;
    }
    assert!(last_state(&faulty).await?.is_some());
    assert!(store.open_session("a").await?.info().damaged);
    faulty.damage(900, 901);
    let opened = store.open_session("a").await?;
    assert_eq!((opened.info().damaged, opened.receipt()), (false, None));
    let append = Append::at_end().commit_id("new".parse()?);
    opened.append_with(append, [41]).await?;
    assert!(store.verify("a").await?.sound);
    Ok(())
}
