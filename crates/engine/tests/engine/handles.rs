//! Handles: what they share, what dropping a future does, and closing the store.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sessile_core::{Error, ErrorKind, Outcome, Seq};
use sessile_engine::{
    Append, Committed, Cursor, Entries, Filter, From, Info, Listing, NewSession, Options, Page,
    Popped, RawMessage, Receipt, Session, Status, Store, Summary, Transcript, Vacuumed,
    Verification, View, Window,
};
use sessile_interchange::{Format, parse};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

#[test]
fn handles_and_answers_go_anywhere() {
    fn everywhere<T: Clone + Send + Sync + 'static>() {}
    fn once<T: Send + 'static>() {}
    everywhere::<Store>();
    everywhere::<Session>();
    everywhere::<Options>();
    everywhere::<Append>();
    everywhere::<Committed>();
    everywhere::<Info>();
    everywhere::<Receipt>();
    everywhere::<Filter>();
    everywhere::<Page>();
    everywhere::<Cursor>();
    everywhere::<Listing>();
    everywhere::<Summary>();
    everywhere::<Verification>();
    everywhere::<RawMessage>();
    everywhere::<Popped>();
    everywhere::<View>();
    everywhere::<Window>();
    everywhere::<Status>();
    everywhere::<Vacuumed>();
    once::<NewSession>();
    once::<Entries>();
    once::<Transcript<RawMessage>>();
    // Also of what can't go anywhere itself.
    once::<Transcript<std::rc::Rc<u8>>>();
}

#[test]
fn futures_may_be_spawned() {
    fn sent<T: Send>(_: &T) {}
    fn sends<F: Send>(_: impl FnOnce(Session) -> F) {}
    let store = Store::on(Arc::new(MemoryBackend::new()));
    sent(&store.create(NewSession::new()));
    sent(&store.create_as("a", NewSession::new()));
    sent(&store.open_session("a"));
    sent(&store.open_or_create(String::from("a"), NewSession::new()));
    sent(&store.list(Filter::all(), Page::of(1)));
    sent(&store.verify("a"));
    sent(&store.delete("a"));
    sent(&store.undelete("a"));
    sent(&store.purge("a"));
    sent(&store.vacuum("a"));
    let source = parse(Format::Jsonl, Bytes::new()).unwrap();
    sent(&store.import(&source));
    sent(&store.import_as("a", &source));
    sent(&store.spaces(None, 1));
    sent(&store.close());
    let session = |session: Session| async move {
        let id = "c".parse()?;
        session.append([1]).await?;
        session.append_with(Append::at_end(), [1]).await?;
        session.append_behind([1]).await?;
        session.append_events([1]).await?;
        session.append_events_with(Append::at_end(), [1]).await?;
        session.set_meta([("a", 1)]).await?;
        session.set_title("t").await?;
        session.touch().await?;
        session.resolve(&id).await?;
        session.refresh().await?;
        session.transcript::<RawMessage>(From::start()).await?.all().await?;
        session.entries(From::start()).await?.all().await?;
        session.events(From::start()).await?.all().await?;
        session.view(Window::last(1)).await?;
        session.rewind(Seq::FIRST).await?;
        session.pop(1).await?;
        session.compact(From::last(1), [1]).await?;
        session.redact([Seq::FIRST], None).await?;
        session.forget(Seq::FIRST).await?;
        session.fork(None).await?;
        session.undelete().await?;
        session.purge().await?;
        session.close().await?;
        session.delete().await
    };
    sends(session);
}

#[tokio::test]
async fn outside_a_runtime_a_call_is_refused() {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let refused = std::thread::spawn(move || {
        futures_util::FutureExt::now_or_never(store.create(NewSession::new()))
    });
    let error = refused.join().unwrap().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[tokio::test]
async fn a_handle_knows_nothing_of_another_store_until_it_looks() -> Result<(), Error> {
    let backend = Arc::new(MemoryBackend::new());
    let store = Store::on(Arc::<MemoryBackend>::clone(&backend));
    let session = store.create_as("a", NewSession::new()).await?;
    let other = Store::on(backend).open_session("a").await?;
    other.append([1]).await?;
    assert_eq!(session.info().messages, 0);
    assert_eq!(session.refresh().await?.messages, 1);
    Ok(())
}

#[tokio::test]
async fn handles_share_what_they_know() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new()).await?;
    let clone = session.clone();
    clone.append([1]).await?;
    assert_eq!(session.info().messages, 1);
    // So do the handles of a store, as long as the session is in memory and after that.
    store.open_session("a").await?.append([2]).await?;
    assert_eq!(session.info().messages, 2);
    store.evict_all();
    store.open_session("a").await?.append([3]).await?;
    assert_eq!(session.info().messages, 3);
    Ok(())
}

