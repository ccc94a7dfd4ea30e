//! Journals that another program has written to, or that were put under another name.

use std::sync::Arc;

use sessile_core::backend::{Backend as _, Expected};
use sessile_core::digest::Token;
use sessile_core::{
    Commit, EntryType, Error, ErrorKind, Limits, NewEntry, Payload, SessionKey, Space, UnixMillis,
};
use sessile_engine::{From, NewSession, Session, Store};
use sessile_memory::MemoryBackend;

/// A session to which a program of another version has appended an entry.
async fn with_entry(entry_type: &str, must: bool) -> Result<Session, Error> {
    let backend = MemoryBackend::new();
    let store = Store::on(Arc::new(backend.clone()));
    let session = store.create_as("a", NewSession::new()).await?;
    session.append([1]).await?;
    let key = SessionKey { space: Space::default(), id: session.id().clone() };
    let tip = backend.head(&key).await?.tip;
    let entry_type = EntryType::from_name(entry_type);
    let mut entry = NewEntry::new(UnixMillis(1), entry_type, Payload::parse("{}")?);
    entry.must = must;
    let token = Token::from_random([9; 16]);
    let commit = Commit::new("other".parse()?, token, vec![entry], &Limits::default())?;
    backend.append(&key, Expected::At(tip), vec![commit]).await?;
    Ok(session)
}

#[tokio::test]
async fn entries_of_unknown_types_are_carried() -> Result<(), Error> {
    let session = with_entry("somebody.elses", false).await?;
    session.append([2]).await?;
    let entries = session.entries(From::start()).await?.all().await?;
    assert!(entries.iter().any(|entry| entry.entry_type.as_str() == "somebody.elses"));
    assert_eq!(session.transcript::<u8>(From::start()).await?.all().await?, [1, 2]);
    Ok(())
}

#[tokio::test]
async fn what_must_be_understood_is_read_past_but_not_built_upon() -> Result<(), Error> {
    for (entry_type, must) in [("somebody.elses", true), ("claim", false)] {
        let session = with_entry(entry_type, must).await?;
        assert_eq!(session.transcript::<u8>(From::start()).await?.all().await?, [1]);
        for refused in [
            session.append([2]).await.map(drop),
            session.set_title("t").await.map(drop),
            session.close().await,
            session.resolve(&"c".parse()?).await.map(drop),
        ] {
            let error = refused.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.clause().contains(entry_type), "{error}");
        }
        assert_eq!(session.refresh().await?.position.number(), 3, "nothing was written");
    }
    Ok(())
}
