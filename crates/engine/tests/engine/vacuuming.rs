//! Vacuuming, and the figures of a store.

use std::sync::Arc;

use sessile_core::backend::Capability;
use sessile_core::{Error, ErrorKind};
use sessile_engine::{Append, From, NewSession, Store};
use sessile_memory::MemoryBackend;

use super::faults::{Fault, Faulty};

#[tokio::test]
async fn a_vacuum_changes_nothing_that_a_reader_is_told() -> Result<(), Error> {
    let store = Store::on(Arc::new(MemoryBackend::new()));
    let session = store.create_as("a", NewSession::new().title("t")).await?;
    for number in 0..3_000_u64 {
        let id = Append::at_end().commit_id(format!("c{number}").parse()?);
        session.append_with(id, [number]).await?;
    }
    let before = session.info();
    let done = store.vacuum("a").await?;
    assert!(done.dropped > 0 && done.bytes_after < done.bytes_before, "{done:?}");
    assert_eq!(store.vacuum("a").await?.dropped, 0);
    for handle in [&session, &store.open_session("a").await?] {
        let info = handle.refresh().await?;
        assert_eq!((info.position, info.entries), (before.position, before.entries));
        assert_eq!((info.messages, info.payload_bytes), (before.messages, before.payload_bytes));
        let read: Vec<u64> = handle.transcript(From::start()).await?.all().await?;
        assert!(read.into_iter().eq(0..3_000));
        for number in [0, 1, 1_499, 2_999] {
            let id = Append::at_end().commit_id(format!("c{number}").parse()?);
            assert!(handle.append_with(id, [number]).await?.replayed, "{number}");
        }
    }
    assert!(store.verify("a").await?.sound);
    session.append([3_000]).await?;
    session.delete().await?;
    assert_eq!(store.vacuum("a").await.unwrap_err().kind(), ErrorKind::Deleted);
    assert_eq!(store.vacuum("b").await.unwrap_err().kind(), ErrorKind::Missing);
    Ok(())
}

#[tokio::test]
async fn a_status_counts_what_is_open_and_under_way() -> Result<(), Error> {
    let faulty = Faulty::new();
    let store = faulty.store();
    assert_eq!((store.status().sessions, store.status().mutations), (0, 0));
    let session = store.create_as("a", NewSession::new()).await?;
    let clone = session.clone();
    let other = store.open_session("a").await?;
    let status = store.space("elsewhere")?.status();
    assert_eq!((status.sessions, status.mutations, status.closed), (2, 0, false));
    assert_eq!(status.space.as_str(), "elsewhere");
    assert!(status.capabilities.has(Capability::Purge));
    faulty.script([Fault::Held]);
    let held = tokio::spawn(async move { clone.append([1]).await });
    faulty.is_holding().await;
    assert_eq!(store.status().mutations, 1);
    faulty.let_go();
    held.await.unwrap()?;
    drop((session, other));
    store.close().await?;
    let status = store.status();
    assert_eq!((status.sessions, status.mutations, status.closed), (0, 0, true));
    Ok(())
}
