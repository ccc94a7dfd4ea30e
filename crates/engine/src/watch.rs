//! Waiting for what others add to a session.

use std::time::Duration;

use sessile_core::fold::Lifecycle;
use sessile_core::{Error, ErrorKind, Position};

use crate::deadline::pause;
use crate::info::Info;
use crate::session::Session;

/// The waits between two looks, by default: the first, and the longest of those that follow.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// A session that is watched; [`Session::watch`] begins it.
///
/// What the handles of the same store add is known at once; where the backend tells of changes
/// that others make (files do), so is that, and everywhere else it is looked for again and again:
/// soon after a change, and more and more seldom while nothing happens. Dropping it ends it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Position;
/// use sessile_engine::Watch;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let mut watch: Watch = session.watch().from(Position::START);
/// // What is there already comes at once.
/// assert_eq!(watch.next().await?.position, session.position());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "nothing is waited for before it is asked"]
pub struct Watch {
    session: Session,
    seen: Position,
    shortest: Duration,
    longest: Duration,
    wait: Duration,
}

impl Session {
    /// Watches the session from its present end on, as far as that is known here.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{From, NewSession, Store};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// let session = store.create(NewSession::new()).await?;
    /// let mut watch = session.watch();
    /// let elsewhere = store.open_session(session.id()).await?;
    /// let done = elsewhere.append(["hello"]).await?;
    /// assert_eq!(watch.next().await?.position, done.position);
    /// let mut new = session.transcript::<String>(From::seq(done.first)).await?;
    /// assert_eq!(new.next().await.transpose()?.as_deref(), Some("hello"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn watch(&self) -> Watch {
        Watch::begin(self.clone())
    }
}

impl Watch {
    /// Begins where the journal is known to end.
    fn begin(session: Session) -> Self {
        let seen = session.position();
        Self { session, seen, shortest: SHORTEST, longest: LONGEST, wait: SHORTEST }
    }

    /// Begins from an earlier position than the present one: what was added since is told first.
    pub const fn from(mut self, position: Position) -> Self {
        self.seen = position;
        self
    }

    /// How long to wait between two looks: at first, and at most while nothing happens. The
    /// default is 100 ms and 5 s; each look at object storage is a request.
    pub const fn every(mut self, shortest: Duration, longest: Duration) -> Self {
        (self.shortest, self.longest, self.wait) = (shortest, longest, shortest);
        self
    }

    /// Waits until something was added since the last time, and tells what is known then.
    ///
    /// Nothing is missed: what is added between two calls is told by the later one. To stop
    /// waiting, drop the future.
    ///
    /// # Errors
    /// *missing* or *deleted* when the session is gone; *unavailable*, *deadline*, *permission*:
    /// asking again goes on watching.
    pub async fn next(&mut self) -> Result<Info, Error> {
        loop {
            let info = self.session.refresh().await?;
            if info.lifecycle == Lifecycle::Deleted {
                let error = Error::new(ErrorKind::Deleted, "it was deleted");
                return Err(error.about(self.session.key()));
            }
            if info.position > self.seen {
                self.seen = info.position;
                self.wait = self.shortest;
                return Ok(info);
            }
            pause(self.wait, self.told()).await;
            self.wait = self.wait.saturating_mul(2).min(self.longest).max(self.shortest);
        }
    }

    /// Waits until somebody tells that something may have changed.
    async fn told(&self) {
        let (opened, key) = (self.session.opened(), self.session.key());
        let here = self.session.moved_past(self.seen);
        let there = opened.backend().changed(key);
        futures_util::pin_mut!(here, there);
        let _whichever = futures_util::future::select(here, there).await;
    }
}
