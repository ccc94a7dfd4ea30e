//! Bindings for those who can't do anything about a failure.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sessile_core::Error;
use sessile_interchange::binding::NewBinding;

use crate::bindings::Bindings;

/// Bindings whose changes never fail: the first failure is reported, later ones are silent.
///
/// What could not be stored holds in this process. Reading fails as it does without this: what
/// can't be read is no absence.
///
/// # Examples
/// ```
/// use sessile_interchange::binding::NewBinding;
/// use sessile_records::{BestEffort, Bindings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let bindings = BestEffort::of(Bindings::in_memory(), |error| eprintln!("{error}"));
/// let new = NewBinding { session_id: "0198-a", harness: "claude", driver: "claude-code" };
/// assert_eq!(bindings.put("ctx_1", &new).await, None);
/// assert_eq!(bindings.forget("ctx_1", "a person").await, Some("0198-a".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct BestEffort {
    bindings: Bindings,
    report: Arc<dyn Fn(&Error) + Send + Sync>,
    is_reported: Arc<AtomicBool>,
}

impl BestEffort {
    /// Makes bindings best effort; the report is called once for this value and its clones.
    pub fn of(bindings: Bindings, report: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self { bindings, report: Arc::new(report), is_reported: Arc::default() }
    }

    /// The bindings themselves.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// Binds a session, whatever was bound before; answers the id that was.
    pub async fn put(&self, context: &str, new: &NewBinding<'_>) -> Option<String> {
        let (replaced, stored) = self.bindings.put_and_tell(context, new).await;
        self.report(stored);
        replaced
    }

    /// Forgets the binding of a context; answers the session that it was bound to.
    pub async fn forget(&self, context: &str, asker: &str) -> Option<String> {
        let (forgotten, removed) = self.bindings.forget_and_tell(context, asker).await;
        self.report(removed);
        forgotten
    }

    fn report(&self, done: Result<(), Error>) {
        if let Err(error) = done
            && !self.is_reported.swap(true, Ordering::Relaxed)
        {
            (self.report)(&error);
        }
    }
}

impl fmt::Debug for BestEffort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BestEffort").field("bindings", &self.bindings).finish_non_exhaustive()
    }
}
