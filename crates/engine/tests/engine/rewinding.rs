//! Going back: what later readers see, how messages are numbered then, and who pops what.

use std::collections::BTreeSet;
use std::sync::Arc;

use sessile_core::{EntryType, Error, ErrorKind, Ordinal, Seq};
use sessile_engine::{Append, From, NewSession, RawMessage, Session, Store};
use sessile_memory::MemoryBackend;
use tokio::task::JoinSet;

use super::faults::Faulty;

async fn session() -> Result<(Store, Session), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new()).await?;
    Ok((store, session))
}

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap_or(Seq::FIRST)
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

/// Ordinals and content of what is in sight.
async fn read(session: &Session, from: From) -> Result<Vec<(u64, u64)>, Error> {
    let messages = session.transcript::<RawMessage>(from).await?.all().await?;
    let row =
        |message: &RawMessage| Ok((message.ordinal.map_or(0, Ordinal::number), message.decode()?));
    messages.iter().map(row).collect()
}

#[tokio::test]
async fn later_readers_see_the_transcript_up_to_there() -> Result<(), Error> {
    let (store, session) = session().await?;
    for number in 1..=5 {
        session.append([number]).await?;
    }
    session.rewind(seq(3)).await?;
    session.append_events(["e"]).await?;
    session.append([60, 70]).await?;
    let seen = [(1, 1), (2, 2), (3, 3), (4, 60), (5, 70)];
    for handle in [&session, &store.open_session("a").await?] {
        assert_eq!(handle.info().messages, 5);
        assert_eq!(read(handle, From::start()).await?, seen);
        assert_eq!(read(handle, From::last(3)).await?, seen[2..]);
        assert_eq!(read(handle, From::last(99)).await?, seen);
        assert_eq!(read(handle, From::seq(seq(4))).await?, seen[3..]);
        for ordinal in 1..=5 {
            let from = From::ordinal(Ordinal::new(ordinal).unwrap());
            let at = usize::try_from(ordinal - 1).unwrap();
            assert_eq!(read(handle, from).await?, seen[at..]);
        }
        // Nothing is lost.
        let entries = handle.entries(From::start()).await?.all().await?;
        let messages = entries.iter().filter(|e| e.entry_type == EntryType::Message);
        assert_eq!(messages.count(), 7);
    }
    // What is hidden is not brought back by going to where it stood.
    session.rewind(seq(5)).await?;
    assert_eq!(read(&session, From::start()).await?, seen[..3]);
    session.rewind(Seq::FIRST).await?;
    assert_eq!(read(&session, From::start()).await?, []);
    assert_eq!(session.info().messages, 0);
    assert!(store.verify("a").await?.sound);
    Ok(())
}