#[tokio::test]
async fn a_dropped_future_is_carried_through_and_waited_for() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    faulty.script([Fault::Held]);
    tokio::select! {
        _ = session.append([1]) => panic!("it is held"),
        () = faulty.is_holding() => {}
    }
    // The append goes on by itself; the next one of the handle waits for it.
    let next = tokio::spawn({
        let session = session.clone();
        async move { session.append([2]).await }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!next.is_finished());
    faulty.let_go();
    next.await.unwrap()?;
    let read: Vec<u8> = session.transcript(From::start()).await?.all().await?;
    assert_eq!(read, [1, 2]);
    Ok(())
}

#[tokio::test]
async fn a_future_that_is_dropped_before_its_turn_does_nothing() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    faulty.script([Fault::Held]);
    let first = tokio::spawn({
        let session = session.clone();
        async move { session.append([1]).await }
    });
    faulty.is_holding().await;
    let waiting = tokio::time::timeout(Duration::from_millis(20), session.append([2]));
    assert!(waiting.await.is_err());
    faulty.let_go();
    first.await.unwrap()?;
    session.append([3]).await?;
    let read: Vec<u8> = session.transcript(From::start()).await?.all().await?;
    assert_eq!(read, [1, 3]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_does_not_come_is_a_deadline() -> Result<(), Error> {
    let faulty = Faulty::new();
    let options = Options::default().deadline(Duration::from_secs(1));
    let store = faulty.store_with(options);
    let patient = faulty.store().create_as("a", NewSession::new()).await?;
    let session = store.open_session("a").await?;
    faulty.script([Fault::Held]);
    let first = tokio::spawn({
        let patient = patient.clone();
        async move { patient.append([1]).await }
    });
    faulty.is_holding().await;
    let waiting = patient.append([2]);
    let error = tokio::time::timeout(Duration::from_secs(40), waiting).await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Deadline, Outcome::NotApplied));
    // The one that held the turn gave up as well, and does not know.
    assert_eq!(first.await.unwrap().unwrap_err().outcome(), Outcome::Unknown);
    session.append([3]).await?;
    Ok(())
}

#[tokio::test]
async fn closing_the_store_waits_for_mutations_and_refuses_the_next() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    faulty.script([Fault::Held]);
    tokio::select! {
        _ = session.append([1]) => panic!("it is held"),
        () = faulty.is_holding() => {}
    }
    let closing = tokio::spawn({
        let store = store.clone();
        async move { store.close().await }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!closing.is_finished());
    faulty.let_go();
    closing.await.unwrap()?;
    let refused = [
        session.append([2]).await.unwrap_err(),
        store.space("other")?.create(NewSession::new()).await.unwrap_err(),
    ];
    for error in refused {
        assert_eq!((error.kind(), error.may_retry()), (ErrorKind::Unavailable, false));
        assert_eq!(error.outcome(), Outcome::NotApplied);
    }
    store.close().await?;
    let anew = faulty.store().open_session("a").await?;
    assert_eq!(anew.info().messages, 1);
    Ok(())
}

#[tokio::test]
async fn debug_tells_no_content() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let new = NewSession::new()
        .title("secret")
        .identity(&"secret")
        .host("k", &"secret")
        .meta("secret", &"secret");
    let mut told = vec![format!("{new:?}")];
    let session = store.create_as("a", new).await?;
    session.append(["secret"]).await?;
    let messages = session.transcript::<RawMessage>(From::start()).await?;
    told.push(format!("{session:?} {:?} {messages:?} {store:?}", session.info()));
    told.push(format!("{:?}", messages.all().await?));
    told.push(format!("{:?}", session.entries(From::start()).await?.all().await?));
    session.compact(From::last(1), ["secret"]).await.unwrap_err();
    session.append(["secret"]).await?;
    session.compact(From::last(1), ["secret"]).await?;
    told.push(format!("{:?}", session.view(Window::last(1).batch(1)).await?));
    told.push(format!("{:?}", session.pop(1).await?));
    told.push(format!("{:?} {:?}", session.info().header, session.info().meta));
    told.push(format!("{:?}", store.list(Filter::all(), Page::of(1)).await?));
    let id = Append::at_end().commit_id("c".parse()?);
    session.append_with(id.clone(), ["secret"]).await?;
    let refused = session.append_with(id, ["other secret"]).await.unwrap_err();
    told.push(format!("{refused:?} {refused}"));
    let unread = session.transcript::<u64>(From::start()).await?.all().await.unwrap_err();
    told.push(format!("{unread:?} {unread}"));
    let told = told.concat();
    assert!(!told.contains("secret"), "{told}");
    Ok(())
}
