//! Which session goes on with a conversation.

mod map;
mod changing;
mod leaving;

use std::collections::BTreeSet;
use std::fmt;
#[cfg(feature = "fs")]
use std::path::PathBuf;
use std::sync::Arc;

use sessile_core::{Backend, Error, ErrorKind, Name, SessionId, Space};
use sessile_engine::{Options, Store};
use sessile_interchange::binding::{self, Binding, Continuing, NewBinding, Plan, Unreadable};

use self::map::Map;
use crate::basis;
use crate::kept::Kept;
use crate::remembered::Known;
use crate::shelf::Shelf;

/// The collection that they lie in.
const COLLECTION: &str = "bindings";

/// What is bound to sessions of the place itself says so, for people.
const HARNESS: &str = "sessile";

/// The bindings of contexts, each to the session that goes on with its conversation.
///
/// What was bound or forgotten in this process stands before what is stored, also when storing it
/// failed; clones share that. They are kept as documents of any backend, with the feature `fs` as
/// files in the layout of [another program](sessile_interchange::binding), or nowhere.
///
/// An entry that can't be read is an error and no absence, unless
/// [told otherwise](Self::treating_unreadable_as_absent).
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_core::{ErrorKind, Space};
/// use sessile_interchange::binding::{Continuing, NewBinding, Plan};
/// use sessile_memory::MemoryBackend;
/// use sessile_records::Bindings;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let memory = MemoryBackend::new();
/// let bindings = Bindings::on(Arc::new(memory.clone()), Space::default());
/// let planned = bindings.plan(Continuing::IfAny, Some("ctx_1")).await?;
/// assert_eq!(planned, Plan::Remember);
/// let new = NewBinding { session_id: "0198-a", harness: "claude", driver: "claude-code" };
/// bindings.put("ctx_1", &new).await?;
///
/// // The next process.
/// let bindings = Bindings::on(Arc::new(memory), Space::default());
/// let planned = bindings.plan(Continuing::Must, Some("ctx_1")).await?;
/// assert_eq!(planned, Plan::Resume("0198-a".to_owned()));
/// let other = NewBinding { session_id: "0198-b", ..new };
/// let refused = bindings.bind("ctx_1", None, &other).await.unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::Conflict);
/// assert_eq!(bindings.forget("ctx_1", "a person").await?, Some("0198-a".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Bindings {
    map: Map,
    witness: Option<Witness>,
}

/// What is told of each binding that was forgotten.
type Witness = Arc<dyn Fn(&Forgotten) + Send + Sync>;

/// That a binding was forgotten.
///
/// # Examples
/// ```
/// # use std::sync::{Arc, Mutex};
/// # use sessile_interchange::binding::NewBinding;
/// use sessile_records::{Bindings, Forgotten};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let log = Arc::new(Mutex::new(Vec::new()));
/// let kept = Arc::clone(&log);
/// let bindings = Bindings::in_memory().witnessed(move |it: &Forgotten| {
///     kept.lock().unwrap().push(format!("{}: {}, by {}", it.context, it.session_id, it.asker));
/// });
/// let new = NewBinding { session_id: "0198-a", harness: "claude", driver: "claude-code" };
/// bindings.put("ctx_1", &new).await?;
/// bindings.forget("ctx_1", "a person").await?;
/// // To forget what is not bound is fine, and nothing to tell.
/// bindings.forget("ctx_1", "a person").await?;
/// assert_eq!(*log.lock().unwrap(), ["ctx_1: 0198-a, by a person"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// The context that was bound.
    pub context: String,
    /// The session that it was bound to.
    pub session_id: String,
    /// Who asked.
    pub asker: String,
}

impl Bindings {
    fn kept(kept: Kept, options: Options) -> Self {
        Self { map: Map::kept(kept, options), witness: None }
    }

    /// Bindings that live as long as this value and its clones.
    pub fn in_memory() -> Self {
        Self::kept(Kept::Nowhere, Options::default())
    }

    /// The bindings of a space of a backend, with the usual options.
    pub fn on(backend: Arc<dyn Backend>, space: Space) -> Self {
        Self::with(backend, space, Options::default())
    }

    /// The same with options: clock, randomness, deadline, and the limits of documents.
    pub fn with(backend: Arc<dyn Backend>, space: Space, options: Options) -> Self {
        let shelf = Shelf::of(backend, space, COLLECTION, options.clone());
        Self::kept(Kept::Documents(shelf), options)
    }

