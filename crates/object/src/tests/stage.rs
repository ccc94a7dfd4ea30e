//! A store in memory, with handles on it and one journal.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use object_store::{ObjectStore, ObjectStoreExt as _};
use sessile_core::backend::{Appended, Backend as _, Expected, Head, Span};
use sessile_core::commit::{Commit, StoredCommit, Tip};
use sessile_core::digest::{Digest, Salt, Token};
use sessile_core::entry::shape::{Dialect, Header};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionKey, Space};
use sessile_core::{EntryType, Limits, NewEntry, Payload, Position, Seq, UnixMillis, line};
use tokio::runtime::Handle;
use tokio::task;

use crate::backend::ObjectBackend;
use crate::double::{Breach, Double};
use crate::keys::{Keys, SessionKeys};
use crate::look::Session;
use crate::options::Options;

/// An item of what is read: the id of a commit, or what is damaged first and how that is told.
pub(super) type Item = Result<String, (ErrorKind, Option<u64>)>;

pub(super) struct Stage {
    pub(super) store: Arc<Double>,
    pub(super) key: SessionKey,
    pub(super) keys: SessionKeys,
}

/// Purges at once, merges nothing, and notes everything at once.
pub(super) fn options() -> Options {
    Options {
        catalog_lag: Duration::ZERO,
        purges_at_once: true,
        merge_every: 0,
        ..Options::default()
    }
}

/// The same, merging.
pub(super) fn merging(every: u64) -> Options {
    Options { merge_every: every, ..options() }
}

/// The same, giving up at once.
pub(super) fn hasty() -> Options {
    Options { deadline: Duration::ZERO, ..options() }
}

/// The same, taking no look for a young one.
pub(super) fn forgetful() -> Options {
    Options { look_age: Duration::ZERO, ..options() }
}

impl Stage {
    pub(super) async fn new() -> Self {
        Self::on(Double::sound()).await
    }

    pub(super) async fn with(breach: Breach) -> Self {
        Self::on(Double::broken(breach)).await
    }

    /// A store whose place was probed.
    async fn on(store: Arc<Double>) -> Self {
        let key = SessionKey { space: Space::default(), id: "s".parse().unwrap() };
        let keys = Keys::below(&"p".into()).session(&key);
        let marker = r#"{"sessile":"store","format":1,"probed":{"ok":true}}"#;
        store.inner.put(&Keys::below(&"p".into()).marker(), marker.into()).await.unwrap();
        Self { store, key, keys }
    }

    /// A stage whose journal has a header and messages, an object each, and a handle that wrote it.
    pub(super) async fn with_messages(count: usize) -> (Self, ObjectBackend) {
        let stage = Self::new().await;
        let backend = stage.handle(options());
        stage.create(&backend).await;
        for number in 0..count {
            stage.append(&backend, vec![message(number)]).await.unwrap();
        }
        (stage, backend)
    }

    pub(super) fn handle(&self, options: Options) -> ObjectBackend {
        let store: Arc<dyn ObjectStore> = Arc::<Double>::clone(&self.store);
        ObjectBackend::on(Arc::clone(&store), store, &"p".into(), options)
    }

    /// The journal, as a handle of its own works on it.
    pub(super) fn session(&self, options: Options) -> Session {
        Session::new(Arc::new(self.store.place(options)), self.key.clone(), Arc::default())
    }

    pub(super) async fn create(&self, backend: &ObjectBackend) -> Tip {
        let created = self.append_at(backend, Tip::ABSENT, vec![header(&self.key)]).await;
        created.unwrap()[0].tip
    }

    pub(super) async fn append(
        &self,
        backend: &ObjectBackend,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        backend.append(&self.key, Expected::End, commits).await
    }

    pub(super) async fn append_at(
        &self,
        backend: &ObjectBackend,
        tip: Tip,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        backend.append(&self.key, Expected::At(tip), commits).await
    }

    pub(super) async fn remove(&self, backend: &ObjectBackend) -> Tip {
        let tip = self.tip().await;
        backend.remove(&self.key, tip, tombstone()).await.unwrap().tip
    }

    /// Where the journal ends, as a fresh handle finds it.
    pub(super) async fn tip(&self) -> Tip {
        self.head(&self.handle(options())).await.tip
    }

    pub(super) async fn head(&self, backend: &ObjectBackend) -> Head {
        backend.head(&self.key).await.unwrap()
    }

    pub(super) async fn read(&self, backend: &ObjectBackend, span: Span) -> Vec<Item> {
        let commits = backend.read(&self.key, span).await.unwrap();
        commits
            .map(|item| item.map(|it| it.id.to_string()).map_err(|error| told(&error)))
            .collect()
            .await
    }

    /// All that can be read, as a fresh handle reads it.
    pub(super) async fn all(&self) -> Vec<Item> {
        self.read(&self.handle(options()), Span::ALL).await
    }

    /// All commits, as a fresh handle reads them.
    pub(super) async fn commits(&self) -> Vec<StoredCommit> {
        let backend = self.handle(options());
        let commits = backend.read(&self.key, Span::ALL).await.unwrap();
        commits.filter_map(|item| async { item.ok() }).collect().await
    }

    /// What is set aside, by the numbers of the objects.
    pub(super) async fn set_aside(&self, backend: &ObjectBackend) -> Vec<u64> {
        let aside = backend.set_aside(&self.key).await.unwrap();
        let paths = aside.into_iter().map(|it| it.kept_at.unwrap());
        paths.map(|path| self.keys.number_of(&path.as_str().into()).unwrap()).collect()
    }

    /// The bytes of a log object.
    pub(super) async fn log(&self, number: u64) -> Bytes {
        self.store.inner.get(&self.keys.log(number)).await.unwrap().bytes().await.unwrap()
    }

