//! The handle, what it tells, and what is asked of the store as a whole.

use std::fmt;
use std::sync::Arc;

use sessile_core::{Backend, CommitId, Error, ErrorKind, SessionId, SessionKey, Space};

use crate::opened::Opened;
use crate::options::Options;
use crate::residency::Residency;
use crate::status::Status;

/// A backend opened at a place, seen from one space.
///
/// A handle is cheap to clone and may be used from any number of tasks. Sessions of one space
/// can't be seen or reached from another, which answers as if they had never been. Every call
/// needs a tokio runtime whose time is enabled.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use sessile_engine::{Filter, NewSession, Page, Store};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let store = Store::on(Arc::new(MemoryBackend::new())).space("tenant-7")?;
/// let session = store.open_or_create("ses_42", NewSession::new().project("shop")).await?;
/// session.append(["hi"]).await?;
///
/// let page = store.list(Filter::all().project("shop"), Page::of(50)).await?;
/// assert_eq!(page.sessions[0].messages, 1);
/// assert!(page.next.is_none());
/// store.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Store {
    opened: Arc<Opened>,
    residency: Arc<Residency>,
    space: Space,
}

impl Store {
    /// Opens a backend in the default space, with default options.
    pub fn on(backend: Arc<dyn Backend>) -> Self {
        Self::with(backend, Options::default())
    }

    /// Opens a backend in the default space.
    pub fn with(backend: Arc<dyn Backend>, options: Options) -> Self {
        let residency = Residency::new(options.hot_target, options.cache_target)
            .writing_behind(options.write_behind);
        let residency = Arc::new(residency);
        let opened = Arc::new(Opened::new(backend, options));
        Self { opened, residency, space: Space::default() }
    }

    /// The same store, seen from another space.
    ///
    /// # Errors
    /// *invalid id* for a name that is none.
    pub fn space(&self, name: impl TryInto<Space, Error: Into<Error>>) -> Result<Self, Error> {
        let (opened, residency) = (Arc::clone(&self.opened), Arc::clone(&self.residency));
        Ok(Self { opened, residency, space: name.try_into().map_err(Into::into)? })
    }

    /// Tells what the store is doing now; asks the backend for nothing.
    pub fn status(&self) -> Status {
        Status::of(&self.opened, &self.residency, &self.space)
    }

    /// Lists the spaces that hold anything, in the order of names, after one, at most so many.
    ///
    /// # Errors
    /// *refused* for none at all; *unavailable*, *deadline*, *permission*.
    pub async fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        if limit == 0 {
            return Err(Error::new(ErrorKind::Refused, "a list of 0 spaces shows nothing")
                .with_hint("ask for at least 1"));
        }
        let spaces = self.opened.backend().spaces(after, limit);
        self.opened.deadline().bound(spaces).await.flatten()
    }

    /// Mints a commit id, for an append that is to be safe to repeat.
    ///
    /// # Errors
    /// None with the source of randomness of this crate.
    pub fn mint_commit_id(&self) -> Result<CommitId, Error> {
        self.opened.commit_id()
    }

    /// Waits for mutations under way in all spaces, writes what waits to be written, and gives back
    /// what the backend holds; every later mutation through this handle or another of the store is
    /// refused.
    ///
    /// # Errors
    /// *unavailable* when something could not be given back; nothing that was acknowledged is
    /// lost by it. Those of [`flush_through`](Self::flush_through): unless they are *superseded*,
    /// the store is open then as it was.
    pub async fn close(&self) -> Result<(), Error> {
        let flushed = match self.residency.behind() {
            Some(behind) => behind.close().await,
            None => Ok(()),
        };
        match flushed {
            Err(error) if error.kind() != ErrorKind::Superseded => Err(error),
            flushed => self.opened.close().await.and(flushed),
        }
    }

    /// The backend, for what is kept beside sessions.
    pub fn backend(&self) -> &Arc<dyn Backend> {
        self.opened.shared_backend()
    }

    /// What the store was opened with.
    pub fn options(&self) -> &Options {
        self.opened.options()
    }

    /// The store's backend and options.
    pub(crate) const fn opened(&self) -> &Arc<Opened> {
        &self.opened
    }

    /// What is kept in memory.
    pub(crate) const fn residency(&self) -> &Arc<Residency> {
        &self.residency
    }

    /// The space that it is seen from.
    pub const fn space_name(&self) -> &Space {
        &self.space
    }

    /// The name of a session in the space.
    pub(crate) fn key(
        &self,
        id: impl TryInto<SessionId, Error: Into<Error>>,
    ) -> Result<SessionKey, Error> {
        Ok(SessionKey { space: self.space.clone(), id: id.try_into().map_err(Into::into)? })
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("backend", self.opened.backend())
            .field("space", &self.space)
            .finish_non_exhaustive()
    }
}
