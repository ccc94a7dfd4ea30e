//! Reading: where it begins, what it counts, and how damage ends it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use sessile_core::{EntryType, Error, ErrorKind, Ordinal, Seq};
use sessile_engine::{Append, From, NewSession, Options, RawMessage, Session, Store};

use super::faults::Faulty;

/// Commits of two messages and an event: messages 2n and 2n+1 at seqs 3n+1 and 3n+2.
async fn session(commits: u64) -> Result<(Arc<Faulty>, Store, Session), Error> {
    let faulty = Faulty::new();
    // States would take numbers of their own.
    let store = faulty.store_with(Options::default().state_every(u64::MAX, u64::MAX));
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 0..commits {
        session.append([2 * number, 2 * number + 1]).await?;
        session.append_events(["e"]).await?;
    }
    Ok((faulty, store, session))
}

fn seq(number: u64) -> From {
    Seq::new(number).map_or(From::start(), From::seq)
}

fn ordinal(number: u64) -> From {
    Ordinal::new(number).map_or(From::start(), From::ordinal)
}

/// Ordinals, seqs and content of what is read.
async fn read(session: &Session, from: From) -> Result<Vec<(Option<u64>, u64, u64)>, Error> {
    let messages = session.transcript::<RawMessage>(from).await?.all().await?;
    let row = |message: &RawMessage| {
        let ordinal = message.ordinal.map(Ordinal::number);
        Ok((ordinal, message.seq.number(), message.decode()?))
    };
    messages.iter().map(row).collect()
}

#[tokio::test]
async fn every_beginning_shows_the_same_messages_from_there_on() -> Result<(), Error> {
    let (_, _, session) = session(200).await?;
    let row = |message: u64| (Some(message + 1), message / 2 * 3 + message % 2 + 1, message);
    let from = |message: u64| (message..400).map(row).collect::<Vec<_>>();
    assert_eq!(read(&session, From::start()).await?, from(0));
    for message in [0, 1, 2, 3, 127, 128, 129, 130, 255, 256, 257, 398, 399] {
        let (_, at, _) = row(message);
        assert_eq!(read(&session, seq(at)).await?, from(message), "seq {at}");
        let last = usize::try_from(400 - message).unwrap();
        assert_eq!(read(&session, From::last(last)).await?, from(message), "last {last}");
        assert_eq!(read(&session, ordinal(message + 1)).await?, from(message), "{message}");
    }
    // Between two messages stands an event.
    assert_eq!(read(&session, seq(3)).await?, from(2));
    for beyond in [seq(600), seq(601), seq(9_999), ordinal(401), ordinal(9_999)] {
        assert_eq!(read(&session, beyond).await?, []);
    }
    for many in [400, 401, usize::MAX] {
        assert_eq!(read(&session, From::last(many)).await?, from(0));
    }
    Ok(())
}

#[tokio::test]
async fn the_last_0_is_refused() -> Result<(), Error> {
    let (_, _, session) = session(1).await?;
    let refused = session.transcript::<RawMessage>(From::last(0)).await.map(drop).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    let refused = session.entries(From::last(0)).await.map(drop).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused);
    Ok(())
}