    /// The bindings of a record below the folder of all conversations, as files in the other
    /// program's layout. Nothing is looked at and nothing made before the first put.
    ///
    /// A record or context whose name is not one segment of a path, or begins with a dot, has no
    /// file: it is bound in memory, and putting it says so.
    #[cfg(feature = "fs")]
    pub fn in_folder(
        root: impl Into<PathBuf>,
        record: impl Into<String>,
        options: Options,
    ) -> Self {
        let most = u64::try_from(options.limits.document_bytes).unwrap_or(u64::MAX);
        Self::kept(Kept::Folder { root: root.into(), record: record.into(), most }, options)
    }

    /// Those of a record, apart from all others, where they are kept as documents; the others are
    /// as they were.
    ///
    /// # Errors
    /// [`InvalidId`](sessile_core::ErrorKind::InvalidId) for a name that is none, or has more than
    /// 1,000 bytes.
    pub fn record(mut self, name: impl TryInto<Name, Error: Into<Error>>) -> Result<Self, Error> {
        let Map { kept, unreadable, options, .. } = self.map;
        let kept = if let Kept::Documents(documents) = kept {
            Kept::Documents(documents.within(name.try_into().map_err(Into::into)?)?)
        } else {
            kept
        };
        self.map = Map { unreadable, ..Map::kept(kept, options) };
        Ok(self)
    }

    /// The same, for which an entry that can't be read is none, and is overwritten.
    #[must_use]
    pub fn treating_unreadable_as_absent(mut self) -> Self {
        self.map.unreadable = Unreadable::TreatAsAbsent;
        self
    }

    /// The same, and this is told of each binding that is forgotten, with who asked.
    #[must_use]
    pub fn witnessed(self, witness: impl Fn(&Forgotten) + Send + Sync + 'static) -> Self {
        Self { witness: Some(Arc::new(witness)), ..self }
    }

    /// How the place of a context's binding is called: a document, or a file by its path; none
    /// where it has none. Nothing is looked at.
    pub fn place(&self, context: &str) -> Option<String> {
        self.map.kept.spot(context).ok().flatten().map(|spot| spot.told())
    }

    /// The binding of a context, if there is one.
    ///
    /// # Errors
    /// *corrupt* where what is stored can't be read, *unavailable*, *deadline*, *permission*:
    /// never taken for absence.
    pub async fn get(&self, context: &str) -> Result<Option<Binding>, Error> {
        match self.map.remembered.of(context) {
            Some(Known::Bound(binding)) => return Ok(Some(binding)),
            Some(Known::Forgotten) => return Ok(None),
            None => {}
        }
        // A context without a place has nothing stored.
        let Ok(Some(spot)) = self.map.kept.spot(context) else { return Ok(None) };
        let stored = spot.read().await?;
        let bound = binding::get(stored.bytes.as_deref(), self.map.unreadable);
        bound.map_err(|error| spot.about(error, &stored))
    }

    /// Plans a turn of a context: a new session, a new one that is remembered, or one to resume.
    ///
    /// # Errors
    /// *missing* that names the place, where the turn must go on and nothing is bound; those of
    /// [`get`](Self::get).
    pub async fn plan(&self, continuing: Continuing, context: Option<&str>) -> Result<Plan, Error> {
        let entry = match (continuing, context) {
            (Continuing::No, _) | (_, None) => None,
            (_, Some(context)) => self.get(context).await?,
        };
        let place = context.and_then(|context| self.place(context));
        let place = place.unwrap_or_else(|| "the context".to_owned());
        binding::plan(continuing, context, entry.as_ref(), &place)
    }

    /// Binds a session, whatever was bound before; answers the id that was. An empty id does
    /// nothing.
    ///
    /// When the context was first bound stays, and the last change never falls.
    ///
    /// # Errors
    /// After any of them it is bound in this process all the same: *invalid id* for a context that
    /// has no place, *corrupt* where what is stored can't be read, *exists* where another tool's
    /// file stands there, *unavailable*, *deadline*, *permission*, *refused* above the limit of a
    /// document.
    pub async fn put(&self, context: &str, new: &NewBinding<'_>) -> Result<Option<String>, Error> {
        let (replaced, stored) = self.put_and_tell(context, new).await;
        stored.map(|()| replaced)
    }

    /// Binds a session where another one, or none, is expected to be stored. Binding what is bound
    /// already changes nothing.
    ///
    /// # Errors
    /// After any of them nothing is bound that was not, unless the outcome is unknown: *conflict*
    /// that names the session that is bound, and those of [`put`](Self::put).
    pub async fn bind(
        &self,
        context: &str,
        expected: Option<&str>,
        new: &NewBinding<'_>,
    ) -> Result<(), Error> {
        changing::bind(&self.map, context, expected, new).await
    }

