//! The backend: one lock before everything that a place holds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::{TryStreamExt as _, stream};
use sessile_core::backend::{
    Appended, Backend, Capabilities, Capability, Collection, Commits, DocKey, Document, Expected,
    Gist, Head, NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile_core::digest::Digest;
use sessile_core::id::{Name, SessionId};
use sessile_core::{Commit, Error, Revision, Seq, SessionKey, Space, StoredCommit, Tip};

use crate::place::Place;

/// The places that are shared by name; they live as long as the process.
static NAMED: Mutex<BTreeMap<String, MemoryBackend>> = Mutex::new(BTreeMap::new());

/// A place in memory. Clones are further handles on it; with the last one it is gone.
///
/// # Examples
/// ```
/// use sessile_core::backend::{Backend as _, Collection, DocKey, NewDocument, Precondition};
/// use sessile_core::digest::Token;
/// use sessile_core::{Revision, Space};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let place = MemoryBackend::new();
/// let elsewhere = place.clone();
/// let before = place.digest();
///
/// let collection = Collection { space: Space::default(), name: "notes".parse()? };
/// let key = DocKey { collection, name: "today".parse()? };
/// let revision = Revision::new(Token::from_random([7; 16]));
/// let value = NewDocument { bytes: "plums".into(), revision, session: None };
/// elsewhere.put(&key, value, Precondition::Absent).await?;
///
/// // It is one place for all its handles.
/// assert_eq!(place.get(&key).await?.bytes, "plums");
/// assert_ne!(place.digest(), before);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryBackend(Arc<Mutex<Place>>);

impl MemoryBackend {
    /// Makes a place that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the place that this process shares under a name; it is never gone before the
    /// process.
    pub fn named(name: &str) -> Self {
        let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
        named.entry(name.to_owned()).or_default().clone()
    }

    /// A digest over all that the place holds, by which a test sees whether it was written to.
    pub fn digest(&self) -> Digest {
        self.lock().digest()
    }

    /// A holder that panicked leaves nothing half done: changes are worked out before any is made.
    fn lock(&self) -> MutexGuard<'_, Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryBackend {
    /// Tells counts only: neither names nor content reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (journals, documents) = self.lock().counts();
        write!(f, "MemoryBackend({journals} journals, {documents} documents)")
    }
}

#[async_trait]
impl Backend for MemoryBackend {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::of([Capability::Rewrite, Capability::Mask, Capability::Purge])
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        self.lock()
            .change(&key.space, |space| space.append(key, expected, &commits))
            .map_err(|error| error.about(key))
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        self.lock()
            .change(&key.space, |space| space.remove(&key.id, expected, tombstone))
            .map_err(|error| error.about(key))
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        let commits = self
            .lock()
            .look(&key.space, |space| Ok(space.journal(&key.id)?.read(span).to_vec()))
            .map_err(|error: Error| error.about(key))?;
        let commits = commits.into_iter().map(|it| Ok(StoredCommit::clone(&it)));
        Ok(Box::pin(stream::iter(commits)))
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        self.lock()
            .look(&key.space, |space| Ok(space.journal(&key.id)?.head()))
            .map_err(|error: Error| error.about(key))
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.head(key).await.map(|_| Vec::new())
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        expected: Tip,
        commits: Commits,
    ) -> Result<(), Error> {
        let commits: Vec<StoredCommit> = commits.try_collect().await?;
        self.lock()
            .change(&key.space, |space| space.journal_mut(&key.id)?.rewrite(key, expected, commits))
            .map_err(|error| error.about(key))
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        self.lock()
            .change(&key.space, |space| space.journal_mut(&key.id)?.mask(expected, &seqs))
            .map_err(|error| error.about(key))
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        self.lock()
            .change(&key.space, |space| space.purge(&key.id))
            .map_err(|error| error.about(key))
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        self.lock().look(space, |space| space.ids(after, limit))
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        self.lock().look(space, |space| space.recent(scope, after, limit))
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.lock().change(&key.space, |space| {
            if let Ok(journal) = space.journal_mut(&key.id) {
                journal.note(gist);
            }
        });
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        self.lock().spaces(after, limit)
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        let Collection { space, name } = &key.collection;
        self.lock()
            .look(space, |space| space.document(name, &key.name))
            .map_err(|error| error.about(subject(key)))
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let Collection { space, name } = &key.collection;
        self.lock()
            .change(space, |space| {
                space.in_collection(name, |documents| {
                    documents.put(&key.name, document, precondition)
                })
            })
            .map_err(|error| error.about(subject(key)))
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        let Collection { space, name } = &key.collection;
        self.lock()
            .change(space, |space| {
                space.in_collection(name, |documents| documents.delete(&key.name, revision))
            })
            .map_err(|error| error.about(subject(key)))
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        self.lock().look(&collection.space, |space| space.documents(&collection.name, after, limit))
    }

    async fn close(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A document as an error speaks of it.
fn subject(key: &DocKey) -> String {
    format!("document {:?} in {:?}", key.name, key.collection.name)
}

#[cfg(test)]
mod tests;
