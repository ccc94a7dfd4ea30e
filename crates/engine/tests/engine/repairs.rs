//! Torn tails, repairs, and power cuts that take back what a handle has read.

use std::sync::Arc;

use sessile_core::backend::{Backend as _, Expected};
use sessile_core::digest::Token;
use sessile_core::{
    Commit, EntryType, Error, ErrorKind, Limits, NewEntry, Payload, SessionKey, Space, UnixMillis,
};
use sessile_engine::{Append, From, NewSession, Session, Store};

use super::faults::Faulty;

async fn session() -> Result<(Arc<Faulty>, Store, Session), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new()).await?;
    session.append([1]).await?;
    Ok((faulty, store, session))
}

#[tokio::test]
async fn a_torn_tail_is_told_and_the_position_before_it_holds() -> Result<(), Error> {
    let (faulty, store, first) = session().await?;
    assert!(first.receipt().is_none());
    let before = first.position();
    faulty.tear(17);
    let session = store.open_session("a").await?;
    let receipt = session.receipt().unwrap();
    assert_eq!((receipt.entries, receipt.position), (2, before));
    assert_eq!(receipt.set_aside[0].kept_at, None);
    assert!(receipt.to_string().contains("17 bytes at offset 500 are not served"), "{receipt}");

    // The repair moves the end, and is no reason to refuse the caller.
    let done = session.append_with(Append::at(before), [2]).await?;
    assert!(done.position.number() > before.number() + 1);
    let receipt = session.receipt().unwrap();
    assert_eq!(receipt.set_aside.len(), 1);
    assert_eq!(receipt.set_aside[0].kept_at.as_deref(), Some("torn-1"));
    assert!(receipt.to_string().ends_with("kept at torn-1"), "{receipt}");

    // To those who knew the place before the repair it does not hold any more.
    let stale = first.append_with(Append::at(before), [3]).await;
    assert_eq!(stale.unwrap_err().kind(), ErrorKind::Conflict);
    // It is news to those who had the session open, and to nobody who opens it later.
    assert!(first.receipt().is_some());
    assert!(store.open_session("a").await?.receipt().is_none());
    assert_eq!(first.transcript::<u8>(From::start()).await?.all().await?, [1, 2]);
    Ok(())
}

#[tokio::test]
async fn a_repair_alone_leaves_an_expected_position_standing() -> Result<(), Error> {
    let (faulty, _, session) = session().await?;
    let before = session.position();
    faulty.tear(17);
    // Another program's append repairs, is answered that the journal has moved, and gives up.
    let key = SessionKey { space: Space::default(), id: session.id().clone() };
    let tip = faulty.head(&key).await?.tip;
    let entry = NewEntry::new(UnixMillis(1), EntryType::Event, Payload::parse("1")?);
    let id = "given-up".parse()?;
    let commit = Commit::new(id, Token::from_random([9; 16]), vec![entry], &Limits::default())?;
    let given_up = faulty.append(&key, Expected::At(tip), vec![commit]).await;
    assert_eq!(given_up.unwrap_err().kind(), ErrorKind::Conflict);

    session.append_with(Append::at(before), [2]).await?;
    assert_eq!(session.transcript::<u8>(From::start()).await?.all().await?, [1, 2]);
    Ok(())
}

#[tokio::test]
async fn what_a_power_cut_took_is_not_built_upon() -> Result<(), Error> {
    let (faulty, store, session) = session().await?;
    session.append([2]).await?;
    let seen = session.position();
    faulty.cut_power(1).await?;
    // Another commit stands now where this handle has seen one.
    let other = store.open_session("a").await?;
    other.append([3]).await?;
    assert_eq!(other.position(), seen);

    let info = session.refresh().await?;
    assert_eq!((info.position, info.messages), (seen, 2));
    session.append([4]).await?;
    assert_eq!(session.transcript::<u8>(From::start()).await?.all().await?, [1, 3, 4]);
    Ok(())
}

#[tokio::test]
async fn an_append_after_a_power_cut_finds_the_end_anew() -> Result<(), Error> {
    let (faulty, _, session) = session().await?;
    let id = Append::at_end().commit_id("c".parse()?);
    session.append_with(id.clone(), [2]).await?;
    session.append([3]).await?;
    faulty.cut_power(2).await?;
    // Without being asked to look: the tip that it names is not there.
    session.append([4]).await?;
    // And what is gone can be done again.
    assert!(!session.append_with(id, [2]).await?.replayed);
    assert_eq!(session.transcript::<u8>(From::start()).await?.all().await?, [1, 4, 2]);
    Ok(())
}

#[tokio::test]
async fn a_repair_sets_the_tail_aside_and_changes_nothing_else() -> Result<(), Error> {
    let (faulty, store, first) = session().await?;
    assert!(!first.repair().await?, "there is nothing to repair");
    let before = first.info();
    faulty.tear(17);
    let session = store.open_session("a").await?;
    assert!(session.repair().await?);
    let receipt = session.receipt().unwrap();
    assert!(receipt.set_aside[0].kept_at.is_some(), "{receipt}");
    let after = session.info();
    assert_eq!((after.updated_at, after.messages), (before.updated_at, before.messages));
    assert!(!session.repair().await?);
    assert!(store.verify("a").await?.sound);
    Ok(())
}
