//! Operations whose steps are taken down, and what is looked for in each image that a power cut in
//! between may leave.

use std::collections::BTreeSet;

use bytes::Bytes;
use futures_util::StreamExt as _;
use sessile_core::backend::{
    Backend as _, Collection, DocKey, Expected, NewDocument, Precondition, Recency, Recent, Scope,
    Span,
};
use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::{Digest, Token};
use sessile_core::entry::{EntryType, NewEntry};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionKey, Space};
use sessile_core::limits::Limits;
use sessile_core::payload::Payload;
use sessile_core::revision::Revision;
use sessile_core::time::UnixMillis;
use tempfile::TempDir;

use super::images::{Disk, Syncs};
use super::stage::{self, Stage};
use crate::backend::FsBackend;
use crate::options::Options;
use crate::record::Act;

/// What a store serves to a handle that was just opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The session's commits, but for those of repairs; none where there is no session.
    pub(super) commits: Option<Vec<String>>,
    /// The sessions of its space by recency, and whether each can be read.
    pub(super) recent: Vec<(Recency, bool)>,
    /// The document and its revision.
    pub(super) document: Option<(Bytes, Revision)>,
    /// Whether the session is deleted.
    pub(super) is_deleted: bool,
}

/// Operations on a stage, as they were done.
pub(super) struct Run<'a> {
    stage: &'a Stage,
    backend: FsBackend,
    base: Disk,
    /// What handles did before this one.
    before: Vec<Act>,
    /// What is served after each operation, and after how many steps it was acknowledged.
    states: Vec<(usize, View)>,
    /// What may be found beside these while the last operation goes on.
    between: Vec<View>,
    /// Bytes that no repair may lose; may be empty.
    kept: Vec<u8>,
    /// Bytes of which nothing may be left once the last operation was acknowledged; may be empty.
    gone: Vec<u8>,
}

impl<'a> Run<'a> {
    /// Begins with what is there, all of it durable, and a handle that operates on it.
    pub(super) async fn begin(stage: &'a Stage, backend: FsBackend) -> Self {
        let base = Disk::of(stage.folder.path());
        let found = view(&stage.other().await, &stage.key).await.unwrap();
        backend.faults().record.begin();
        let states = vec![(0, found)];
        let (before, between, kept, gone) = Default::default();
        Self { stage, backend, base, before, states, between, kept, gone }
    }

    /// Names bytes that every image must hold somewhere.
    pub(super) fn keeping(self, kept: Vec<u8>) -> Self {
        Self { kept, ..self }
    }

    /// Names bytes that no image may hold anywhere after the last operation.
    pub(super) fn forgetting(self, gone: &str) -> Self {
        Self { gone: gone.as_bytes().to_vec(), ..self }
    }

    /// Names what may be found while the last operation goes on, which is none that is atomic.
    pub(super) fn passing(&mut self, between: View) {
        self.between.push(between);
    }

    /// Goes on with another handle, as of a process that comes after one that died.
    pub(super) fn hand_over(&mut self, backend: FsBackend) {
        self.before = self.acts();
        backend.faults().record.begin();
        self.backend = backend;
    }

    fn acts(&self) -> Vec<Act> {
        [self.before.clone(), self.backend.faults().record.acts()].concat()
    }

    /// Notes that an operation was acknowledged, and what is served from then on.
    pub(super) async fn acknowledged(&mut self) {
        let state = view(&self.stage.other().await, &self.stage.key).await.unwrap();
        self.states.push((self.acts().len(), state));
    }