    /// Puts bytes where a log object stands or would.
    pub(super) async fn put_log(&self, number: u64, bytes: impl Into<Bytes>) {
        self.store.inner.put(&self.keys.log(number), bytes.into().into()).await.unwrap();
    }

    pub(super) async fn delete_log(&self, number: u64) {
        self.store.inner.delete(&self.keys.log(number)).await.unwrap();
    }

    /// What the notes of the catalog say, by their names without the place's.
    pub(super) async fn notes(&self) -> BTreeMap<String, Bytes> {
        let mut notes = BTreeMap::new();
        for name in self.store.names().await {
            if let Some(note) = name.strip_prefix("p/catalog/") {
                let object = self.store.inner.get(&name.as_str().into()).await.unwrap();
                notes.insert(note.to_owned(), object.bytes().await.unwrap());
            }
        }
        notes
    }

    /// Puts a note where one stands or would.
    pub(super) async fn put_note(&self, name: &str, says: impl Into<Bytes>) {
        let path = format!("p/catalog/{name}").as_str().into();
        self.store.inner.put(&path, says.into().into()).await.unwrap();
    }

    /// Takes from all notes what they say.
    pub(super) async fn empty_notes(&self) {
        for note in self.notes().await.keys() {
            self.put_note(note, Bytes::new()).await;
        }
    }

    /// Flips a byte of a log object's checksum, so that its first line is not whole.
    pub(super) async fn damage_log(&self, number: u64) {
        let mut bytes = self.log(number).await.to_vec();
        bytes[20] ^= 1;
        self.put_log(number, bytes).await;
    }

    /// The names below the session's folder.
    pub(super) async fn names(&self) -> Vec<String> {
        let names = self.store.names().await.into_iter();
        let folder = format!("{}/", self.keys.folder());
        names.filter_map(|name| Some(name.strip_prefix(&folder)?.to_owned())).collect()
    }

    /// The names of the merged ranges, without their hashes and the zeros before numbers.
    pub(super) async fn ranges(&self) -> Vec<String> {
        let mut ranges = Vec::new();
        for name in self.names().await {
            let path = format!("{}/{name}", self.keys.folder());
            if let Some((from, to, _)) = self.keys.range_of(&path.as_str().into()) {
                ranges.push(format!("{from}-{to}"));
            }
        }
        ranges
    }
}

/// An error without its words.
pub(super) fn told(error: &Error) -> (ErrorKind, Option<u64>) {
    (error.kind(), error.damage().map(|place| place.seq.number()))
}

pub(super) fn kind<T: std::fmt::Debug>(answer: Result<T, Error>) -> ErrorKind {
    answer.unwrap_err().kind()
}

/// Damage whose first entry is this one.
pub(super) fn damaged(seq: u64) -> Item {
    Err((ErrorKind::Corrupt, Some(seq)))
}

pub(super) fn ids(ids: &[&str]) -> Vec<Item> {
    ids.iter().map(|id| Ok((*id).to_owned())).collect()
}

pub(super) fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

pub(super) fn position(number: u64) -> Position {
    Position::new(number).unwrap()
}

/// Waits until what runs in the background is done.
pub(super) async fn quiet() {
    while Handle::current().metrics().num_alive_tasks() > 0 {
        task::yield_now().await;
    }
}

pub(super) fn salt() -> Salt {
    Salt::from_random([7; 4])
}

fn token() -> Token {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    Token::from_digest(Digest::of(&NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes()))
}

/// A commit with some entries of a type.
pub(super) fn commit(id: &str, entry_type: &EntryType, data: &[String]) -> Commit {
    let entry = |data: &String| {
        let data = Payload::parse(data.clone()).unwrap();
        NewEntry::new(UnixMillis(1), entry_type.clone(), data)
    };
    let entries = data.iter().map(entry).collect();
    Commit::new(id.parse().unwrap(), token(), entries, &Limits::default()).unwrap()
}

pub(super) fn header(key: &SessionKey) -> Commit {
    let header = Payload::of(&Header {
        format: Header::FORMAT,
        id: key.id.clone(),
        space: key.space.clone(),
        created_at: UnixMillis(1),
        crc: Header::CRC.to_owned(),
        salt: salt(),
        file: token(),
        dialect: Dialect::Plain,
        project: None,
        project_identity: None,
        owner: None,
        parent_id: None,
        forked_from: None,
        copied_to: None,
        identity: None,
        host: BTreeMap::new(),
    });
    commit("header", &EntryType::Session, &[header.unwrap().as_str().to_owned()])
}

pub(super) fn message(number: usize) -> Commit {
    let text = format!("\"{number} {}\"", "x".repeat(number % 7 * 37));
    commit(&format!("m{number}"), &EntryType::Message, &[text])
}

/// A commit of several messages.
pub(super) fn messages(number: usize, count: usize) -> Commit {
    let texts: Vec<String> = (0..count).map(|at| format!("\"{number}.{at}\"")).collect();
    commit(&format!("m{number}"), &EntryType::Message, &texts)
}

pub(super) fn tombstone() -> Commit {
    commit("delete", &EntryType::Delete, &["{}".to_owned()])
}

pub(super) fn undelete() -> Commit {
    commit("undelete", &EntryType::Undelete, &["{}".to_owned()])
}

/// A log object whose commit stands behind a tip.
pub(super) fn object_behind(tip: Tip, commit: &Commit) -> Vec<u8> {
    let mut body = Vec::new();
    line::encode_commit(&mut body, &commit.stored_at(tip, tip.position).unwrap(), salt());
    body
}

/// A tip that no commit ever had.
pub(super) fn elsewhere(number: u64) -> Tip {
    Tip { position: position(number), token: Some(token()) }
}