    /// Takes over the bytes of a binding's file as they are; answers whether they were not there
    /// yet.
    ///
    /// # Errors
    /// *corrupt* of the bytes, *refused* where they bind nothing, *conflict* that names what is
    /// bound where that is stored otherwise, and those of [`bind`](Self::bind).
    pub async fn take_over(&self, context: &str, bytes: &[u8]) -> Result<bool, Error> {
        changing::take_over(&self.map, context, bytes).await
    }

    /// Forgets the binding of a context; answers the session that it was bound to. That nothing was
    /// bound is fine. Folders stay.
    ///
    /// # Errors
    /// After any of them it is forgotten in this process all the same: *corrupt* where what is
    /// stored can't be read, *unavailable*, *deadline*, *permission*.
    pub async fn forget(&self, context: &str, asker: &str) -> Result<Option<String>, Error> {
        let (forgotten, removed) = self.forget_and_tell(context, asker).await;
        removed.map(|()| forgotten)
    }

    /// Forgets every binding to one of these sessions, as far as they are kept as documents; answers
    /// how many there were. For sessions that were [erased](Store::erase): a binding outlives its
    /// session otherwise, and says that it is deleted.
    ///
    /// # Errors
    /// What could not be read stays, and is told when all others are forgotten: *corrupt*. Those of
    /// [`forget`](Self::forget).
    pub async fn forget_sessions(
        &self,
        sessions: &BTreeSet<SessionId>,
        asker: &str,
    ) -> Result<usize, Error> {
        let (contexts, unread) = leaving::contexts(&self.map, sessions).await?;
        for context in &contexts {
            self.forget(context, asker).await?;
        }
        unread.map_or(Ok(contexts.len()), Err)
    }

    /// Binds a session of the same space, where another one, or none, is expected to be stored.
    ///
    /// # Errors
    /// *missing* and *deleted* of the session: nothing is bound to what is not there. *unsupported*
    /// where bindings are no documents; those of [`bind`](Self::bind).
    pub async fn bind_session(
        &self,
        context: &str,
        expected: Option<&SessionId>,
        session: &SessionId,
    ) -> Result<(), Error> {
        let documents = self.documents()?;
        basis::check_session(documents, session, &documents.patience()).await?;
        let new = NewBinding { session_id: session.as_str(), harness: HARNESS, driver: HARNESS };
        self.bind(context, expected.map(SessionId::as_str), &new).await
    }

    /// The session of the same space that a context is bound to, if it is bound.
    ///
    /// # Errors
    /// *deleted* where it was deleted, purged included, and *missing* where it never was: forget
    /// the binding then. *invalid id* where the context is bound to what is no session of a store,
    /// *unsupported* where bindings are no documents; those of [`get`](Self::get).
    pub async fn resolve(&self, context: &str) -> Result<Option<SessionId>, Error> {
        let documents = self.documents()?;
        let Some(binding) = self.get(context).await? else { return Ok(None) };
        let session = binding.session_id.parse()?;
        basis::check_session(documents, &session, &documents.patience()).await?;
        Ok(Some(session))
    }

    fn documents(&self) -> Result<&Shelf, Error> {
        if let Kept::Documents(documents) = &self.map.kept {
            return Ok(documents);
        }
        Err(Error::new(ErrorKind::Unsupported, "these bindings are not kept in a store"))
    }

    /// Binds a session; what was bound before, and whether it was stored.
    pub(crate) async fn put_and_tell(
        &self,
        context: &str,
        new: &NewBinding<'_>,
    ) -> (Option<String>, Result<(), Error>) {
        changing::put(&self.map, context, new).await
    }

    /// Forgets a binding; what was bound, and whether that is gone from where it was stored.
    pub(crate) async fn forget_and_tell(
        &self,
        context: &str,
        asker: &str,
    ) -> (Option<String>, Result<(), Error>) {
        let (forgotten, removed) = changing::forget(&self.map, context).await;
        if let (Some(session_id), Some(witness)) = (&forgotten, &self.witness) {
            witness(&Forgotten {
                context: context.to_owned(),
                session_id: session_id.clone(),
                asker: asker.to_owned(),
            });
        }
        (forgotten, removed)
    }
}

impl fmt::Debug for Bindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bindings").field("kept", &self.map.kept).finish_non_exhaustive()
    }
}

impl From<&Store> for Bindings {
    /// The bindings of a store's space, with its options. Closing the store does not wait for
    /// them.
    fn from(store: &Store) -> Self {
        let backend = Arc::clone(store.backend());
        Self::with(backend, store.space_name().clone(), store.options().clone())
    }
}
