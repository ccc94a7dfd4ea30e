//! Verifying.

use std::sync::Arc;

use sessile_core::backend::Backend as _;
use sessile_core::{Error, ErrorKind, Seq, SessionKey, Space};
use sessile_engine::{NewSession, Store};

use super::faults::Faulty;

async fn store() -> Result<(Arc<Faulty>, Store), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    session.append([1, 2]).await?;
    session.append_events([3]).await?;
    Ok((faulty, store))
}

#[tokio::test]
async fn a_sound_session_is_counted() -> Result<(), Error> {
    let (_, store) = store().await?;
    let found = store.verify("a").await?;
    assert!(found.sound && found.damage.is_empty() && found.set_aside.is_empty());
    assert_eq!((found.entries, found.commits, found.position.number()), (5, 3, 5));
    assert_eq!(store.verify("b").await.unwrap_err().kind(), ErrorKind::Missing);
    Ok(())
}

#[tokio::test]
async fn damage_and_torn_tails_are_unsound_and_named() -> Result<(), Error> {
    let (faulty, store) = store().await?;
    faulty.damage(2, 4);
    let found = store.verify("a").await?;
    assert!(!found.sound);
    assert_eq!((found.entries, found.commits), (3, 2));
    assert_eq!(found.damage.len(), 1);
    assert_eq!((found.damage[0].seq.number(), found.damage[0].offset), (2, Some(77)));
    faulty.damage(50, 51);
    assert!(store.verify("a").await?.sound);
    faulty.tear(9);
    let found = store.verify("a").await?;
    assert!(!found.sound && found.damage.is_empty());
    assert_eq!((found.set_aside.len(), found.set_aside[0].bytes), (1, 9));
    Ok(())
}

#[tokio::test]
async fn a_header_that_can_not_be_read_is_damage() -> Result<(), Error> {
    let (faulty, store) = store().await?;
    faulty.damage(0, 2);
    let found = store.verify("a").await?;
    assert!(!found.sound);
    assert_eq!(found.damage[0].seq, Seq::FIRST);
    assert_eq!(store.open_session("a").await.unwrap_err().kind(), ErrorKind::Corrupt);
    Ok(())
}

#[tokio::test]
async fn content_that_is_not_what_was_written_is_damage() -> Result<(), Error> {
    let (faulty, store) = store().await?;
    let key = SessionKey { space: Space::default(), id: "a".parse()? };
    let memory = faulty.memory();
    let tip = memory.head(&key).await?.tip;
    // Masked, but no entry says that it was.
    memory.mask(&key, tip, vec![Seq::new(3).unwrap()]).await?;
    let found = store.verify("a").await?;
    assert!(!found.sound);
    assert_eq!(found.damage[0].seq.number(), 2);
    assert_eq!(found.damage[0].offset, None);
    Ok(())
}
