//! What each process does, one thing after the other, until it is told to end or is killed.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use sessile_core::backend::{
    Backend as _, Collection, DocKey, Expected, NewDocument, Precondition, Scope,
};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::EntryType;
use sessile_core::error::ErrorKind;
use sessile_core::id::Space;
use sessile_core::revision::Revision;
use sessile_fs::{FsBackend, Options};

use crate::scene;

/// The sessions that all append to.
pub(super) const SHARED: [&str; 3] = ["shared-0", "shared-1", "shared-2"];

/// The document of each worker.
pub(super) const DOCUMENTS: [&str; 4] = ["d0", "d1", "d2", "d3"];

/// Where all note what they ask and are told.
pub(super) fn notes(root: &Path) -> PathBuf {
    root.with_file_name("notes")
}

/// What is there when all are to end.
pub(super) fn end(root: &Path) -> PathBuf {
    root.with_file_name("end")
}

pub(super) fn document(name: &str) -> DocKey {
    let collection = Collection { space: Space::default(), name: "c".parse().unwrap() };
    DocKey { collection, name: name.parse().unwrap() }
}

/// A process at work.
struct Worker {
    root: PathBuf,
    name: String,
    backend: FsBackend,
}

/// Works as the parent says by the environment.
pub(super) async fn go_on() {
    let root = PathBuf::from(std::env::var_os("SESSILE_TEST_ROOT").unwrap());
    let name = std::env::var("SESSILE_TEST_NAME").unwrap();
    let backend = FsBackend::open(&root, Options::default()).await.unwrap();
    let worker = Worker { root, name, backend };
    let mut number = 0;
    while !end(&worker.root).exists() {
        worker.work(number).await;
        number += 1;
    }
    worker.backend.close().await.unwrap();
}

impl Worker {
    /// Notes something in one write: its order never contradicts time, and no line is half there
    /// but for the last of a process that was killed.
    fn note(&self, line: &str) {
        let notes = OpenOptions::new().create(true).append(true).open(notes(&self.root));
        notes.unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    async fn work(&self, number: usize) {
        let id = format!("{}-{number}", self.name);
        match number % 6 {
            0..=2 => self.append(SHARED[number % 3], &id).await,
            3 => self.put(&id).await,
            4 => self.make(&id).await,
            _ => self.remove(&format!("{}-{}", self.name, number - 1)).await,
        }
        if number.is_multiple_of(9) {
            let space = Space::default();
            self.backend.recent(&space, &Scope::ALL, None, 20).await.unwrap();
        }
    }

    async fn append(&self, session: &str, id: &str) {
        self.note(&format!("asks {session} {id}"));
        let message = scene::entry(EntryType::Message, &"m".repeat(60));
        let commit = vec![scene::commit(id, vec![message.clone(), message])];
        self.backend.append(&scene::key(session), Expected::End, commit).await.unwrap();
        self.note(&format!("told {session} {id}"));
    }

    /// Puts the worker's own document: those of its lives come one after the other.
    async fn put(&self, id: &str) {
        let (worker, _) = self.name.split_once('.').unwrap();
        let key = document(&worker.replace('w', "d"));
        let precondition = match self.backend.get(&key).await {
            Ok(document) => Precondition::Revision(document.revision),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Missing, "{error}");
                Precondition::Absent
            }
        };
        let revision = Revision::new(Token::from_digest(Digest::of(id.as_bytes())));
        let new = NewDocument { bytes: Bytes::from(id.to_owned()), revision, session: None };
        self.note(&format!("asks {} {id}", key.name));
        self.backend.put(&key, new, precondition).await.unwrap();
        self.note(&format!("told {} {id}", key.name));
    }

    async fn make(&self, id: &str) {
        self.note(&format!("makes {id}"));
        scene::create(&self.backend, &scene::key(id)).await;
        self.note(&format!("made {id}"));
    }

    async fn remove(&self, id: &str) {
        let key = scene::key(id);
        let tip = self.backend.head(&key).await.unwrap().tip;
        let tombstone = vec![scene::entry(EntryType::Delete, &serde_json::json!({}))];
        self.note(&format!("removes {id}"));
        let tombstone = scene::commit(&format!("{id}-ends"), tombstone);
        self.backend.remove(&key, tip, tombstone).await.unwrap();
        self.note(&format!("removed {id}"));
        self.backend.purge(&key).await.unwrap();
    }
}