    /// Checks the images of a power cut after each step; answers how many there are.
    ///
    /// # Errors
    /// The first image in which something is wrong, and what.
    pub(super) async fn check(&self, syncs: Syncs) -> Result<usize, String> {
        let acts = self.acts();
        assert_eq!(self.states.last().map(|(steps, _)| *steps), Some(acts.len()));
        let mut disk = self.base.clone();
        let mut seen = BTreeSet::new();
        for steps in 0..=acts.len() {
            if let Some(act) = steps.checked_sub(1).and_then(|last| acts.get(last)) {
                disk.play(act, syncs);
            }
            let acknowledged = self.states.iter().rposition(|(at, _)| *at <= steps).unwrap();
            for image in disk.images() {
                if !seen.insert((acknowledged, image.clone())) {
                    continue;
                }
                let folder = in_memory();
                image.make(folder.path());
                let mut wrong = self.look_at(&folder, acknowledged).await;
                let is_over = acknowledged + 1 == self.states.len();
                if wrong.is_ok() && is_over && !self.gone.is_empty() && image.holds(&self.gone) {
                    wrong = Err("what was to be gone is there".to_owned());
                }
                if wrong.is_ok() && !self.kept.is_empty() && !image.holds(&self.kept) {
                    wrong = Err("what was torn is nowhere".to_owned());
                }
                wrong.map_err(|wrong| {
                    let last = steps.checked_sub(1).map(|last| format!("{:?}", acts[last]));
                    let last: String = last.unwrap_or_default().chars().take(200).collect();
                    format!("{wrong}\nafter step {steps} of {}: {last}\n{image}", acts.len())
                })?;
            }
        }
        Ok(seen.len())
    }

    /// Checks what an image serves, and that it can be built upon.
    async fn look_at(&self, folder: &TempDir, acknowledged: usize) -> Result<(), String> {
        let key = &self.stage.key;
        let told = |doing: &str, error: Error| format!("{doing}: {error}");
        // One handle an image: its thread stays for a while after it, and there are many images.
        let backend = open(folder).await?;
        let found = view(&backend, key).await.map_err(|e| told("looked", e))?;
        let allowed = &self.states[acknowledged..];
        let is_under_way = acknowledged + 1 < self.states.len();
        let passes = is_under_way && self.between.contains(&found);
        if !passes && !allowed.iter().any(|(_, state)| *state == found) {
            return Err(format!("lost or half: {found:#?}\nand not one of {allowed:#?}"));
        }
        if found.is_deleted {
            return self.purges(&backend, folder).await;
        }
        let (expected, next) = match found.commits {
            Some(_) => (Expected::End, messages("next", 2, 10)),
            None => (Expected::At(Tip::ABSENT), stage::header()),
        };
        let next_id = next.id().to_string();
        backend.append(key, expected, vec![next]).await.map_err(|e| told("appended", e))?;
        let revision = found.document.as_ref().map(|(_, revision)| *revision);
        put(&backend, "next", revision).await.map_err(|e| told("put", e))?;
        let built = view(&backend, key).await.map_err(|e| told("looked again", e))?;
        let commits = built.commits.unwrap_or_default();
        let before = found.commits.unwrap_or_default();
        let added = commits.strip_prefix(before.as_slice());
        if !added.is_some_and(|added| matches!(added, [one] if one.starts_with(&next_id))) {
            return Err(format!("an append made {commits:#?} of {before:#?}"));
        }
        if built.document != Some((Bytes::from_static(b"next"), revision_of("next"))) {
            return Err(format!("a put made {:?}", built.document));
        }
        Ok(())
    }

    /// Checks that a session stays deleted, and that a purge leaves nothing of it.
    async fn purges(&self, backend: &FsBackend, folder: &TempDir) -> Result<(), String> {
        let key = &self.stage.key;
        let told = |doing: &str, error: Error| format!("{doing}: {error}");
        let more = backend.append(key, Expected::End, vec![messages("next", 2, 10)]).await;
        match more {
            Err(error) if error.kind() == ErrorKind::Deleted => {}
            other => return Err(format!("appended to what is deleted: {other:?}")),
        }
        backend.purge(key).await.map_err(|e| told("purged", e))?;
        let left = view(backend, key).await.map_err(|e| told("looked again", e))?;
        if !left.is_deleted || left.document.is_some() {
            return Err(format!("a purge left {left:#?}"));
        }
        let gone = !self.gone.is_empty() && Disk::of(folder.path()).holds(&self.gone);
        if gone { Err("a purge left what was to be gone".to_owned()) } else { Ok(()) }
    }
}

