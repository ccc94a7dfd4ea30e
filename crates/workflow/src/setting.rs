//! The execution context of a session, and what it must not do.

use serde::Serialize;
use serde_json::json;
use sessile_core::entry::shape::Context;
use sessile_core::fold::{Lifecycle, SessionState};
use sessile_core::{EntryType, Error, Name, Payload, UnixMillis};
use sessile_engine::{Move, Operation};

use crate::beginning::changes;
use crate::context;
use crate::event::{CONTEXT_SET, Event};
use crate::handle::Workflow;
use crate::problem::Problem;
use crate::reading;
use crate::redaction::Redaction;
use crate::seen::{self, Seen};

/// What became of setting an execution context.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use serde_json::json;
/// use sessile_core::Payload;
/// use sessile_workflow::ContextSet;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// let (src, docs) = (json!({"default_cwd": "src"}), json!({"default_cwd": "docs"}));
/// let first: ContextSet = workflow.set_context(id.as_str(), &src).await?;
/// assert!(first.changed && first.previous.is_none());
/// // The same again is no change.
/// assert!(!workflow.set_context(id.as_str(), &src).await?.changed);
/// // For whoever is to go back there when this is done.
/// let other = workflow.set_context(id.as_str(), &docs).await?;
/// assert_eq!(other.previous, Some(Payload::of(&src)?));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextSet {
    /// The one before; none where there was none, or where it was removed.
    pub previous: Option<Payload>,
    /// Whether it was another.
    pub changed: bool,
}

/// Why something is not to be done in a session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use sessile_workflow::Denial;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let id = workflow.begin(Begin::new().mode("read_only")).await?.summary.id;
/// let why = |guard| workflow.denial(id.as_str(), [guard]);
/// assert_eq!(why("write").await?, Some(Denial::Guard("write".to_owned())));
/// assert_eq!(why("network").await?, None);
/// // When it is over nothing is to be done in it, whatever its guards allow.
/// workflow.close(id.as_str()).await?;
/// assert_eq!(why("network").await?, Some(Denial::Closed));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The session is closed.
    Closed,
    /// This guard denies it.
    Guard(String),
}

impl Workflow {
    /// Sets the execution context of an active session, whole; an empty object clears it.
    ///
    /// It adds one event, also where nothing changes. It needs no expected position: the last
    /// context counts.
    ///
    /// # Errors
    /// In this order: *missing*, *expired*; *closed*; *refused* for a session without a project;
    /// *refused* for what is no context. Then *unavailable*, *deadline*, *permission*.
    pub async fn set_context<T: Serialize + ?Sized>(
        &self,
        id: &str,
        context: &T,
    ) -> Result<ContextSet, Error> {
        let session = self.admitted(id).await?;
        let checked = Payload::of(context)
            .and_then(|context| context::check(&*self.options().context, &context));
        let setting = Setting { checked, redaction: self.options().redaction.clone() };
        let performed = session.perform(setting).await.map_err(Self::expired)?;
        let (before, changed) = performed.answer;
        let previous = reading::context(&session, &before.fold).await?;
        Ok(ContextSet { previous, changed })
    }

    /// The execution context that work in a project starts from: of an active session of this
    /// project only; none otherwise.
    ///
    /// # Errors
    /// *missing*, *expired*; those of reading.
    pub async fn context(&self, id: &str, project: &Name) -> Result<Option<Payload>, Error> {
        let session = self.admitted(id).await?;
        let seen = Seen::of(&session.state().await.map_err(Self::expired)?)?;
        let is_theirs = seen.header.project.as_ref() == Some(project);
        if seen.lifecycle != Lifecycle::Active || !is_theirs {
            return Ok(None);
        }
        reading::context(&session, &seen.fold).await
    }

    /// Why something is not to be done in a session that these guards stand for, of which the
    /// first that denies it is named; none where it may be done. Reads need no guards, and nobody
    /// need ask for them.
    ///
    /// A session that is not there denies nothing: whoever goes on finds that out.
    ///
    /// # Errors
    /// *corrupt* where the guards can't be read: nothing is known to be allowed then; those of
    /// opening the session but for *missing* and *expired*.
    pub async fn denial<'a>(
        &self,
        id: &str,
        guards: impl IntoIterator<Item = &'a str>,
    ) -> Result<Option<Denial>, Error> {
        let session = match self.admitted(id).await {
            Ok(session) => session,
            Err(error) => {
                return match Problem::of(&error) {
                    Some(Problem::Unknown | Problem::Expired) => Ok(None),
                    _ => Err(error),
                };
            }
        };
        let info = session.refresh().await.map_err(Self::expired)?;
        if info.lifecycle != Lifecycle::Active {
            return Ok(Some(Denial::Closed));
        }
        let stored = self.options().modes.stored(info.meta.value(crate::guards::KEY))?;
        Ok(stored.denies(guards).map(|guard| Denial::Guard(guard.to_owned())))
    }
}

/// A context that is to be set.
#[derive(Debug)]
struct Setting {
    checked: Result<Payload, Error>,
    redaction: Redaction,
}

impl Operation for Setting {
    type Answer = (Seen, bool);
    type Refusal = Error;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<(Seen, bool)>, Error> {
        seen::check_active(state)?;
        if state.header().project.is_none() {
            return Err(Problem::NoProject.error());
        }
        let context = self.checked.clone()?;
        let before = Seen::of(state)?;
        let changed = changes(&before, &context);
        let event = Event::new(CONTEXT_SET).body(&json!({"changed": changed}))?;
        let drafts = vec![
            (EntryType::Context, Payload::of(&Context { context })?),
            (EntryType::Event, event.data(&self.redaction)?),
        ];
        Ok(Move::Append(drafts, (before, changed)))
    }
}
