//! Which of the older sessions are the store's own by now, and what is under a name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt as _;
use sessile_core::backend::{Backend, Expected, Span};
use sessile_core::commit::Tip;
use sessile_core::digest::Parts;
use sessile_core::entry::EntryType;
use sessile_core::entry::shape::Import;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionId, SessionKey, Space};
use sessile_interchange::{Format, SourceIdentity};

use super::folder::{OldFiles, OldFolder, OldSession};
use super::journal::OldJournal;
use super::marker::{self, Marker, Sizes};
use crate::pool::Pool;

/// Under how many names a session may stand that went on in its files after it was taken over.
const MOST_NAMES: u64 = 64;

/// How many ids are asked for at once.
const IDS: usize = 1_000;

/// A backend, and the folder of older sessions beside it.
#[derive(Debug)]
pub(super) struct Legacy {
    pub(super) inner: Arc<dyn Backend>,
    pub(super) space: Space,
    folder: Arc<OldFolder>,
    pool: Pool,
    seen: Mutex<Seen>,
}

/// What was found out and stays so.
#[derive(Debug, Default)]
struct Seen {
    /// Names under which a whole journal of the backend's own stands.
    own: HashSet<SessionId>,
    /// Older sessions that are taken over, as long as their files are.
    taken: HashMap<String, Sizes>,
}

/// What is under a name.
#[derive(Debug)]
pub(super) enum Standing {
    /// Nothing that the backend does not answer for itself.
    Own,
    /// An older session, and where the journal of it ends that was begun, if one was.
    Old(OldJournal, Tip),
}

/// What a journal is to an older session that may stand under its name.
enum Bond {
    /// There is none.
    Free,
    /// It has the session.
    Taken,
    /// It was begun to take the session over, and is not whole.
    Begun,
    /// It is something else, or has not all that the session has by now.
    Other,
}