#[tokio::test]
async fn a_long_session_is_counted_across_rewinds() -> Result<(), Error> {
    let (store, session) = session().await?;
    let mut kept: Vec<u64> = Vec::new();
    let mut seqs: Vec<Seq> = Vec::new();
    for number in 0..700 {
        let done = session.append([number]).await?;
        kept.push(number);
        seqs.push(done.first);
        if number % 150 == 149 {
            let keep = kept.len() - 60;
            kept.truncate(keep);
            seqs.truncate(keep);
            session.rewind(seqs[keep - 1]).await?;
        }
    }
    let expected: Vec<(u64, u64)> = (1..).zip(kept).collect();
    for handle in [&session, &store.open_session("a").await?] {
        assert_eq!(read(handle, From::start()).await?, expected);
        for (at, seq) in seqs.iter().enumerate().step_by(37) {
            assert_eq!(read(handle, From::seq(*seq)).await?, expected[at..]);
            let ordinal = From::ordinal(Ordinal::new(expected[at].0).unwrap());
            assert_eq!(read(handle, ordinal).await?, expected[at..]);
            assert_eq!(read(handle, From::last(expected.len() - at)).await?, expected[at..]);
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_was_appended_behind_it_is_recognised_all_the_same() -> Result<(), Error> {
    let (_, session) = session().await?;
    let id = Append::at_end().commit_id("turn".parse()?);
    let first = session.append_with(id.clone(), [1]).await?;
    session.rewind(Seq::FIRST).await?;
    let again = session.append_with(id, [1]).await?;
    assert_eq!((again.replayed, again.position), (true, first.position));
    assert_eq!(session.info().messages, 0);
    Ok(())
}

#[tokio::test]
async fn a_rewind_is_exact_and_safe_to_repeat_where_the_caller_says_so() -> Result<(), Error> {
    let (store, session) = session().await?;
    session.append([1, 2, 3]).await?;
    let append = Append::at(session.position()).commit_id("back".parse()?);
    let done = session.rewind_with(append.clone(), seq(2)).await?;
    session.rewind(seq(1)).await?;
    session.append([4]).await?;
    // It would keep fewer now, and is the same request.
    let again = store.open_session("a").await?.rewind_with(append.clone(), seq(2)).await?;
    assert_eq!((again.replayed, again.position), (true, done.position));
    assert_eq!(kind(session.rewind_with(append.clone(), seq(1)).await), Some(ErrorKind::Conflict));
    assert_eq!(kind(session.append_with(append, [1]).await), Some(ErrorKind::Conflict));
    let stale = session.rewind_with(Append::at(done.position), seq(1)).await;
    assert_eq!(kind(stale), Some(ErrorKind::Conflict));
    let beyond = Seq::new(session.position().number()).unwrap();
    assert_eq!(kind(session.rewind(beyond).await), Some(ErrorKind::Refused));
    assert_eq!(read(&session, From::start()).await?, [(1, 1), (2, 4)]);
    session.close().await?;
    assert_eq!(kind(session.rewind(seq(1)).await), Some(ErrorKind::Closed));
    assert_eq!(kind(session.pop(1).await), Some(ErrorKind::Closed));
    session.delete().await?;
    assert_eq!(kind(session.rewind(seq(1)).await), Some(ErrorKind::Deleted));
    Ok(())
}

#[tokio::test]
async fn popping_hands_out_the_last_ones() -> Result<(), Error> {
    let (store, session) = session().await?;
    session.append([1, 2, 3, 4]).await?;
    let numbers = |messages: &[RawMessage]| -> Vec<u64> {
        messages.iter().filter_map(|message| message.decode().ok()).collect()
    };
    assert_eq!(kind(session.pop(0).await), Some(ErrorKind::Refused));
    let popped = session.pop(1).await?.unwrap();
    assert_eq!(numbers(&popped.messages), [4]);
    session.append([5]).await?;
    let append = Append::at(session.position()).commit_id("pop".parse()?);
    let popped = session.pop_with(append.clone(), 2).await?.unwrap();
    assert_eq!(numbers(&popped.messages), [3, 5]);
    assert_eq!(session.info().messages, 2);
    session.append([6]).await?;
    // The same messages are handed out again, whatever stands there now.
    let again = store.open_session("a").await?.pop_with(append.clone(), 2).await?.unwrap();
    assert!(again.committed.replayed);
    assert_eq!(again.messages, popped.messages);
    assert_eq!(kind(session.pop_with(append, 1).await), Some(ErrorKind::Conflict));
    assert_eq!(numbers(&session.pop(99).await?.unwrap().messages), [1, 2, 6]);
    let position = session.position();
    assert_eq!(session.pop(1).await?, None);
    assert_eq!(session.position(), position);
    Ok(())
}

#[tokio::test]
async fn a_pop_expects_what_its_handle_knows() -> Result<(), Error> {
    let (store, session) = session().await?;
    session.append([1]).await?;
    let other = Store::on(Arc::clone(store.backend())).open_session("a").await?;
    session.append([2]).await?;
    let error = other.pop(1).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(error.actual_position(), Some(session.position()));
    // Now it knows.
    assert_eq!(other.pop(1).await?.unwrap().messages[0].decode::<u64>()?, 2);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_those_who_pop_at_once_each_gets_other_messages() -> Result<(), Error> {
    let (store, session) = session().await?;
    session.append(0..200).await?;
    let mut poppers = JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        poppers.spawn(async move {
            let session = store.open_session("a").await?;
            let mut got: Vec<u64> = Vec::new();
            loop {
                match session.pop(1).await {
                    Ok(None) => return Ok::<_, Error>(got),
                    Ok(Some(popped)) => got.push(popped.messages[0].decode()?),
                    Err(error) if error.kind() == ErrorKind::Conflict => {}
                    Err(error) => return Err(error),
                }
            }
        });
    }
    let got: Vec<Vec<u64>> = poppers.join_all().await.into_iter().collect::<Result<_, _>>()?;
    let got = got.concat();
    assert_eq!(got.len(), 200);
    assert_eq!(got.into_iter().collect::<BTreeSet<_>>().len(), 200);
    assert_eq!(session.refresh().await?.messages, 0);
    Ok(())
}

#[tokio::test]
async fn going_back_to_before_damage_takes_it_out_of_the_way() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 1..=8 {
        session.append([number]).await?;
    }
    faulty.damage(4, 6);
    let session = store.open_session("a").await?;
    session.rewind(seq(3)).await?;
    session.append([40]).await?;
    let seen = [(1, 1), (2, 2), (3, 3), (4, 40)];
    for handle in [&session, &store.open_session("a").await?] {
        assert_eq!(read(handle, From::start()).await?, seen);
        assert_eq!(read(handle, From::last(9)).await?, seen);
        assert_eq!(read(handle, From::ordinal(Ordinal::new(4).unwrap())).await?, seen[3..]);
        assert_eq!(handle.info().messages, 4);
        // Whoever wants everything is told.
        let entries = handle.entries(From::start()).await?.all().await;
        assert_eq!(kind(entries), Some(ErrorKind::Corrupt));
    }
    Ok(())
}

#[tokio::test]
async fn events_are_read_by_themselves() -> Result<(), Error> {
    let (_, session) = session().await?;
    session.append([1]).await?;
    session.append_events(["a"]).await?;
    session.append([2]).await?;
    session.append_events(["b", "c"]).await?;
    session.rewind(Seq::FIRST).await?;
    let texts = async |from: From| {
        let events = session.events(from).await?.all().await?;
        events.iter().map(|event| event.data.decode::<String>()).collect::<Result<Vec<_>, _>>()
    };
    assert_eq!(texts(From::start()).await?, ["a", "b", "c"]);
    assert_eq!(texts(From::last(2)).await?, ["b", "c"]);
    assert_eq!(texts(From::seq(seq(5))).await?, ["c"]);
    Ok(())
}
