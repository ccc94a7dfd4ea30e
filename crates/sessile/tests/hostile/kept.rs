//! What is read by way of a store: bytes are put where it keeps something, and asked for.
//!
//! As with the other decoders each takes any bytes and returns, and the fuzz targets are these
//! functions. They ask the handles that a program asks, so they hold for whatever layout those
//! read.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use sessile::backend::{Collection, DocKey, Expected, NewDocument, Precondition, Scope, Span};
use sessile::fs::FsBackend;
use sessile::interchange::snapshot::{OwnSnapshot, Snapshot};
use sessile::memory::MemoryBackend;
use sessile::object::ObjectBackend;
use sessile::prelude::*;
use sessile::records::{Bindings, COLLECTIONS, Checkpoints, Effects, Snapshots};
use sessile::workflow::Workflow;
use sessile::workflow::board::{BoardFold, MessageBoard, Query};
use sessile::{
    Backend, Digest, EntryType, Error, Extension, Limits, Name, Payload, Revision, SessionId,
    Space, UnixMillis,
};
use sessile_core::digest::Token;
use sessile_core::{Commit, NewEntry, SessionKey, Tip, spelling};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// All of them.
pub(crate) const DECODERS: &[crate::decoders::Decoder] = &[
    ("records", records),
    ("board", board),
    ("url", url),
    ("document_file", document_file),
    ("catalog", catalog),
    ("sealed_catalog", sealed_catalog),
    ("journal_file", journal_file),
];

/// The first entry of the session `s`.
const HEADER: &str = r#"{"format":1,"id":"s","space":"default","created_at":1,"crc":"crc32c",
    "salt":"00c0ffee","file":"00000000000000000000000000000000"}"#;

/// The context of the binding, the name of every other record.
const NAME: &str = "n";

/// The types of a board's entries.
const OF_BOARDS: [&str; 6] = ["ack", "complete", "post", "replace", "resolve", "withdraw"];

/// The journals of the store on files, all of which a listing must name.
const LISTED: [&str; 3] = ["a", "b", "c"];

/// How many places of an input are opened: for each that is one, clients are made.
const PLACES: usize = 8;

thread_local! {
    static FILES: Files = Files::make();
}

