//! The backend: the contract's methods over a place.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::{BoxFuture, join};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use object_store::ObjectStore;
use object_store::path::Path;
use sessile_core::backend::{
    Appended, Backend, Capabilities, Capability, Collection, Commits, DocKey, Document, Expected,
    Gist, Head, NewDocument, Precondition, Recency, Recent, Scope, SetAside, Span,
};
use sessile_core::commit::{Commit, Tip};
use sessile_core::entry::EntryType;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{Name, SessionId, SessionKey, Space};
use sessile_core::position::Seq;
use sessile_core::probe::Probe;
use sessile_core::revision::Revision;
use tokio::task;

use crate::catalog::Catalog;
use crate::counts::Counts;
use crate::documents;
use crate::known::{Journals, Known};
use crate::look::Session;
use crate::marker::Marker;
use crate::notes;
use crate::options::Options;
use crate::page::check_limit;
use crate::place::Place;
use crate::probe;
use crate::ranges;
use crate::row::Row;
use crate::shelf;
use crate::spaces;

/// How many sessions of a page are asked for at once.
const ROWS_ABREAST: usize = 16;

/// Sessions in object storage.
///
/// Clones share what is known of the place. It must be used within a tokio runtime with time
/// enabled. A write once begun is carried through also when nobody waits for it any more.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use object_store::{ObjectStore, memory::InMemory, path::Path};
/// use sessile_engine::{NewSession, Store};
/// use sessile_object::{ObjectBackend, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// // A client of a cloud stands here as well; see the features.
/// let place: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
/// let on = |place: &Arc<dyn ObjectStore>| {
///     let (reads, writes) = (Arc::clone(place), Arc::clone(place));
///     ObjectBackend::on(reads, writes, &Path::from("agents/prod"), Options::default())
/// };
/// let session = Store::on(Arc::new(on(&place))).create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
///
/// // What was acknowledged is there for every other process.
/// let elsewhere = Store::on(Arc::new(on(&place))).open_session("ses_42").await?;
/// assert_eq!(elsewhere.info().messages, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ObjectBackend {
    place: Arc<Place>,
    journals: Arc<Journals>,
    catalog: Catalog,
    marker: Arc<Marker>,
}

impl fmt::Debug for ObjectBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectBackend").field("place", &self.place).finish_non_exhaustive()
    }
}

impl ObjectBackend {
    /// Uses a place below a prefix, through two clients of it.
    ///
    /// Reads, lists and deletions go through `reads`, which should try again what fails.
    /// Conditional writes go through `writes`, which should not: whether a write that failed was
    /// applied is found out here. The same client for both is right all the same, and slower where
    /// answers get lost.
    pub fn on(
        reads: Arc<dyn ObjectStore>,
        writes: Arc<dyn ObjectStore>,
        prefix: &Path,
        options: Options,
    ) -> Self {
        let place = Arc::new(Place::new(reads, writes, prefix, options));
        let catalog = Catalog::new(Arc::clone(&place));
        Self { place, journals: Arc::default(), catalog, marker: Arc::default() }
    }

    /// How many requests it and its clones have made.
    pub fn counts(&self) -> Counts {
        self.place.client.counters.read()
    }

    /// Finds out whether the place keeps what sessions rest on: create-only writes and conditional
    /// swaps that hold also in a race. Writes and deletes objects of its own below the prefix.
    pub async fn probe(&self) -> Probe {
        probe::probe(&self.place.client, &self.place.keys).await.told()
    }

    fn session(&self, key: &SessionKey) -> Session {
        Session::new(Arc::clone(&self.place), key.clone(), self.journals.of(key))
    }

    /// Carries a change through in a task of its own, on a place that was found fit for it.
    async fn carry<T: Send + 'static>(
        &self,
        change: BoxFuture<'static, Result<T, Error>>,
    ) -> Result<T, Error> {
        self.marker.ensure(&self.place).await?;
        task::spawn(change).await.unwrap_or_else(|stopped| {
            let clause = "the runtime ended before it was known what became of it";
            Err(Error::new(ErrorKind::Unavailable, clause).with_source(stopped).outcome_unknown())
        })
    }

    async fn appended(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        let (session, catalog) = (self.session(key), self.catalog.clone());
        let appending = async move {
            let done = session.append(&catalog, expected, &commits).await?;
            if let Some(known) = done.written {
                let at = known.word.updated_at.millis();
                catalog.note(&session.key, at, Some(Arc::clone(&known))).await;
                merge_behind(session, &known);
            }
            Ok(done.appended)
        };
        self.carry(appending.boxed()).await.map_err(|error| error.about(key))
    }
}

/// Merges what the last object completes, in the background.
fn merge_behind(session: Session, known: &Known) {
    let (number, salt) = (known.last, known.begun.salt);
    let every = session.client().options().merge_every;
    if every > 0 && (number + 1).is_multiple_of(every) {
        task::spawn(async move {
            // Without it reading costs more requests, and nothing else.
            let _merged = ranges::merge(&session, number, salt).await;
        });
    }
}

