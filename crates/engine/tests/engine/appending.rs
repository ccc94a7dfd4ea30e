//! Appending: what is kept, what is refused, and how positions and commit ids are compared.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use serde_json::json;
use sessile_core::{Error, ErrorKind, Limits, Outcome, Payload, Position};
use sessile_engine::{
    Append, Entropy, From, NewSession, Options, RawMessage, Session, Store, SystemEntropy,
};
use sessile_memory::MemoryBackend;
use tokio::task::JoinSet;

use super::faults::Faulty;

async fn session() -> Result<(Store, Session), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new()).await?;
    Ok((store, session))
}

async fn texts(session: &Session) -> Result<Vec<String>, Error> {
    let messages = session.transcript::<RawMessage>(From::start()).await?.all().await?;
    Ok(messages.iter().map(|message| message.data.as_str().to_owned()).collect())
}

fn kind<T>(result: Result<T, Error>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[tokio::test]
async fn messages_come_back_byte_for_byte() -> Result<(), Error> {
    let (_, session) = session().await?;
    let odd = r#"{"b":1.50,"a":"\ud83d \u0000","b":18446744073709551616}"#;
    let payload = Payload::parse(odd)?;
    session.append([&payload]).await?;
    session.append([json!("x")]).await?;
    assert_eq!(texts(&session).await?, [odd, "\"x\""]);
    Ok(())
}

#[tokio::test]
async fn an_append_answers_where_the_next_one_goes() -> Result<(), Error> {
    let (_, session) = session().await?;
    let done = session.append([1, 2, 3]).await?;
    assert_eq!((done.first.number(), done.position.number()), (1, 4));
    assert!(!done.replayed);
    let done = session.append_with(Append::at(done.position), [4]).await?;
    assert_eq!((done.first.number(), done.position.number()), (4, 5));
    assert_eq!(session.position(), done.position);
    let done = session.append_events([json!({"kind": "started"})]).await?;
    let info = session.info();
    assert_eq!((info.messages, info.events, info.position), (4, 1, done.position));
    Ok(())
}

#[tokio::test]
async fn an_empty_batch_is_refused_before_anything_else() -> Result<(), Error> {
    let (_, session) = session().await?;
    session.delete().await?;
    let far = Append::at(Position::new(99).unwrap()).commit_id("c".parse()?);
    assert_eq!(kind(session.append_with::<u8>(far, []).await), Some(ErrorKind::Refused));
    assert_eq!(kind(session.append_events::<u8>([]).await), Some(ErrorKind::Refused));
    Ok(())
}

#[tokio::test]
async fn limits_are_named_and_nothing_is_sent() -> Result<(), Error> {
    let backend = Faulty::new();
    let mut limits = Limits::default();
    (limits.entry_bytes, limits.commit_bytes, limits.nesting) = (400, 500, 4);
    let options = Options::default().limits(limits);
    let store = backend.store_with(options);
    let session = store.create_as("a", NewSession::new()).await?;
    let sent = backend.appends();
    let text = |bytes: usize| "x".repeat(bytes - 2);
    for (batch, limit) in [
        (vec![json!(text(401))], "entry_bytes"),
        (vec![json!(text(300)), json!(text(201))], "commit_bytes"),
        (vec![json!([[[[[]]]]])], "nesting"),
    ] {
        let error = session.append(batch).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.clause().contains(limit), "{error}");
    }
    assert_eq!(backend.appends(), sent);
    session.append([json!(text(400))]).await?;
    Ok(())
}

