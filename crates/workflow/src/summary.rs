//! What a workflow session is, and what happened in it lately.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use sessile_core::fold::Lifecycle;
use sessile_core::{Error, Name, Payload, Position, SessionId, UnixMillis};
use sessile_engine::Session;

use crate::board::Standing;
use crate::event::{EventRow, Instruction};
use crate::guards::Guards;
use crate::handle::Workflow;
use crate::options::Options;
use crate::reading::{self, Events};
use crate::redaction::{Redaction, cut};
use crate::seen::Seen;

/// A workflow session at one moment.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_workflow::{Begin, Event, Options, Summary, Workflow};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let mut options = Options::default();
/// options.event_window = 3;
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let id = workflow.begin(Begin::new().instruction("find the bug")).await?.summary.id;
/// for _ in 0..4 {
///     workflow.record(id.as_str(), Event::new("tests_ran")).await?;
/// }
/// let summary: Summary = workflow.summary(id.as_str(), Some(2)).await?;
/// // Counted for ever, by kind within the window, and the last ones told.
/// assert_eq!((summary.events_total, summary.kinds["tests_ran"], summary.events.len()), (5, 3, 2));
/// // It is known what the session was told to do, though that has left the window.
/// assert_eq!(summary.first_retained, 2);
/// assert_eq!(summary.instruction.and_then(|it| it.text).as_deref(), Some("find the bug"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Its id.
    pub id: SessionId,
    /// Its title, without secrets and not longer than is shown.
    pub title: Option<String>,
    /// Whether the title that is stored is another.
    pub title_truncated: bool,
    /// The project it belongs to.
    pub project: Option<Name>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// When it was created.
    pub created_at: UnixMillis,
    /// When something was last added to it.
    pub updated_at: UnixMillis,
    /// Where its journal ended.
    pub position: Position,
    /// What it must not do.
    pub guards: Guards,
    /// What its work starts from; none where nothing was said, or where it was removed.
    pub context: Option<Payload>,
    /// What it was created with to be compared with later.
    pub baseline: Option<Payload>,
    /// What it was last told to do, wherever the window begins.
    pub instruction: Option<Instruction>,
    /// How many of the events in the window are of each kind.
    pub kinds: BTreeMap<String, u64>,
    /// The last events, oldest first.
    pub events: Vec<EventRow>,
    /// How many events there were in all.
    pub events_total: u64,
    /// How many of them are in the window.
    pub events_retained: u64,
    /// How many have left it.
    pub events_evicted: u64,
    /// Whether events in the window do not hold any more what they held.
    pub retention_truncated: bool,
    /// Which event is the first in the window, from 0.
    pub first_retained: u64,
    /// Which is the first that is shown.
    pub first_returned: u64,
    /// Whether there are more than are shown.
    pub events_truncated: bool,
    /// What its board holds, counted; none where the store does not fold boards. What the messages
    /// say tells [`MessageBoard::overview`](crate::board::MessageBoard::overview).
    pub messages: Option<Standing>,
}

impl Summary {
    /// What was seen of a session, with so many events at most.
    ///
    /// # Errors
    /// Those of reading; *corrupt* where damage lies among the events in the window.
    pub(crate) async fn of(
        session: &Session,
        seen: &Seen,
        options: &Options,
        limit: Option<usize>,
    ) -> Result<Self, Error> {
        let limit = limit.unwrap_or(options.summary_events).min(options.summary_events_most);
        let fold = &seen.fold;
        let mut kinds = BTreeMap::new();
        let mut events = VecDeque::new();
        let mut retention_truncated = false;
        if let Some(first) = fold.first_retained() {
            let mut retained = Events::of(session, first, seen.position).await?;
            while let Some(row) = retained.next_row(&options.redaction).await? {
                *kinds.entry(row.kind.clone()).or_insert(0) += 1;
                retention_truncated |= row.removed;
                events.push_back(row);
                if events.len() > limit {
                    events.pop_front();
                }
            }
        }
        let stored = seen.meta.title();
        let title = stored.as_deref().map(|title| shown(title, options));
        let total = fold.observed();
        let returned = u64::try_from(events.len()).unwrap_or(u64::MAX);
        let events_evicted = total.saturating_sub(fold.retained());
        Ok(Self {
            id: seen.header.id.clone(),
            title_truncated: title != stored,
            title,
            project: seen.header.project.clone(),
            lifecycle: seen.lifecycle,
            created_at: seen.header.created_at,
            updated_at: seen.updated_at,
            position: seen.position,
            guards: seen.guards(&options.modes)?,
            context: reading::context(session, fold).await?,
            baseline: seen.baseline().cloned(),
            instruction: reading::instruction(session, fold)
                .await?
                .map(|it| without_secrets(it, &options.redaction)),
            kinds,
            events: events.into(),
            events_total: total,
            events_retained: fold.retained(),
            events_evicted,
            retention_truncated,
            first_retained: events_evicted,
            first_returned: total.saturating_sub(returned),
            events_truncated: total > returned,
            messages: seen.messages.clone(),
        })
    }
}

/// A title as it is shown.
pub(crate) fn shown(title: &str, options: &Options) -> String {
    cut(options.redaction.text(title), options.title_chars).to_owned()
}

/// An instruction that another program may have stored as it was given.
pub(crate) fn without_secrets(instruction: Instruction, redaction: &Redaction) -> Instruction {
    let text = instruction.text.map(|text| redaction.text(&text).to_owned());
    Instruction { text, ..instruction }
}

impl fmt::Debug for Summary {
    /// Tells ids and counts only: what a session holds is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summary")
            .field("id", &self.id)
            .field("lifecycle", &self.lifecycle)
            .field("position", &self.position)
            .field("events_total", &self.events_total)
            .field("events_retained", &self.events_retained)
            .finish_non_exhaustive()
    }
}

impl Workflow {
    /// Tells what a session is and what happened in it lately: so many events, or as many as the
    /// options say; reads only.
    ///
    /// It reads the journal from the first event in the window on.
    ///
    /// # Errors
    /// *missing*, *expired*; *corrupt* where damage lies among what is told; *unavailable*,
    /// *deadline*, *permission*.
    pub async fn summary(&self, id: &str, limit: Option<usize>) -> Result<Summary, Error> {
        let session = self.admitted(id).await?;
        self.summary_of(&session, limit).await
    }

    /// Tells what an open session is.
    ///
    /// # Errors
    /// Those of [`summary`](Self::summary).
    pub(crate) async fn summary_of(
        &self,
        session: &Session,
        limit: Option<usize>,
    ) -> Result<Summary, Error> {
        let seen = Seen::of(&session.state().await.map_err(Self::expired)?)?;
        Summary::of(session, &seen, self.options(), limit).await
    }
}