#[async_trait]
impl Backend for ObjectBackend {
    fn name(&self) -> &'static str {
        "object"
    }

    fn capabilities(&self) -> Capabilities {
        let has =
            [Capability::Durable, Capability::CrossProcess, Capability::Mask, Capability::Purge];
        // A note is begun within the lag, and its write takes a while.
        Capabilities::of(has).with_recency_lag(self.place.client.options().catalog_lag * 2)
    }

    async fn append(
        &self,
        key: &SessionKey,
        expected: Expected,
        commits: Vec<Commit>,
    ) -> Result<Vec<Appended>, Error> {
        self.appended(key, expected, commits).await
    }

    async fn remove(
        &self,
        key: &SessionKey,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        if !tombstone.has(&EntryType::Delete) {
            let clause = "a tombstone has a `delete` entry";
            return Err(Error::new(ErrorKind::Refused, clause).about(key));
        }
        if expected == Tip::ABSENT {
            // Nothing is removed before it is created.
            let there = self.session(key).look_at_existing().await;
            let there = there.map_err(|error| error.about(key))?;
            return Err(Error::conflict(expected.position, there.tip.position).about(key));
        }
        let appended = self.appended(key, Expected::At(expected), vec![tombstone]).await?;
        appended.into_iter().next().ok_or_else(|| crate::look::missing().about(key))
    }

    async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        let session = self.session(key);
        let (checked, read) = join(self.marker.check(&self.place), session.read(span)).await;
        checked?;
        let commits = read.map_err(|error| error.about(key))?;
        let key = key.clone();
        Ok(Box::pin(commits.map(move |item| item.map_err(|error| error.about(&key)))))
    }

    async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        let session = self.session(key);
        let looking = session.look_at_existing();
        let (checked, known) = join(self.marker.check(&self.place), looking).await;
        checked?;
        Ok(known.map_err(|error| error.about(key))?.head())
    }

    async fn set_aside(&self, key: &SessionKey) -> Result<Vec<SetAside>, Error> {
        self.marker.check(&self.place).await?;
        self.session(key).off_the_chain().await.map_err(|error| error.about(key))
    }

    async fn rewrite(
        &self,
        key: &SessionKey,
        _expected: Tip,
        _commits: Commits,
    ) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Unsupported, "journals in object storage are not rewritten")
            .with_hint("merged ranges bound what reading them costs")
            .about(key))
    }

    async fn mask(&self, key: &SessionKey, expected: Tip, seqs: Vec<Seq>) -> Result<(), Error> {
        let (session, catalog) = (self.session(key), self.catalog.clone());
        let masking = async move {
            session.mask(expected, &seqs).await?;
            catalog.scrub(&session.key).await.map_err(Error::outcome_unknown)
        };
        self.carry(masking.boxed()).await.map_err(|error| error.about(key))
    }

    async fn purge(&self, key: &SessionKey) -> Result<(), Error> {
        let (session, catalog) = (self.session(key), self.catalog.clone());
        let purging = async move { session.purge(&catalog).await };
        self.carry(purging.boxed()).await.map_err(|error| error.about(key))
    }

    async fn journals(
        &self,
        space: &Space,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        check_limit(limit)?;
        self.marker.check(&self.place).await?;
        let folders = self.place.client.folders(&self.place.keys.sessions(space)).await?;
        let ids = folders.iter().filter_map(|folder| self.place.keys.session_of(space, folder));
        let mut ids: Vec<SessionId> =
            ids.filter(|id| after.is_none_or(|after| id > after)).collect();
        ids.sort_unstable();
        ids.truncate(limit);
        Ok(ids)
    }

    async fn recent(
        &self,
        space: &Space,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        check_limit(limit)?;
        self.marker.check(&self.place).await?;
        let noted = notes::noted(&self.place, space).await?;
        let mut rows: Vec<Row> = noted
            .into_iter()
            .map(|(id, noted)| Row::new(id, noted))
            .filter(|row| after.is_none_or(|after| row.recency.is_after(after)))
            .collect();
        rows.sort_by(|a, b| a.place().cmp(&b.place()));
        let rows = rows.into_iter().map(|row| {
            let id = row.recency.id.clone();
            let session = self.session(&SessionKey { space: space.clone(), id });
            async move { row.of(&session, scope).await }
        });
        // How many of a scope's are passed by before there are enough is not known beforehand.
        let abreast = if scope.is_empty() { ROWS_ABREAST.min(limit) } else { ROWS_ABREAST };
        let mut rows = stream::iter(rows).buffered(abreast);
        let mut recent = Vec::new();
        while recent.len() < limit {
            match rows.next().await {
                None => break,
                Some(row) => recent.extend(row?),
            }
        }
        Ok(recent)
    }

    fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        self.journals.of(key).tell(Arc::clone(&gist));
        self.catalog.tell(key, gist);
    }

    async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        check_limit(limit)?;
        self.marker.check(&self.place).await?;
        spaces::spaces(&self.place, after, limit).await
    }

    async fn get(&self, key: &DocKey) -> Result<Document, Error> {
        self.marker.check(&self.place).await?;
        documents::get(&self.place, key).await
    }

    async fn put(
        &self,
        key: &DocKey,
        document: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let (place, key) = (Arc::clone(&self.place), key.clone());
        let putting = async move { documents::put(&place, &key, &document, precondition).await };
        self.carry(putting.boxed()).await
    }

    async fn delete(&self, key: &DocKey, revision: Revision) -> Result<(), Error> {
        let (place, key) = (Arc::clone(&self.place), key.clone());
        let deleting = async move { documents::delete(&place, &key, revision).await };
        self.carry(deleting.boxed()).await
    }

    async fn documents(
        &self,
        collection: &Collection,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        check_limit(limit)?;
        self.marker.check(&self.place).await?;
        shelf::documents(&self.place, collection, after, limit).await
    }

    async fn close(&self) -> Result<(), Error> {
        self.catalog.flush().await
    }
}