impl Legacy {
    /// Puts a folder beside a backend.
    ///
    /// # Errors
    /// Those of opening the folder.
    pub(super) async fn of(
        inner: Arc<dyn Backend>,
        path: &Path,
        space: Space,
    ) -> Result<Self, Error> {
        let (pool, path) = (Pool::default(), path.to_owned());
        let folder = pool.run(move || OldFolder::at(&path)).await?;
        Ok(Self { inner, space, folder: Arc::new(folder), pool, seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn key(&self, id: &SessionId) -> SessionKey {
        SessionKey { space: self.space.clone(), id: id.clone() }
    }

    /// Works on the folder.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&OldFolder) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let folder = Arc::clone(&self.folder);
        self.pool.run(move || work(&folder)).await
    }

    async fn read(&self, files: &OldFiles) -> Result<OldSession, Error> {
        let files = files.clone();
        self.look(move |folder| folder.read(&files)).await
    }

    /// The journal that an older session has under a name.
    pub(super) async fn journal(
        &self,
        id: &SessionId,
        files: &OldFiles,
    ) -> Result<OldJournal, Error> {
        let (key, files) = (self.key(id), files.clone());
        self.look(move |folder| OldJournal::of(&key, &folder.read(&files)?)).await
    }

    /// Finds out what is under a name.
    ///
    /// # Errors
    /// *corrupt* for an older session that can't be read; those of the backend and the folder.
    pub(super) async fn standing(&self, key: &SessionKey) -> Result<Standing, Error> {
        if key.space != self.space || self.seen().own.contains(&key.id) {
            return Ok(Standing::Own);
        }
        let begun = match self.inner.head(key).await {
            Ok(head) => match Marker::of(&head.header) {
                Some(marker) if head.tip.position.number() < marker.end => {
                    (head.tip, self.look(move |folder| folder.one(&marker.id)).await?)
                }
                _ => {
                    self.seen().own.insert(key.id.clone());
                    return Ok(Standing::Own);
                }
            },
            Err(error) if error.kind() == ErrorKind::Missing => {
                (Tip::ABSENT, self.shown_as(&key.id).await?)
            }
            // It is the backend's to tell what is wrong with it.
            Err(error) if is_of_the_journal(&error) => return Ok(Standing::Own),
            Err(error) => return Err(error),
        };
        let (tip, Some(files)) = begun else { return Ok(Standing::Own) };
        let journal = self.journal(&key.id, &files).await.map_err(|error| error.about(key))?;
        // One that was begun of other bytes is nobody's: the session stands under another name.
        let is_of_it = journal.left_at(tip).is_some();
        Ok(if is_of_it { Standing::Old(journal, tip) } else { Standing::Own })
    }

    /// The files of the session that is shown under a name that is free.
    async fn shown_as(&self, id: &SessionId) -> Result<Option<OldFiles>, Error> {
        let name = id.as_str().to_owned();
        if let Some(files) = self.look(move |folder| folder.one(&name)).await? {
            return Ok(Some(files));
        }
        if !SourceIdentity::is_derived(id) {
            return Ok(None);
        }
        for files in self.look(OldFolder::all).await?.into_values() {
            let may_be = names(&files.id).any(|name| name == *id);
            if may_be && self.name(&files, None).await?.as_ref() == Some(id) {
                return Ok(Some(files));
            }
        }
        Ok(None)
    }

    /// All older sessions that are shown, by the names under which they are.
    ///
    /// # Errors
    /// Those of the backend and the folder.
    pub(super) async fn shown(&self) -> Result<BTreeMap<SessionId, OldFiles>, Error> {
        let all = self.look(OldFolder::all).await?;
        let own = if all.is_empty() { BTreeSet::new() } else { self.own_ids().await? };
        let mut shown = BTreeMap::new();
        for files in all.into_values() {
            if let Some(id) = self.name(&files, Some(&own)).await? {
                shown.insert(id, files);
            }
        }
        Ok(shown)
    }

    /// The ids of all journals of the backend's own.
    pub(super) async fn own_ids(&self) -> Result<BTreeSet<SessionId>, Error> {
        let mut ids = BTreeSet::new();
        loop {
            let page = self.inner.journals(&self.space, ids.last(), IDS).await?;
            let is_last = page.len() < IDS;
            ids.extend(page);
            if is_last {
                return Ok(ids);
            }
        }
    }

    /// The name under which a session is shown; none where it is taken over.
    ///
    /// That is its own. Where a journal stands under it that is something else, or that was made
    /// of the session before it went on in its files, it is the next one that is free.
    async fn name(
        &self,
        files: &OldFiles,
        own: Option<&BTreeSet<SessionId>>,
    ) -> Result<Option<SessionId>, Error> {
        let id = files.id.clone();
        let sizes = self.look(move |folder| folder.sizes(&id)).await?;
        if self.seen().taken.get(&files.id) == Some(&sizes) {
            return Ok(None);
        }
        for id in names(&files.id) {
            let bond = match own {
                Some(own) if !own.contains(&id) => Bond::Free,
                _ => self.bond(&id, files, &sizes).await?,
            };
            match bond {
                Bond::Free | Bond::Begun => return Ok(Some(id)),
                Bond::Other => {}
                Bond::Taken => {
                    self.seen().taken.insert(files.id.clone(), sizes);
                    return Ok(None);
                }
            }
        }
        let clause = "it went on in its files too often after it was taken over";
        Err(Error::new(ErrorKind::Conflict, clause)
            .with_hint("move its files away")
            .about(format!("session {}", files.id)))
    }

    async fn bond(&self, id: &SessionId, files: &OldFiles, sizes: &Sizes) -> Result<Bond, Error> {
        let key = self.key(id);
        let head = match self.inner.head(&key).await {
            Ok(head) => head,
            Err(error) if error.kind() == ErrorKind::Missing => return Ok(Bond::Free),
            Err(error) if is_of_the_journal(&error) => return Ok(Bond::Taken),
            Err(error) => return Err(error),
        };
        let Some(marker) = Marker::of(&head.header) else {
            let taken = head.deleted || self.begins_with_import(&key, &files.id).await?;
            return Ok(if taken { Bond::Taken } else { Bond::Other });
        };
        if marker.id != files.id {
            return Ok(Bond::Other);
        }
        if head.tip.position.number() < marker.end {
            let journal = self.journal(id, files).await;
            let is_of_it = journal.is_ok_and(|journal| journal.left_at(head.tip).is_some());
            return Ok(if is_of_it { Bond::Begun } else { Bond::Other });
        }
        if marker.files == *sizes {
            return Ok(Bond::Taken);
        }
        let has_all = match self.read(files).await {
            Ok(old) if marker::messages(&old.whole) == marker.messages => true,
            Ok(old) => self.has_imported(&key, &old).await?,
            Err(_) => false,
        };
        Ok(if has_all { Bond::Taken } else { Bond::Other })
    }

    /// Whether a journal began with an import of a session: it is for imports to take what the
    /// files have more.
    async fn begins_with_import(&self, key: &SessionKey, id: &str) -> Result<bool, Error> {
        let mut commits = self.inner.read(key, Span::ALL).await?;
        let Some(Ok(first)) = commits.next().await else { return Ok(false) };
        let mut imports = first.entries.iter().filter(|it| it.entry_type == EntryType::Import);
        let identity = SourceIdentity::of_name(Format::Legacy, id);
        Ok(imports.any(|import| import.data.decode().is_ok_and(|it| identity.is_of(&it))))
    }

    /// Whether a later import has taken all that a session has by now.
    async fn has_imported(&self, key: &SessionKey, old: &OldSession) -> Result<bool, Error> {
        let mut records = Parts::default();
        let data = old.whole.records.iter().map(|it| it.record.data.as_str());
        data.for_each(|data| records.push(data.as_bytes()));
        let identity = SourceIdentity::of_name(Format::Legacy, &*old.whole.id);
        let has_all = |it: &Import| identity.is_of(it) && it.records_digest == records.digest();
        let mut commits = self.inner.read(key, Span::ALL).await?;
        while let Some(commit) = commits.next().await {
            // What is damaged tells of no import.
            let entries = commit.map(|commit| commit.entries).unwrap_or_default();
            let mut imports = entries.iter().filter(|it| it.entry_type == EntryType::Import);
            if imports.any(|import| import.data.decode().is_ok_and(|it| has_all(&it))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes an older session a journal of the backend's: the same, under the same name, with the
    /// same numbers. Whoever does so at the same time does the same.
    ///
    /// # Errors
    /// *conflict* where something else took the name meanwhile; *unavailable* and others of
    /// appending, of which the caller's own mutation was not part.
    pub(super) async fn take_over(
        &self,
        key: &SessionKey,
        journal: &OldJournal,
        begun: Tip,
    ) -> Result<(), Error> {
        let left = journal.left_at(begun).unwrap_or_default();
        if left.is_empty() {
            return Ok(());
        }
        let appended = self.inner.append(key, Expected::At(begun), left).await;
        appended.map(drop).map_err(|error| {
            if error.kind() == ErrorKind::Conflict {
                return error;
            }
            let clause = "the older session could not be taken over";
            let failed = Error::new(error.kind(), clause).about(key);
            let failed = match error.hint() {
                Some(hint) => failed.with_hint(hint.to_owned()),
                None => failed,
            };
            let failed = if error.may_retry() { failed.retryable() } else { failed };
            failed.with_source(error)
        })
    }
}

/// Whether an error says something of a journal, and not of the place.
fn is_of_the_journal(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::UnknownVersion | ErrorKind::Permission)
}

/// The names under which a session may be shown, the most wanted first: those of imports, and more.
fn names(id: &str) -> impl Iterator<Item = SessionId> + use<> {
    let identity = SourceIdentity::of_name(Format::Legacy, id);
    let derived = {
        let identity = identity.clone();
        (0..MOST_NAMES).filter_map(move |number| identity.derived_id(number, None).ok())
    };
    identity.own_id().into_iter().chain(derived)
}
