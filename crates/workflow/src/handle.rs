//! The handle, and who is let in by it.

use std::sync::Arc;

use sessile_core::digest::Digest;
use sessile_core::entry::shape::Header;
use sessile_core::{Error, ErrorKind, Payload, SessionId, SessionKey, header};
use sessile_engine::{Session, Store};

use crate::attached::Attached;
use crate::board::{BoardFold, MessageBoard};
use crate::fold::{self, Folding};
use crate::options::Options;
use crate::problem::Problem;

/// Workflow sessions of a space of a store.
///
/// A handle is cheap to clone and may be used from any number of tasks. All that is known of a
/// session stands in its journal, so that other handles and other processes may change it at any
/// time. Beside that a handle and its clones keep
/// [ephemeral instructions](crate::Begin::ephemeral), which end with them.
///
/// With an authority, every call first asks whose the session is: of another's it says nothing but
/// that there is none. Without one, ids are all it takes, and nothing can be begun or discovered.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_engine::Store;
/// use sessile_memory::MemoryBackend;
/// use sessile_workflow::{Begin, Event, Options, Workflow};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let options = Options::default();
/// let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// let workflow = Workflow::on(store, options)?.as_owner("team-7");
///
/// let begun = workflow.begin(Begin::new().project("shop").instruction("find the bug")).await?;
/// let id = begun.summary.id.clone();
/// workflow.record(id.as_str(), Event::new("tests_ran").body(&3)?.once("job-1")).await?;
///
/// // Later, perhaps in another process.
/// let more = Begin::new().resume(id.as_str()).project("shop").instruction("fix it").deny("shell");
/// let begun = workflow.begin(more).await?;
/// assert!(begun.reused && begun.capability_changed);
/// assert_eq!(begun.summary.events_total, 3);
/// assert_eq!(begun.summary.title.as_deref(), Some("find the bug"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Workflow {
    store: Store,
    options: Arc<Options>,
    owner: Option<Digest>,
    attached: Arc<Attached>,
}

impl Workflow {
    /// The options of a store that folds workflow sessions, and their boards.
    #[must_use]
    pub fn engine(engine: sessile_engine::Options, options: &Options) -> sessile_engine::Options {
        engine.fold(Arc::new(Folding::of(options.event_window))).fold(Arc::new(BoardFold))
    }

    /// The workflow sessions of a store's space, without an authority.
    ///
    /// # Errors
    /// *unsupported* for a store that was not opened with the options that
    /// [`engine`](Self::engine) makes.
    pub fn on(store: Store, options: Options) -> Result<Self, Error> {
        if !store.options().folds.iter().any(|it| it.name() == fold::NAME) {
            return Err(Problem::NotFolded.error());
        }
        let (options, attached) = (Arc::new(options), Arc::default());
        Ok(Self { store, options, owner: None, attached })
    }

    /// The same for an authority, named by a label of which only the SHA-256 is kept.
    #[must_use]
    pub fn as_owner(&self, label: impl AsRef<[u8]>) -> Self {
        self.as_owner_fingerprint(Digest::of(label.as_ref()))
    }

    /// The same for an authority, named by its fingerprint.
    #[must_use]
    pub fn as_owner_fingerprint(&self, fingerprint: Digest) -> Self {
        Self { owner: Some(fingerprint), ..self.clone() }
    }

    /// The store.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// What the sessions are held to.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The ephemeral instructions of a session; none after this handle and its clones are gone, or
    /// where they are not this authority's to see.
    ///
    /// # Errors
    /// *missing*, *expired*; those of opening the session.
    pub async fn ephemeral(&self, id: &str) -> Result<Option<Payload>, Error> {
        let session = self.admitted(id).await?;
        Ok(self.attached.of(session.id()))
    }

    /// The message board of a session.
    ///
    /// # Errors
    /// *missing*, *expired*; those of opening the session.
    pub async fn board(&self, id: &str) -> Result<MessageBoard, Error> {
        let session = self.admitted(id).await?;
        let entropy = Arc::clone(&self.store.options().entropy);
        Ok(MessageBoard::of(&session).bounds(self.options.board).entropy(entropy))
    }

    /// The same, to be shared.
    pub(crate) const fn shared_options(&self) -> &Arc<Options> {
        &self.options
    }

    /// What is attached to sessions in memory.
    pub(crate) fn attached(&self) -> &Attached {
        &self.attached
    }

    /// The authority.
    ///
    /// # Errors
    /// *refused* without one.
    pub(crate) fn owner(&self) -> Result<Digest, Error> {
        self.owner.ok_or_else(|| Problem::NoAuthority.error())
    }

    /// The session that a caller names, if it is the authority's.
    ///
    /// # Errors
    /// *missing* where there is none, or none of the authority's, or where what it is named by is
    /// no id; *expired* where it was the authority's and was deleted; those of opening it.
    pub(crate) async fn admitted(&self, id: &str) -> Result<Session, Error> {
        let id: SessionId = id.trim().parse().map_err(|_| Problem::Unknown.error())?;
        self.lookup(id).await
    }

    /// The session of an id, if it is the authority's.
    ///
    /// # Errors
    /// Those of [`admitted`](Self::admitted).
    pub(crate) async fn lookup(&self, id: SessionId) -> Result<Session, Error> {
        let key = SessionKey { space: self.store.space_name().clone(), id };
        let error = match self.store.open_session(&key.id).await {
            Ok(session) if self.owns(&session.info().header) => return Ok(session),
            Ok(_) => return Err(Problem::Unknown.about(&key)),
            Err(error) => error,
        };
        Err(match error.kind() {
            ErrorKind::Missing => Problem::Unknown.about(&key),
            ErrorKind::Deleted | ErrorKind::Incomplete => match self.header(&key).await {
                Ok(header) if !self.owns(&header) => Problem::Unknown.about(&key),
                Ok(_) if error.kind() == ErrorKind::Deleted => Problem::Expired.about(&key),
                Ok(_) => error,
                Err(unreadable) if unreadable.kind() == ErrorKind::Missing => {
                    Problem::Unknown.about(&key)
                }
                Err(unreadable) => unreadable,
            },
            _ => error,
        })
    }

    /// The answer to a call that met its session deleted: somebody was faster.
    pub(crate) fn expired(error: Error) -> Error {
        if error.kind() != ErrorKind::Deleted {
            return error;
        }
        let expired = Problem::Expired.error();
        match error.subject() {
            Some(subject) => expired.about(subject),
            None => expired,
        }
    }

    /// The header of a session that can't be opened.
    async fn header(&self, key: &SessionKey) -> Result<Header, Error> {
        let deadline = self.store.options().deadline;
        let head = tokio::time::timeout(deadline, self.store.backend().head(key)).await;
        let late = |_| Error::new(ErrorKind::Deadline, "the answer did not come in time");
        let head = head.map_err(late).flatten().map_err(|error| error.about(key))?;
        header::read(&head.header).map_err(|error| error.about(key))
    }

    fn owns(&self, header: &Header) -> bool {
        self.owner.is_none_or(|owner| header.owner == Some(owner))
    }
}
