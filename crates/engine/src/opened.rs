//! A backend with the options of a store: what every handle of the store shares.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt as _;
use sessile_core::backend::{Capability, Commits, Head, Span, handover};
use sessile_core::digest::{Salt, Token};
use sessile_core::{
    Backend, CommitId, Error, ErrorKind, Limits, Revision, SessionId, SessionKey, StoredCommit,
    UnixMillis,
};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::deadline::Deadline;
use crate::entropy::{self, Entropy};
use crate::errand;
use crate::gate::Gate;
use crate::options::Options;

/// A backend that is opened as a store.
#[derive(Debug)]
pub(crate) struct Opened {
    backend: Arc<dyn Backend>,
    options: Options,
    gate: Gate,
    /// Held once more by each session that is open.
    sessions: Arc<()>,
}

impl Opened {
    /// Opens a backend with options.
    pub(crate) fn new(backend: Arc<dyn Backend>, options: Options) -> Self {
        Self { backend, options, gate: Gate::default(), sessions: Arc::default() }
    }

    /// The backend.
    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The backend, for others to hold.
    pub(crate) const fn shared_backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// Lets mutations in.
    pub(crate) const fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Counts a session as open, for as long as this is held.
    pub(crate) fn count_session(&self) -> Arc<()> {
        Arc::clone(&self.sessions)
    }

    /// How many sessions are open.
    pub(crate) fn sessions(&self) -> usize {
        Arc::strong_count(&self.sessions).saturating_sub(1)
    }

    /// The bounds on what the store takes.
    pub(crate) const fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// The options.
    pub(crate) const fn options(&self) -> &Options {
        &self.options
    }

    /// The source of randomness.
    pub(crate) fn entropy(&self) -> &dyn Entropy {
        &*self.options.entropy
    }

    /// The time now.
    pub(crate) fn now(&self) -> UnixMillis {
        self.options.clock.now()
    }

    /// A deadline for a call that begins now.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::after(self.options.deadline)
    }

    /// A token for an attempt to append.
    pub(crate) fn token(&self) -> Token {
        entropy::token(self.entropy())
    }

    /// A revision for a document that is put.
    pub(crate) fn revision(&self) -> Revision {
        entropy::revision(self.entropy())
    }

    /// A salt for a new journal.
    pub(crate) fn salt(&self) -> Salt {
        entropy::salt(self.entropy())
    }

    /// A new session id.
    pub(crate) fn session_id(&self) -> Result<SessionId, Error> {
        entropy::session_id(self.entropy(), self.now())
    }

    /// A new commit id.
    pub(crate) fn commit_id(&self) -> Result<CommitId, Error> {
        entropy::commit_id(self.entropy(), self.now())
    }

    /// Refuses what the backend can't do, before anything is done.
    ///
    /// # Errors
    /// *unsupported*, naming the capability.
    pub(crate) fn requires(&self, capability: Capability) -> Result<(), Error> {
        if self.backend.capabilities().has(capability) {
            return Ok(());
        }
        let clause = format!("its backend does not have the capability {}", capability.name());
        Err(Error::new(ErrorKind::Unsupported, clause))
    }

    /// Looks at a journal.
    pub(crate) async fn head(&self, key: &SessionKey) -> Result<Head, Error> {
        let head = self.backend.head(key);
        self.deadline().bound(head).await.flatten().map_err(|error| error.about(key))
    }

    /// Begins to read a journal.
    pub(crate) async fn read(&self, key: &SessionKey, span: Span) -> Result<Commits, Error> {
        let commits = self.backend.read(key, span);
        self.deadline().bound(commits).await.flatten().map_err(|error| error.about(key))
    }

    /// Reads the next commit of a stream.
    pub(crate) async fn next(&self, commits: &mut Commits) -> Option<Result<StoredCommit, Error>> {
        // What is at hand needs no clock.
        if let Poll::Ready(item) = poll_fn(|cx| Poll::Ready(commits.poll_next_unpin(cx))).await {
            return item;
        }
        match self.deadline().bound(commits.next()).await {
            Ok(item) => item,
            Err(deadline) => Some(Err(deadline)),
        }
    }

    /// Carries a mutation through, also when whoever waits for it goes away.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] on a closed store, or with an unknown outcome where the mutation
    /// was stopped; else those of the mutation.
    pub(crate) fn carry<T: Send + 'static>(
        &self,
        mutation: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> impl Future<Output = Result<T, Error>> + Send {
        // Boxed before it is part of another future, which would have room for it twice.
        let mutation = Box::pin(mutation);
        async move {
            let (answer, answered) = oneshot::channel();
            // Nobody waits any more: what was done stays done.
            self.begin(mutation, |done| drop(answer.send(done))).await?;
            answered.await.unwrap_or_else(|error| Err(stopped().with_source(error)))
        }
    }

    /// Begins a mutation that is carried through from then on, and tells what it came to once the
    /// store counts it no more.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] on a closed store: it did not begin.
    pub(crate) async fn begin<T: Send + 'static>(
        &self,
        mutation: impl Future<Output = T> + Send + 'static,
        tell: impl FnOnce(T) + Send + 'static,
    ) -> Result<(), Error> {
        let pass = self.deadline().bound(self.gate.enter()).await.flatten()?;
        let course = async move {
            let done = mutation.await;
            drop(pass);
            tell(done);
        };
        if self.gate.is_for_one() && has_other_threads() {
            handover::spare(|| errand::begin(course));
        } else {
            errand::begin(course);
        }
        Ok(())
    }

    /// Waits for mutations that run, refuses the next, and closes the backend.
    pub(crate) async fn close(&self) -> Result<(), Error> {
        self.gate.shut().await;
        self.backend.close().await
    }
}

/// Whether the runtime has other threads for its tasks, which go on while this one is blocked.
fn has_other_threads() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.metrics().num_workers() > 1)
}

/// What is answered for a mutation that ended before it had an answer.
pub(crate) fn stopped() -> Error {
    let clause = "the mutation was stopped before its answer came";
    Error::new(ErrorKind::Unavailable, clause).outcome_unknown()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;

    #[test]
    fn a_runtime_with_one_thread_for_its_tasks_has_no_others() {
        assert!(!has_other_threads(), "there is no runtime");
        let told =
            |mut runtime: Builder| runtime.build().unwrap().block_on(async { has_other_threads() });
        assert!(!told(Builder::new_current_thread()));
        let workers = |count| {
            let mut runtime = Builder::new_multi_thread();
            runtime.worker_threads(count);
            runtime
        };
        assert!(!told(workers(1)));
        assert!(told(workers(2)));
    }
}
