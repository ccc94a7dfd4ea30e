//! A store in a fresh folder whose filesystem fails when asked.

use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt as _;
use sessile_core::backend::{Appended, Backend as _, Expected, Span};
use sessile_core::commit::{Commit, Tip};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::Error;
use sessile_core::id::{SessionKey, Space};
use sessile_core::limits::Limits;
use sessile_core::payload::Payload;
use sessile_core::time::UnixMillis;

use crate::backend::FsBackend;
use crate::faults::Faults;
use crate::options::Options;

/// The header of the session that the tests use.
const HEADER: &str = r#"{"format":1,"id":"s","space":"default","created_at":1,"crc":"crc32c",
    "salt":"00c0ffee","file":"00000000000000000000000000000000"}"#;

pub(super) struct Stage {
    pub(super) folder: tempfile::TempDir,
    pub(super) key: SessionKey,
    pub(super) backend: FsBackend,
}

impl Stage {
    pub(super) async fn new() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap()).await
    }

    /// A stage whose syncs cost nothing, where the system has a folder in memory.
    pub(super) async fn in_memory() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::in_folder(folder.unwrap()).await
    }

    async fn in_folder(folder: tempfile::TempDir) -> Self {
        let key = SessionKey { space: Space::default(), id: "s".parse().unwrap() };
        let backend = open(&folder).await;
        Self { folder, key, backend }
    }

    /// A stage whose session has a few commits.
    pub(super) async fn with_commits(count: usize) -> Self {
        let stage = Self::new().await;
        stage.append(Tip::ABSENT, header()).await.unwrap();
        for number in 0..count {
            stage.backend.append(&stage.key, Expected::End, vec![message(number)]).await.unwrap();
        }
        stage
    }

    /// A handle as another process has it.
    pub(super) async fn other(&self) -> FsBackend {
        open(&self.folder).await
    }

    pub(super) fn faults(&self) -> &Faults {
        self.backend.faults()
    }

    pub(super) async fn append(&self, tip: Tip, commit: Commit) -> Result<Appended, Error> {
        let appended = self.backend.append(&self.key, Expected::At(tip), vec![commit]).await?;
        Ok(appended[0])
    }

    pub(super) async fn tip(&self) -> Tip {
        self.other().await.head(&self.key).await.unwrap().tip
    }

    /// The ids of all commits, as another process reads them; fails on damage.
    pub(super) async fn ids(&self) -> Vec<String> {
        let commits = self.other().await.read(&self.key, Span::ALL).await.unwrap();
        commits.map(|commit| commit.unwrap().id.to_string()).collect().await
    }

    /// Cuts off the end of the last commit, by nobody's handle.
    pub(super) fn tear(&self) {
        let journal = self.folder.path().join("store/spaces/default/sessions/s.jsonl");
        let bytes = std::fs::read(&journal).unwrap();
        let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | 0)).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&journal).unwrap();
        file.set_len(u64::try_from(end - 20).unwrap()).unwrap();
    }

    /// The names of files that were left half made.
    pub(super) fn left_over(&self) -> Vec<String> {
        let sessions = self.folder.path().join("store/spaces/default/sessions");
        let Ok(entries) = std::fs::read_dir(sessions) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('.')).collect()
    }
}

async fn open(folder: &tempfile::TempDir) -> FsBackend {
    FsBackend::open(folder.path().join("store"), Options::default()).await.unwrap()
}

pub(super) fn commit(id: &str, entry_type: EntryType, data: &str) -> Commit {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let token = Token::from_digest(Digest::of(&number.to_le_bytes()));
    let data = Payload::parse(data.to_owned()).unwrap();
    let entries = vec![NewEntry::new(UnixMillis(1), entry_type, data)];
    Commit::new(id.parse().unwrap(), token, entries, &Limits::default()).unwrap()
}

pub(super) fn header() -> Commit {
    commit("header", EntryType::Session, HEADER)
}

pub(super) fn message(number: usize) -> Commit {
    commit(&format!("c{number}"), EntryType::Message, &format!("\"message {number}\""))
}