#[tokio::test]
async fn a_position_that_does_not_hold_is_a_conflict_with_the_actual_one() -> Result<(), Error> {
    let (store, session) = session().await?;
    let other = store.open_session("a").await?;
    let expected = session.position();
    other.append(["other"]).await?;
    for wrong in [expected, Position::START, Position::new(9).unwrap()] {
        let error = session.append_with(Append::at(wrong), ["mine"]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert_eq!(error.actual_position().map(Position::number), Some(2));
        assert_eq!(error.outcome(), Outcome::NotApplied);
    }
    // A position that this handle has not seen yet holds all the same.
    let third = store.open_session("a").await?;
    let done = other.append(["more"]).await?;
    third.append_with(Append::at(done.position), ["mine"]).await?;
    assert_eq!(texts(&session).await?, ["\"other\"", "\"more\"", "\"mine\""]);
    Ok(())
}

#[tokio::test]
async fn a_commit_id_is_answered_with_the_first_result() -> Result<(), Error> {
    let (store, session) = session().await?;
    let append = Append::at(session.position()).commit_id("turn-1".parse()?);
    let first = session.append_with(append.clone(), [1, 2]).await?;
    session.append([3]).await?;
    // Also from another handle, at a position that does not hold any more, and when closed.
    let other = store.open_session("a").await?;
    for handle in [&session, &other] {
        let again = handle.append_with(append.clone(), [1, 2]).await?;
        assert!(again.replayed && !first.replayed);
        assert_eq!(again.position, first.position);
        assert_eq!((again.first, &again.commit_id), (first.first, &first.commit_id));
        handle.close().await?;
    }
    assert_eq!(kind(session.append_with(append.clone(), [1]).await), Some(ErrorKind::Conflict));
    // The same bytes as another type of entry are other content.
    let as_events = session.append_events_with(append.clone(), [1, 2]).await;
    assert_eq!(kind(as_events), Some(ErrorKind::Conflict));
    session.delete().await?;
    assert_eq!(kind(session.append_with(append, [1, 2]).await), Some(ErrorKind::Deleted));
    Ok(())
}

#[tokio::test]
async fn a_commit_that_another_handle_made_is_recognised() -> Result<(), Error> {
    let (store, session) = session().await?;
    let other = store.open_session("a").await?;
    let append = Append::at_end().commit_id("c".parse()?);
    let first = other.append_with(append.clone(), ["x"]).await?;
    let again = session.append_with(append.clone(), ["x"]).await?;
    assert!(again.replayed);
    assert_eq!(again.position, first.position);
    let error = session.append_with(append, ["y"]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.clause().contains("commit id c "), "{error}");
    assert_eq!(texts(&session).await?, ["\"x\""]);
    Ok(())
}

#[tokio::test]
async fn handles_that_append_at_once_all_get_in() -> Result<(), Error> {
    let (store, _) = session().await?;
    let mut writers = JoinSet::new();
    for writer in 0..8 {
        let store = store.clone();
        writers.spawn(async move {
            let session = store.open_session("a").await?;
            for number in 0..25 {
                session.append([(writer, number)]).await?;
            }
            Ok::<_, Error>(())
        });
    }
    writers.join_all().await.into_iter().collect::<Result<(), Error>>()?;
    let session = store.open_session("a").await?;
    let read: Vec<(u8, u8)> = session.transcript(From::start()).await?.all().await?;
    assert_eq!(read.len(), 200);
    for writer in 0..8 {
        let own = read.iter().filter(|(by, _)| *by == writer).map(|(_, number)| *number);
        assert!(own.eq(0..25), "each writer's order is kept");
    }
    Ok(())
}

/// Lets others act between two moments of a mutation that can't be told apart from outside: it
/// acts when randomness is drawn for the so-manieth time.
#[derive(Debug, Default)]
struct Ambush {
    draws_left: AtomicUsize,
    handles: OnceLock<(Session, Session)>,
}

impl Entropy for Ambush {
    fn draw(&self) -> [u8; 16] {
        let left = self.draws_left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        if left == Ok(1)
            && let Some((session, other)) = self.handles.get().cloned()
        {
            let act = async move {
                other.append_events(["other"]).await?;
                session.refresh().await
            };
            let thread = std::thread::spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.map(|runtime| runtime.block_on(act))
            });
            drop(thread.join());
        }
        SystemEntropy.draw()
    }
}

#[tokio::test]
async fn a_position_is_exact_also_where_the_handle_is_read_meanwhile() -> Result<(), Error> {
    for draws in 1..6 {
        let ambush = Arc::new(Ambush::default());
        let entropy: Arc<Ambush> = Arc::clone(&ambush);
        let backend = MemoryBackend::new();
        let options = Options::default().entropy(entropy);
        let store = Store::with(Arc::new(backend.clone()), options);
        let session = store.create_as("a", NewSession::new()).await?;
        let other = Store::on(Arc::new(backend)).open_session("a").await?;
        drop(ambush.handles.set((session.clone(), other)));
        ambush.draws_left.store(draws, Relaxed);
        let at = session.position();
        match session.append_with(Append::at(at), ["mine"]).await {
            Ok(done) => assert_eq!(done.first.number(), at.number(), "{draws}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{draws}"),
        }
    }
    Ok(())
}

#[tokio::test]
async fn of_those_who_expect_one_position_one_wins() -> Result<(), Error> {
    let (store, session) = session().await?;
    for round in 0..50 {
        let at = session.refresh().await?.position;
        let mut racing = JoinSet::new();
        for _ in 0..4 {
            let store = store.clone();
            racing.spawn(async move {
                let session = store.open_session("a").await?;
                session.append_with(Append::at(at), [round]).await
            });
        }
        let (won, lost): (Vec<_>, Vec<_>) =
            racing.join_all().await.into_iter().partition(Result::is_ok);
        assert!(lost.into_iter().all(|result| kind(result) == Some(ErrorKind::Conflict)));
        assert_eq!(won.len(), 1);
    }
    assert_eq!(session.refresh().await?.messages, 50);
    Ok(())
}

#[tokio::test]
async fn metadata_is_merged_key_by_key() -> Result<(), Error> {
    let (store, session) = session().await?;
    session.set_meta([("a", json!(1.0)), ("b", json!({"x": [1]}))]).await?;
    session.set_meta([("b", json!(null)), ("tags", json!(["t"]))]).await?;
    session.set_title("Two").await?;
    let before = session.info().updated_at;
    let touched = session.touch().await?;
    let info = store.open_session("a").await?.info();
    let meta: Vec<(&str, &str)> =
        info.meta.iter().map(|(key, value)| (key, value.as_str())).collect();
    assert_eq!(meta, [("a", "1.0"), ("tags", "[\"t\"]"), ("title", "\"Two\"")]);
    assert_eq!(info.position, touched.position);
    assert!(info.updated_at >= before);
    let at = Append::at(info.position);
    session.set_meta_with(at.clone(), [("title", "Three")]).await?;
    let stale = session.set_meta_with(at, [("title", "Four")]).await;
    assert_eq!(kind(stale), Some(ErrorKind::Conflict));
    Ok(())
}
