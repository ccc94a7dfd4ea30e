//! A store in a fresh folder, and the commits that the tests append to it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt as _;
use sessile_core::backend::{Appended, Backend as _, Expected, Span};
use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::{Digest, Salt, Token};
use sessile_core::entry::shape::{Dialect, Header};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::Error;
use sessile_core::id::{SessionKey, Space};
use sessile_core::limits::Limits;
use sessile_core::payload::Payload;
use sessile_core::time::UnixMillis;
use sessile_fs::{FsBackend, Options};

/// A store in a folder of its own, which goes with it.
pub(crate) struct Scene {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) key: SessionKey,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, key: key("ses_1") }
    }

    /// Where the store lies within the scene's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Another handle on the store.
    pub(crate) async fn backend(&self) -> FsBackend {
        FsBackend::open(self.root(), Options::default()).await.unwrap()
    }

    /// The journal's file.
    pub(crate) fn journal(&self) -> PathBuf {
        self.root().join("spaces/default/sessions/ses_1.jsonl")
    }

    /// A session whose commits have so many messages each.
    pub(crate) async fn with_commits(sizes: &[usize]) -> Self {
        let scene = Self::new();
        let backend = scene.backend().await;
        let mut tip = create(&backend, &scene.key).await;
        for (number, size) in sizes.iter().enumerate() {
            tip = append(&backend, &scene.key, tip, messages(number, *size)).await.tip;
        }
        scene
    }
}

pub(crate) fn key(id: &str) -> SessionKey {
    SessionKey { space: Space::default(), id: id.parse().unwrap() }
}

/// A token that no other call and no other process makes.
fn token() -> Token {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Token::from_digest(Digest::of(format!("{} {number}", std::process::id()).as_bytes()))
}

pub(crate) fn header(key: &SessionKey) -> Commit {
    let header = Header {
        format: Header::FORMAT,
        id: key.id.clone(),
        space: key.space.clone(),
        created_at: UnixMillis(1),
        crc: Header::CRC.to_owned(),
        salt: Salt::from_random([1, 2, 3, 4]),
        file: token(),
        dialect: Dialect::Plain,
        project: None,
        project_identity: None,
        owner: None,
        parent_id: None,
        forked_from: None,
        copied_to: None,
        identity: None,
        host: std::collections::BTreeMap::default(),
    };
    commit("header", vec![entry(EntryType::Session, &header)])
}

pub(crate) fn entry(entry_type: EntryType, data: &impl serde::Serialize) -> NewEntry {
    NewEntry::new(UnixMillis(7), entry_type, Payload::of(data).unwrap())
}

pub(crate) fn commit(id: &str, entries: Vec<NewEntry>) -> Commit {
    Commit::new(id.parse().unwrap(), token(), entries, &Limits::default()).unwrap()
}

/// A commit of so many messages, with letters of several bytes in them.
pub(crate) fn messages(number: usize, count: usize) -> Commit {
    let message = |at| entry(EntryType::Message, &format!("é語\u{1F600} {number}.{at} \"crc\":"));
    commit(&format!("c{number}"), (0..count).map(message).collect())
}

pub(crate) async fn create(backend: &FsBackend, key: &SessionKey) -> Tip {
    append(backend, key, Tip::ABSENT, header(key)).await.tip
}

pub(crate) async fn append(
    backend: &FsBackend,
    key: &SessionKey,
    tip: Tip,
    commit: Commit,
) -> Appended {
    backend.append(key, Expected::At(tip), vec![commit]).await.unwrap()[0]
}

/// Every commit and every damage, in order.
pub(crate) async fn read(
    backend: &FsBackend,
    key: &SessionKey,
) -> Vec<Result<StoredCommit, Error>> {
    backend.read(key, Span::ALL).await.unwrap().collect().await
}

/// The ids of the commits that are served; fails on damage.
pub(crate) async fn ids(backend: &FsBackend, key: &SessionKey) -> Vec<String> {
    read(backend, key).await.into_iter().map(|commit| commit.unwrap().id.to_string()).collect()
}

/// Every file below the scene's folder, with its bytes.
pub(crate) fn footprint(scene: &Scene) -> Vec<(PathBuf, Arc<[u8]>)> {
    let mut folders = vec![scene.folder.path().to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files.push((path.clone(), Arc::default()));
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap().into();
                files.push((path, bytes));
            }
        }
    }
    files.sort();
    files
}