#[tokio::test]
async fn entries_of_all_types_are_read_alike() -> Result<(), Error> {
    let (_, _, session) = session(3).await?;
    let seqs = async |from: From| {
        let entries = session.entries(from).await?.all().await?;
        Ok::<_, Error>(entries.iter().map(|entry| entry.seq.number()).collect::<Vec<_>>())
    };
    assert_eq!(seqs(From::start()).await?, (0..10).collect::<Vec<_>>());
    assert_eq!(seqs(seq(3)).await?, [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(seqs(From::last(4)).await?, [6, 7, 8, 9]);
    assert_eq!(seqs(From::last(99)).await?, (0..10).collect::<Vec<_>>());
    // From a message on, with the events that follow it.
    assert_eq!(seqs(ordinal(4)).await?, [5, 6, 7, 8, 9]);
    let first = session.entries(From::start()).await?.next().await.unwrap()?;
    assert_eq!(first.entry_type, EntryType::Session);
    Ok(())
}

#[tokio::test]
async fn the_last_few_of_a_long_session_cost_what_they_are() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    for _ in 0..200 {
        session.append(["x".repeat(10_000)]).await?;
    }
    let before = faulty.bytes_read();
    assert_eq!(session.transcript::<String>(From::last(5)).await?.all().await?.len(), 5);
    assert!(faulty.bytes_read() - before < 200_000, "{}", faulty.bytes_read() - before);
    Ok(())
}

#[tokio::test]
async fn a_read_shows_what_others_have_added_and_says_up_to_where() -> Result<(), Error> {
    let (_, store, session) = session(1).await?;
    let other = store.open_session("a").await?;
    other.append([7]).await?;
    let mut reading = session.transcript::<u64>(From::last(1)).await?;
    let until = reading.position();
    other.append([8]).await?;
    assert_eq!(reading.next().await.unwrap()?, 7);
    assert!(reading.next().await.is_none(), "what came later is for the next read");
    let on = From::seq(until.seq().unwrap());
    assert_eq!(session.transcript::<u64>(on).await?.all().await?, [8]);
    Ok(())
}

#[tokio::test]
async fn messages_are_read_as_the_callers_type() -> Result<(), Error> {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Message {
        role: String,
    }
    let (_, _, session) = session(0).await?;
    session.append([json!({"role": "user"}), json!(1), json!({"role": "tool"})]).await?;
    let mut reading = session.transcript::<Message>(From::start()).await?;
    assert_eq!(reading.next().await.unwrap()?.role, "user");
    let error = reading.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    assert_eq!(reading.next().await.unwrap()?.role, "tool");
    assert!(reading.next().await.is_none());
    Ok(())
}

#[tokio::test]
async fn damage_refuses_the_reads_that_cover_it_and_no_others() -> Result<(), Error> {
    let (faulty, store, _) = session(10).await?;
    // Entries 13 to 17: messages 8 to 11, and an event.
    faulty.damage(13, 18);
    let session = store.open_session("a").await?;
    let info = session.info();
    assert!(info.damaged);
    assert_eq!((info.messages, info.position.number()), (16, 31));
    let receipt = session.receipt().unwrap();
    assert_eq!(receipt.damage.len(), 1);
    assert!(receipt.to_string().contains("damaged from entry 13 at offset 77"), "{receipt}");

    let mut reading = session.transcript::<u64>(From::start()).await?;
    for number in 0..8 {
        assert_eq!(reading.next().await.unwrap()?, number);
    }
    let error = reading.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(error.damage().map(|place| place.seq.number()), Some(13));
    assert!(reading.next().await.is_none());

    // Behind it nobody knows how many messages there were.
    let behind = read(&session, seq(19)).await?;
    assert_eq!(behind.first(), Some(&(None, 19, 12)));
    assert_eq!(behind.len(), 8);
    assert_eq!(read(&session, From::last(3)).await?.len(), 3);
    assert_eq!(read(&session, From::last(8)).await?, behind);
    let before = session.transcript::<RawMessage>(ordinal(8)).await?.next().await.unwrap()?;
    assert_eq!(before.seq.number(), 11);
    for covered in [From::last(9), From::last(999), ordinal(9)] {
        let error = session.transcript::<u64>(covered).await.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{covered:?}");
    }

    // Appending goes on, but for an id that may be one of those that are hidden.
    session.append([99]).await?;
    let known = session.append_with(Append::at_end().commit_id("new".parse()?), [1]).await;
    assert_eq!(known.unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(session.resolve(&"new".parse()?).await.unwrap_err().kind(), ErrorKind::Corrupt);
    Ok(())
}
