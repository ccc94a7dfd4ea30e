//! Copying between a place in memory and folders, both ways.
#![cfg(feature = "fs")]

use std::fs::OpenOptions;
use std::io::{Seek as _, SeekFrom, Write as _};

use sessile::interchange::Format;
use sessile::prelude::*;
use sessile::{EntryType, ErrorKind, From};
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn open(folder: &TempDir) -> Result<Store, sessile::Error> {
    Store::open(format!("file://{}", folder.path().display())).await
}

/// Every entry but the header, as it stands.
async fn entries(store: &Store) -> Result<Vec<sessile::Entry>, sessile::Error> {
    let session = store.open_session("a").await?;
    let mut entries = session.entries(From::start()).await?.all().await?;
    entries.retain(|entry| entry.entry_type != EntryType::Session);
    Ok(entries)
}

#[tokio::test]
async fn a_session_goes_from_memory_to_a_folder_and_on_and_back() -> Outcome {
    let (one, two) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let memory = Store::open("memory:").await?;
    let session = memory.create_as("a", NewSession::new().title("t")).await?;
    for number in 0..50 {
        session.append([number]).await?;
    }
    let (one, two) = (open(&one).await?, open(&two).await?);
    let back = Store::open("memory:").await?;
    let stores = [&memory, &one, &two, &back];
    for pair in stores.windows(2) {
        let copied = pair[0].copy("a", pair[1]).await?;
        assert_eq!((copied.added, copied.position), (51, session.position()));
        assert_eq!(pair[0].copy("a", pair[1]).await?.added, 0);
        assert!(pair[1].verify("a").await?.sound);
    }
    for store in stores {
        assert_eq!(entries(store).await?, entries(&memory).await?);
        let file = store.export("a", Format::Jsonl).await?.all().await?;
        let lines: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        assert_eq!(String::from_utf8(file)?, lines.join("\n") + "\n");
    }
    // What grows is copied on.
    session.append([50]).await?;
    assert_eq!(memory.copy("a", &one).await?.added, 1);
    assert_eq!(one.move_to("a", &two).await?.added, 1);
    assert_eq!(one.open_session("a").await.unwrap_err().kind(), ErrorKind::Deleted);
    assert_eq!(entries(&two).await?, entries(&memory).await?);
    Ok(())
}

#[tokio::test]
async fn a_torn_source_is_copied_without_its_tail_and_stays_as_it_is() -> Outcome {
    let folder = tempfile::tempdir()?;
    let store = open(&folder).await?;
    store.create_as("a", NewSession::new()).await?.append([1, 2]).await?;
    store.close().await?;
    let journal = folder.path().join("spaces/default/sessions/a.jsonl");
    let torn = br#"{"seq":3,"at":1,"type":"message","data":"half"#;
    OpenOptions::new().append(true).open(&journal)?.write_all(torn)?;
    let before = std::fs::read(&journal)?;

    let (store, target) = (open(&folder).await?, Store::open("memory:").await?);
    assert_eq!(store.copy("a", &target).await?.position.number(), 3);
    assert_eq!(std::fs::read(&journal)?, before, "the source is only read");
    assert!(target.verify("a").await?.sound);

    // As a target it is whole, until it must grow: the repair takes the numbers that it lacks.
    assert_eq!(target.copy("a", &store).await?.added, 0);
    target.open_session("a").await?.append([3]).await?;
    let error = target.copy("a", &store).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    Ok(())
}

#[tokio::test]
async fn a_hole_in_the_source_leaves_the_target_without_it() -> Outcome {
    let folder = tempfile::tempdir()?;
    let store = open(&folder).await?;
    let session = store.create_as("a", NewSession::new()).await?;
    for number in 0..5 {
        session.append([number]).await?;
    }
    store.close().await?;
    let journal = folder.path().join("spaces/default/sessions/a.jsonl");
    let bytes = std::fs::read(&journal)?;
    let third = bytes.windows(8).position(|it| it == b"\"seq\":3,").ok_or("it is there")?;
    let mut file = OpenOptions::new().write(true).open(&journal)?;
    file.seek(SeekFrom::Start(u64::try_from(third)?))?;
    file.write_all(&[0; 20])?;

    let (store, target) = (open(&folder).await?, Store::open("memory:").await?);
    let error = store.copy("a", &target).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("entry 3"), "{error}");
    assert_eq!(target.open_session("a").await.unwrap_err().kind(), ErrorKind::Missing);
    Ok(())
}