/// A store on files that is asked again and again.
struct Files {
    runtime: Runtime,
    folder: TempDir,
    backend: Arc<FsBackend>,
    /// The first line of a catalog of this boot.
    boot: Vec<u8>,
    /// How many inputs there were.
    fed: std::cell::Cell<u64>,
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn token(text: &str) -> Token {
    Token::from_digest(Digest::of(text.as_bytes()))
}

fn commit(id: &str, entries: Vec<NewEntry>) -> Result<Commit, Error> {
    Commit::new(id.parse()?, token(id), entries, &Limits::default())
}

fn header(id: &str) -> Commit {
    let data = Payload::parse(HEADER.replace("\"s\"", &format!("{id:?}"))).unwrap();
    let entry = NewEntry::new(UnixMillis(1), EntryType::Session, data);
    commit("header", vec![entry]).unwrap()
}

fn session(id: &SessionId) -> SessionKey {
    SessionKey { space: Space::default(), id: id.clone() }
}

fn document(collection: &str, name: &str) -> DocKey {
    let collection = Collection { space: Space::default(), name: collection.parse().unwrap() };
    DocKey { collection, name: name.parse().unwrap() }
}

fn value(bytes: &[u8]) -> NewDocument {
    let revision = Revision::new(Token::from_digest(Digest::of(bytes)));
    NewDocument { bytes: Bytes::copy_from_slice(bytes), revision, session: None }
}

/// The document of each record, asked for in every way.
pub(crate) fn records(bytes: &[u8]) {
    let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let owner = Digest::of_parts([NAME.as_bytes(), NAME.as_bytes()]).to_string();
    let (space, name): (_, Name) = (Space::default(), NAME.parse().unwrap());
    let on = || (Arc::clone(&backend), space.clone());
    thread_runtime(async {
        for collection in COLLECTIONS {
            let named = if collection == "effect-owners" { &owner } else { NAME };
            let key = document(collection, named);
            backend.put(&key, value(bytes), Precondition::Absent).await.unwrap();
        }
        let checkpoints = Checkpoints::on(on().0, on().1);
        let read = checkpoints.load(&name).await;
        let listed = checkpoints.list(&[], None, 9).await.unwrap();
        assert_eq!(listed.rows.len(), 1, "{read:?}");
        let effects = Effects::on(on().0, on().1);
        drop((effects.load(&name).await, effects.find(&name, &name).await));
        assert_eq!(effects.list(&[], None, 9).await.unwrap().rows.len(), 1);
        let snapshots = Snapshots::on(on().0, on().1);
        drop(snapshots.load::<Snapshot>(&name).await);
        drop(snapshots.load::<OwnSnapshot>(&name).await);
        drop(snapshots.accepted(&name).await);
        assert_eq!(snapshots.list(None, 9).await.unwrap().rows.len(), 1);
        let bindings = Bindings::on(on().0, on().1);
        drop((bindings.get(NAME).await, bindings.resolve(NAME).await));
    });
}

/// The data of each kind of a board's entries, folded, and asked for; and what a fold saved.
pub(crate) fn board(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let folding =
        Workflow::engine(sessile::Options::default(), &sessile::workflow::Options::default());
    for extension in folding.folds.iter() {
        restore(&**extension, text);
    }
    restore(&BoardFold, text);
    let Ok(data) = Payload::parse(text.to_owned()) else { return };
    let of = |name: &&str| NewEntry::new(UnixMillis(2), EntryType::from_name(name), data.clone());
    let backend: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let id: SessionId = "s".parse().unwrap();
    thread_runtime(async {
        let key = session(&id);
        let absent = Expected::At(Tip::ABSENT);
        backend.append(&key, absent, vec![header("s")]).await.unwrap();
        // An entry that is too long for a commit is none.
        let Ok(commit) = commit("c", OF_BOARDS.iter().map(of).collect()) else { return };
        backend.append(&key, Expected::End, vec![commit]).await.unwrap();
        let store = Store::with(backend, folding);
        let session = store.open_session("s").await.unwrap();
        let board = MessageBoard::of(&session);
        let standing = board.board().await.unwrap();
        let listed = board.list(&Query::all()).await.unwrap();
        assert!(listed.messages.len() <= listed.total, "{standing:?}");
        board.overview().await.unwrap();
    });
}

/// What was saved of a fold: what is taken up from it saves as much again.
fn restore(extension: &dyn Extension, text: &str) {
    let Some(restored) = extension.restore(text) else { return };
    let saved = restored.save();
    let again = extension.restore(&saved).unwrap();
    assert_eq!(again.save(), saved);
}

/// Each line as the whole text of a place.
pub(crate) fn url(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for place in text.lines().take(PLACES) {
        // A place in memory with a name stays for the whole process.
        if !place.starts_with("memory:") {
            thread_runtime(async { drop(Store::open(place).await) });
        }
        drop(ObjectBackend::open(place, sessile::object::Options::default()));
    }
}

/// The file of a document: if there is a value in it, that one is swapped, and no other.
pub(crate) fn document_file(bytes: &[u8]) {
    FILES.with(|files| {
        let key = document(NAME, NAME);
        files.put_file(&["documents", NAME, NAME], bytes);
        let backend = &files.backend;
        files.runtime.block_on(async {
            let before = match backend.get(&key).await {
                Ok(read) => read.revision,
                Err(error) => match error.actual_revision() {
                    Some(stored) => stored,
                    None => return,
                },
            };
            let next = value(&files.fed.get().to_le_bytes());
            let other = value(b"other");
            let wrong = Precondition::Revision(other.revision);
            backend.put(&key, other, wrong).await.unwrap_err();
            backend.put(&key, next.clone(), Precondition::Revision(before)).await.unwrap();
            let read = backend.get(&key).await.unwrap();
            assert_eq!((read.bytes, read.revision), (next.bytes, next.revision));
        });
    });
}

/// The file of what listings show: whatever it says, a listing names the journals that there are.
pub(crate) fn catalog(bytes: &[u8]) {
    FILES.with(|files| {
        files.put_file(&["catalog", "recency"], bytes);
        assert_eq!(files.listed(&Scope::ALL), LISTED);
    });
}

/// The same file with checksums that hold and lengths that fit, of this boot: so that what it tells
/// is read, its block too.
pub(crate) fn sealed_catalog(bytes: &[u8]) {
    FILES.with(|files| {
        files.put_file(&["catalog", "recency"], &sealed(bytes, &files.boot));
        assert_eq!(files.listed(&Scope::ALL), LISTED);
        // A filter makes it read all of the block's rows.
        let project = Some(NAME.parse().unwrap());
        let of_project = files.listed(&Scope { project, ..Scope::ALL });
        assert!(of_project.iter().all(|id| LISTED.contains(&&**id)), "{of_project:?}");
    });
}

/// A catalog of a boot, with what stands behind the first line of another one: each line is given
/// the checksum of what it says, the line of a block that of what follows it, which is cut to its
/// lengths or cuts them.
fn sealed(catalog: &[u8], boot: &[u8]) -> Vec<u8> {
    let mut out = boot.to_vec();
    let line_end = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'\n');
    let mut rest = line_end(catalog).map_or(catalog, |end| &catalog[end + 1..]);
    while !rest.is_empty() {
        let end = line_end(rest).unwrap_or(rest.len());
        let told = &rest[end.min(8)..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        let Some(numbers) = told.strip_prefix(b"\tk\t").and_then(label) else {
            seal(told, &mut out);
            continue;
        };
        let [rows, lengths @ ..] = numbers;
        let mut fields = vec![rows];
        let mut block = 0;
        for length in lengths {
            let fits = length.min(u64::try_from(rest.len() - block).unwrap());
            block += usize::try_from(fits).unwrap();
            fields.push(fits);
        }
        fields.push(crate::decoders::crc32c(&rest[..block]).into());
        let fields: Vec<String> = fields.iter().map(|field| format!("{field:x}")).collect();
        seal(format!("\tk\t{}", fields.join("\t")).as_bytes(), &mut out);
        out.extend(&rest[..block]);
        rest = &rest[block..];
    }
    out
}

/// A line of a catalog by what it says.
fn seal(told: &[u8], out: &mut Vec<u8>) {
    out.extend(format!("{:08x}", crate::decoders::crc32c(told)).bytes());
    out.extend(told);
    out.push(b'\n');
}

/// The rows of a block and its lengths, as its line has them.
fn label(told: &[u8]) -> Option<[u64; 4]> {
    let fields = std::str::from_utf8(told).ok()?.split('\t');
    let numbers: Vec<u64> = fields.map_while(|it| u64::from_str_radix(it, 16).ok()).collect();
    numbers.first_chunk().copied()
}

/// The file of a journal: read from both ends, and appended to.
pub(crate) fn journal_file(bytes: &[u8]) {
    let id = id_within(bytes).unwrap_or_else(|| "s".parse().unwrap());
    if LISTED.contains(&id.as_str()) {
        return;
    }
    FILES.with(|files| {
        let name = format!("{}.jsonl", spelling::of_session(&id));
        let path = files.put_file(&["sessions", &name], bytes);
        files.runtime.block_on(read_and_append(&files.backend, &session(&id)));
        fs::remove_file(path).unwrap();
        drop(fs::remove_file(
            files.space().join(format!("sessions/{}.lock", spelling::of_session(&id))),
        ));
        drop(fs::remove_dir_all(files.space().join("set-aside")));
    });
}

/// The id that a journal's first line names.
fn id_within(bytes: &[u8]) -> Option<SessionId> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let header: serde_json::Value = serde_json::from_slice(line).ok()?;
    header.get("data")?.get("id")?.as_str()?.parse().ok()
}

