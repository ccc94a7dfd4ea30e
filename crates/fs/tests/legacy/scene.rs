//! A folder of session files, and a store beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sessile_core::{Backend, EntryType, Payload, SessionId, SessionKey, Space, StoredCommit};
use sessile_engine::{Filter, From, Page, RawMessage, Session, Store, Summary};
use sessile_fs::{FsBackend, LegacyBackend, Options};
use sessile_interchange::session_files::{Content, Folder, Part, SessionFiles, Whole};
use sessile_memory::MemoryBackend;

/// The layouts of which fixtures can be read.
pub(crate) const LAYOUTS: [&str; 4] = ["current", "older", "mixed", "torn"];

/// A folder of session files, and a store that has none of them.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
    memory: Option<MemoryBackend>,
}

/// Everything below a folder: names, modes and bytes.
pub(crate) type Tree = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

pub(crate) fn fixture(layout: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/session-files").join(layout)
}

impl Scene {
    /// The files of a fixture, under modes of their own.
    pub(crate) fn of(layout: &str) -> Self {
        let scene = Self::empty();
        for of in [Folder::Sessions, Folder::Messages] {
            let Ok(entries) = fs::read_dir(fixture(layout).join(of.name())) else { continue };
            for entry in entries {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                scene.put(of, &name, &fs::read(path).unwrap());
            }
        }
        scene
    }

    /// No files, and a store in a folder.
    pub(crate) fn empty() -> Self {
        let scene = Self { folder: tempfile::tempdir().unwrap(), memory: None };
        fs::create_dir(scene.old()).unwrap();
        scene
    }

    /// The same, with a store in memory.
    pub(crate) fn in_memory(mut self) -> Self {
        self.memory = Some(MemoryBackend::new());
        self
    }

    /// The folder of session files.
    pub(crate) fn old(&self) -> PathBuf {
        self.folder.path().join("old")
    }

    /// The folder of the store.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// Writes a file as the older program does.
    pub(crate) fn put(&self, of: Folder, name: &str, bytes: &[u8]) {
        let folder = self.old().join(of.name());
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }

    /// A log of some messages.
    pub(crate) fn log(&self, id: &str, messages: &[&str]) {
        let header = format!(r#"{{"type":"session","id":"{id}","created_at":5,"updated_at":7}}"#);
        let messages = messages.iter().map(|text| line(text));
        let text: String = std::iter::once(header + "\n").chain(messages).collect();
        self.put(Folder::Sessions, &format!("{id}.jsonl"), text.as_bytes());
    }

    /// The backend of the store, without the older files.
    pub(crate) async fn plain(&self) -> Arc<dyn Backend> {
        match &self.memory {
            Some(memory) => Arc::new(memory.clone()),
            None => Arc::new(FsBackend::open(self.root(), Options::default()).await.unwrap()),
        }
    }

    /// A handle of the backend with the older files, as another process has it.
    pub(crate) async fn backend(&self) -> Arc<dyn Backend> {
        let plain = self.plain().await;
        Arc::new(LegacyBackend::over(plain, self.old(), Space::default()).await.unwrap())
    }

    pub(crate) async fn store(&self) -> Store {
        Store::on(self.backend().await)
    }

    /// All files below the older folder.
    pub(crate) fn tree(&self) -> Tree {
        tree(&self.old())
    }

    /// The ids in the names of the older files.
    pub(crate) fn ids(&self) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        for of in [Folder::Sessions, Folder::Messages] {
            let Ok(entries) = fs::read_dir(self.old().join(of.name())) else { continue };
            for entry in entries {
                let name = entry.unwrap().file_name().into_string().unwrap();
                ids.extend(Part::of(of, &name).map(|(_, id)| id.to_owned()));
            }
        }
        ids
    }

    /// An older session as its files have it.
    pub(crate) fn whole(&self, id: &str) -> Whole {
        let mut files = SessionFiles::new(id);
        for part in Part::ALL {
            if let Ok(bytes) = fs::read(self.old().join(part.path(id))) {
                files.add(part, Content::of(bytes));
            }
        }
        files.read().unwrap()
    }

    /// The messages of an older session, as its files have them.
    pub(crate) fn messages(&self, id: &str) -> Vec<String> {
        self.whole(id).messages().map(|message| message.as_str().to_owned()).collect()
    }
}

/// A message as it stands in a log.
pub(crate) fn line(text: &str) -> String {
    format!(r#"{{"type":"message","role":"user","content":"{text}"}}"#) + "\n"
}

pub(crate) fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let seen = fs::symlink_metadata(&path).unwrap();
            let bytes = seen.is_file().then(|| fs::read(&path).unwrap());
            folders.extend(seen.is_dir().then(|| path.clone()));
            found.insert(path, (seen.permissions().mode(), bytes));
        }
    }
    found
}

pub(crate) fn key(id: &str) -> SessionKey {
    SessionKey { space: Space::default(), id: id.parse().unwrap() }
}

/// Something that a user says.
pub(crate) fn said(text: &str) -> Payload {
    Payload::parse(format!(r#"{{"role":"user","content":"{text}"}}"#)).unwrap()
}

/// The messages of a session.
pub(crate) async fn messages(session: &Session) -> Vec<String> {
    let transcript = session.transcript::<RawMessage>(From::start()).await.unwrap();
    let messages = transcript.all().await.unwrap();
    messages.into_iter().map(|message| message.data.as_str().to_owned()).collect()
}

/// All rows of a listing, of which each page is small.
pub(crate) async fn rows(store: &Store) -> Vec<Summary> {
    let (mut rows, mut page) = (Vec::new(), Some(Page::of(3)));
    while let Some(wanted) = page.take() {
        let listing = store.list(Filter::all(), wanted).await.unwrap();
        rows.extend(listing.sessions);
        page = listing.next.map(|next| Page::of(3).after(next));
    }
    rows
}

/// The ids of a listing, each of which must stand there once; as the list of ids has them.
pub(crate) async fn listed(store: &Store) -> BTreeSet<String> {
    let rows = rows(store).await;
    let ids: BTreeSet<String> = rows.iter().map(|row| row.id.to_string()).collect();
    assert_eq!(ids.len(), rows.len(), "a session stands twice: {rows:?}");
    let backend = store.backend();
    let by_id: Vec<SessionId> = backend.journals(store.space_name(), None, 999).await.unwrap();
    assert_eq!(by_id.iter().map(ToString::to_string).collect::<Vec<_>>(), {
        ids.iter().cloned().collect::<Vec<_>>()
    });
    ids
}

/// The commits of a session.
pub(crate) async fn commits(backend: &dyn Backend, id: &str) -> Vec<StoredCommit> {
    use futures_util::StreamExt as _;
    let commits = backend.read(&key(id), sessile_core::backend::Span::ALL).await.unwrap();
    commits.map(|commit| commit.unwrap()).collect().await
}

/// The `import` entries of a session.
pub(crate) async fn imports(backend: &dyn Backend, id: &str) -> Vec<serde_json::Value> {
    let commits = commits(backend, id).await;
    let entries = commits.iter().flat_map(|commit| &commit.entries);
    let imports = entries.filter(|entry| entry.entry_type == EntryType::Import);
    imports.map(|entry| serde_json::from_str(entry.data.as_str()).unwrap()).collect()
}
