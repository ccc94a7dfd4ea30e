//! Session files of an older layout beside a store of every kind.

#![cfg(feature = "fs")]
#![expect(clippy::disallowed_methods, reason = "tests write the files of the older program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sessile::prelude::*;
use sessile::{Backend, ErrorKind, From, RawMessage, Space};

type Tested = Result<(), Box<dyn Error>>;

/// A message as older versions wrote it, and as a log has it.
const OLD: &str = r#"{"role":"user","content":"Old."}"#;
const NEW: &str = r#"{"type":"message","role":"user","content":"Newer."}"#;

/// Three sessions: an older layout, that with a log begun beside it, and a log.
fn write_older(folder: &Path) -> Result<(), std::io::Error> {
    let header = |id: &str| {
        format!(r#"{{"type":"session","id":"{id}","title":"{id}","created_at":1,"updated_at":2}}"#)
    };
    fs::create_dir_all(folder.join("sessions"))?;
    fs::create_dir_all(folder.join("messages"))?;
    for id in ["two-files", "appended"] {
        fs::write(folder.join(format!("sessions/{id}.json")), header(id))?;
        fs::write(folder.join(format!("messages/{id}.jsonl")), format!("{OLD}\n{OLD}\n"))?;
    }
    fs::write(folder.join("sessions/appended.jsonl"), format!("{NEW}\n"))?;
    fs::write(folder.join("sessions/log.jsonl"), format!("{}\n{NEW}\n", header("log")))
}

fn tree(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, std::io::Error> {
    let mut files = BTreeMap::new();
    for folder in [folder.join("sessions"), folder.join("messages")] {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            files.insert(path.clone(), fs::read(path)?);
        }
    }
    Ok(files)
}

async fn listed(store: &Store) -> Result<BTreeMap<String, u64>, sessile::Error> {
    let rows = store.list(Filter::all(), Page::of(99)).await?.sessions;
    let count = rows.len();
    let listed: BTreeMap<_, _> =
        rows.into_iter().map(|row| (row.id.to_string(), row.messages)).collect();
    assert_eq!(listed.len(), count, "a session stands twice");
    Ok(listed)
}

async fn messages(store: &Store, id: &str) -> Result<Vec<String>, sessile::Error> {
    let session = store.open_session(id).await?;
    let messages = session.transcript::<RawMessage>(From::start()).await?.all().await?;
    Ok(messages.into_iter().map(|message| message.data.as_str().to_owned()).collect())
}

/// Lists, reads, writes, deletes and purges older sessions beside a store.
async fn story(backend: Arc<dyn Backend>) -> Tested {
    let folder = tempfile::tempdir()?;
    write_older(folder.path())?;
    let before = tree(folder.path())?;
    let open = async || {
        let backend = Arc::clone(&backend);
        let backend = sessile::fs::LegacyBackend::over(backend, folder.path(), Space::default());
        Ok::<_, sessile::Error>(Store::on(Arc::new(backend.await?)))
    };
    let plain = Store::on(Arc::clone(&backend));
    plain.create_as("own", NewSession::new()).await?;
    let store = open().await?;
    let counts = |appended: u64| {
        let of = [("appended", appended), ("log", 1), ("own", 0), ("two-files", 2)];
        of.map(|(id, count)| (id.to_owned(), count)).into_iter().collect::<BTreeMap<_, _>>()
    };
    assert_eq!(listed(&store).await?, counts(3));
    assert_eq!(listed(&plain).await?.len(), 1, "reading has written");
    store.open_session("appended").await?.append(["ours"]).await?;
    for store in [&store, &open().await?, &plain] {
        assert_eq!(messages(store, "appended").await?, [OLD, OLD, NEW, r#""ours""#]);
    }
    assert_eq!(listed(&open().await?).await?, counts(4));
    assert_eq!(listed(&plain).await?.len(), 2, "only what was written to is taken over");
    store.delete("two-files").await?;
    // Objects are purged a day after.
    let purged = store.purge("two-files").await;
    assert!(purged.map_or_else(|error| error.kind() == ErrorKind::Unavailable, |()| true));
    let mut left = counts(4);
    left.remove("two-files");
    assert_eq!(listed(&open().await?).await?, left);
    let gone = open().await?.open_session("two-files").await;
    assert_eq!(gone.map(drop).map_err(|error| error.kind()), Err(ErrorKind::Deleted));
    assert_eq!(tree(folder.path())?, before, "its own files were changed");
    Ok(())
}

#[tokio::test]
async fn older_sessions_stand_once_and_whole_beside_a_store_in_memory() -> Tested {
    story(Arc::new(sessile::memory::MemoryBackend::new())).await
}

#[tokio::test]
async fn older_sessions_stand_once_and_whole_beside_a_store_in_files() -> Tested {
    let folder = tempfile::tempdir()?;
    let options = sessile::fs::Options::default();
    let backend = sessile::fs::FsBackend::open(folder.path().join("store"), options).await?;
    story(Arc::new(backend)).await
}

#[cfg(feature = "object")]
#[tokio::test]
async fn older_sessions_stand_once_and_whole_beside_a_store_of_objects() -> Tested {
    use sessile::object::object_store::{ObjectStore, memory::InMemory, path::Path};
    use sessile::object::{ObjectBackend, Options};

    let client: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let (reads, writes) = (Arc::clone(&client), client);
    let backend = ObjectBackend::on(reads, writes, &Path::from("agents"), Options::default());
    story(Arc::new(backend)).await
}

#[tokio::test]
async fn a_place_names_the_older_files_beside_it_and_their_space() -> Tested {
    let folder = tempfile::tempdir()?;
    let (root, old) = (folder.path().join("store"), folder.path().join("old files"));
    write_older(&old)?;
    let place = format!("file:{}?legacy={}", root.display(), old.display());
    let store = Store::open(&*place).await?;
    assert_eq!(listed(&store).await?.len(), 3);
    let elsewhere = Store::open(format!("{place}&legacy_space=tenant-7")).await?;
    assert_eq!(listed(&elsewhere).await?.len(), 0);
    assert_eq!(listed(&elsewhere.space("tenant-7")?).await?.len(), 3);
    assert!(!root.exists());
    // What the place says stands above what the caller says.
    let other = folder.path().join("other");
    fs::create_dir(&other)?;
    let store = Store::open(&*place).legacy(&other, "default")?.await?;
    assert_eq!(listed(&store).await?.len(), 3);
    let store = Store::open("memory:").legacy(&old, "tenant-7")?.space("tenant-7")?.await?;
    assert_eq!(listed(&store).await?.len(), 3);
    let absent = Store::open("memory:").legacy(folder.path().join("absent"), "default")?.await;
    assert_eq!(absent.map(drop).map_err(|error| error.kind()), Err(ErrorKind::InvalidPlace));
    Ok(())
}