async fn read_and_append(backend: &Arc<FsBackend>, key: &SessionKey) {
    let all = |span| async move {
        let read: Result<Vec<_>, Error> = match backend.read(key, span).await {
            Ok(commits) => commits.try_collect().await,
            Err(error) => Err(error),
        };
        read
    };
    let before = all(Span::ALL).await;
    drop((backend.head(key).await, backend.set_aside(key).await));
    let shared: Arc<dyn Backend> = Arc::<FsBackend>::clone(backend);
    let store = Store::on(shared);
    drop(store.open_session(key.id.as_str()).await);
    drop(store.verify(key.id.as_str()).await);
    let entry = NewEntry::new(UnixMillis(3), EntryType::Event, Payload::parse("1").unwrap());
    let next = commit("next-of-the-fuzzer", vec![entry]).unwrap();
    let Ok(appended) = backend.append(key, Expected::End, vec![next]).await else { return };
    let Ok(before) = before else { return };
    // What was whole stays, as far as it was read, and the new one stands behind it.
    let after = all(Span::ALL).await.unwrap();
    let ids = |commits: &[sessile_core::StoredCommit]| -> Vec<String> {
        commits.iter().map(|commit| commit.id.to_string()).collect()
    };
    let (before, after) = (ids(&before), ids(&after));
    assert!(after.starts_with(&before), "{before:?} became {after:?}: {appended:?}");
    assert!(after.iter().any(|id| id == "next-of-the-fuzzer"), "{after:?}");
}