pub(super) async fn view(backend: &FsBackend, key: &SessionKey) -> Result<View, Error> {
    let commits = match commits(backend, key).await {
        Ok(commits) => Some(commits.iter().filter(|c| !is_repair(c)).map(told).collect()),
        Err(error) if error.kind() == ErrorKind::Missing => None,
        Err(error) => return Err(error),
    };
    let document = match backend.get(&document()).await {
        Ok(document) => Some((document.bytes, document.revision)),
        Err(error) if error.kind() == ErrorKind::Missing => None,
        Err(error) => return Err(error),
    };
    let is_deleted = match backend.head(key).await {
        Ok(head) => head.deleted,
        Err(error) if error.kind() == ErrorKind::Missing => false,
        Err(error) => return Err(error),
    };
    let recent = backend.recent(&key.space, &Scope::ALL, None, 9).await?;
    let row = |row: &Recent| (row.recency.clone(), row.seen.is_ok());
    let recent = recent.iter().map(row).collect();
    Ok(View { commits, recent, document, is_deleted })
}

/// All commits of a session; damage is an error.
pub(super) async fn commits(
    backend: &FsBackend,
    key: &SessionKey,
) -> Result<Vec<StoredCommit>, Error> {
    let commits: Vec<_> = backend.read(key, Span::ALL).await?.collect().await;
    commits.into_iter().collect()
}

fn is_repair(commit: &StoredCommit) -> bool {
    commit.entries.iter().all(|entry| entry.entry_type == EntryType::Repaired)
}

/// A commit with all that a caller sees of it.
fn told(commit: &StoredCommit) -> String {
    let entry = |entry: &sessile_core::entry::Entry| {
        format!(" {:?} {}", entry.seq, Digest::of(entry.data.as_str().as_bytes()))
    };
    commit.id.to_string() + &commit.entries.iter().map(entry).collect::<String>()
}

/// A folder whose syncs cost nothing, where the system has one: what they do is told by the record.
fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

async fn open(folder: &TempDir) -> Result<FsBackend, String> {
    let opened = FsBackend::open(folder.path().join("store"), Options::default()).await;
    opened.map_err(|error| format!("opened: {error}"))
}

/// A commit of messages of so many bytes each.
pub(super) fn messages(id: &str, count: usize, bytes: usize) -> Commit {
    let message = |number: usize| {
        let data = format!("\"{number} {}\"", "x".repeat(bytes));
        NewEntry::new(UnixMillis(2), EntryType::Message, Payload::parse(data).unwrap())
    };
    let entries = (0..count).map(message).collect();
    let token = Token::from_digest(Digest::of(id.as_bytes()));
    Commit::new(id.parse().unwrap(), token, entries, &Limits::default()).unwrap()
}

pub(super) fn document() -> DocKey {
    let collection = Collection { space: Space::default(), name: "c".parse().unwrap() };
    DocKey { collection, name: "n".parse().unwrap() }
}

pub(super) fn revision_of(value: &str) -> Revision {
    Revision::new(Token::from_digest(Digest::of(value.as_bytes())))
}

/// Puts the document in place of a revision of it, or where there is none.
pub(super) async fn put(
    backend: &FsBackend,
    value: &str,
    before: Option<Revision>,
) -> Result<(), Error> {
    let revision = revision_of(value);
    let new = NewDocument { bytes: Bytes::from(value.to_owned()), revision, session: None };
    let precondition = before.map_or(Precondition::Absent, Precondition::Revision);
    backend.put(&document(), new, precondition).await
}

/// Puts the document first, as one that is purged with the session `s`.
pub(super) async fn put_of_session(backend: &FsBackend, value: &str) -> Result<(), Error> {
    let (bytes, revision) = (Bytes::from(value.to_owned()), revision_of(value));
    let new = NewDocument { bytes, revision, session: Some("s".parse().unwrap()) };
    backend.put(&document(), new, Precondition::Absent).await
}