impl Files {
    fn make() -> Self {
        let runtime = runtime();
        let folder = match std::env::var_os("TMPDIR") {
            Some(_) => tempfile::tempdir().unwrap(),
            // Nothing has to outlive this process, so no sync need cost anything.
            None => tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap(),
        };
        let place = folder.path().join("store");
        let backend = runtime.block_on(async {
            let backend = FsBackend::open(place, sessile::fs::Options::default()).await.unwrap();
            for id in LISTED {
                let key = session(&id.parse().unwrap());
                let absent = Expected::At(Tip::ABSENT);
                backend.append(&key, absent, vec![header(id)]).await.unwrap();
            }
            let absent = Precondition::Absent;
            backend.put(&document(NAME, NAME), value(b"first"), absent).await.unwrap();
            backend
        });
        let catalog = fs::read(folder.path().join("store/spaces/default/catalog/recency"));
        let catalog = catalog.unwrap();
        let boot = catalog.split_inclusive(|byte| *byte == b'\n').next().unwrap().to_vec();
        let fed = std::cell::Cell::default();
        Self { runtime, folder, backend: Arc::new(backend), boot, fed }
    }

    /// The sessions of a scope that a listing names, by their ids.
    fn listed(&self, scope: &Scope) -> Vec<String> {
        let space = Space::default();
        let recent = self.runtime.block_on(self.backend.recent(&space, scope, None, 9));
        let mut ids: Vec<String> =
            recent.unwrap().iter().map(|it| it.recency.id.to_string()).collect();
        ids.sort();
        ids
    }

    fn space(&self) -> PathBuf {
        self.folder.path().join("store/spaces/default")
    }

    /// Puts a file in place of another, as whoever has it whole.
    #[expect(clippy::disallowed_methods, reason = "bytes that no store wrote")]
    fn put_file(&self, names: &[&str], bytes: &[u8]) -> PathBuf {
        self.fed.set(self.fed.get() + 1);
        let path = names.iter().fold(self.space(), |path, name| path.join(name));
        let new = self.folder.path().join("new");
        fs::write(&new, bytes).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::rename(&new, &path).unwrap();
        path
    }
}

/// Runs what needs no files.
fn thread_runtime<T>(future: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: Runtime = runtime();
    }
    RUNTIME.with(|runtime| runtime.block_on(future))
}
