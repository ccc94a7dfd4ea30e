//! Events, instructions, and the end of a session.

use serde_json::json;
use sessile_core::entry::shape::{Close, Instruct};
use sessile_core::fold::{Lifecycle, Recorded as Known, SessionState};
use sessile_core::{CommitId, EntryType, Error, Payload, Seq, Text, UnixMillis};
use sessile_engine::{Move, Operation};

use crate::begin;
use crate::event::Event;
use crate::handle::Workflow;
use crate::seen;

/// What became of recording something.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Event, Options, Workflow};
/// use sessile_workflow::Recorded;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// let finished = || Event::new("call_finished").once("call-4711");
/// let first: Recorded = workflow.record(id.as_str(), finished()).await?;
/// assert_eq!(first.events_total, Some(2));
/// // The answer was lost on the way, and it is reported again, perhaps by somebody else.
/// let again = workflow.record(id.as_str(), finished()).await?;
/// assert!(again.replayed);
/// assert_eq!(again.seq, first.seq);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// The number of its entry; none while it is not written yet.
    pub seq: Option<Seq>,
    /// How many events there were right after it; none where it was recorded before.
    pub events_total: Option<u64>,
    /// Whether it was recorded before, and nothing was added.
    pub replayed: bool,
}

/// What became of closing a session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Event, Options, Workflow};
/// use sessile_workflow::Ended;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// # let begin = Begin::new().project("shop").instruction("find the bug");
/// # let id = workflow.begin(begin).await?.summary.id;
/// let ended: Ended = workflow.close(id.as_str()).await?;
/// assert!(!ended.already_closed);
/// assert!(workflow.close(id.as_str()).await?.already_closed);
/// // It takes the end of what had begun before, and nothing new.
/// workflow.record(id.as_str(), Event::new("call_finished")).await?;
/// assert!(workflow.instruct(id.as_str(), "one more thing", None).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// Whether it was closed before, and nothing was added.
    pub already_closed: bool,
}

impl Workflow {
    /// Records something that happened; of what is [named from outside](Event::once) only the
    /// first counts, however long ago that was.
    ///
    /// A closed session takes it too, as the end of what began before, and stays closed. What is
    /// recorded for a session that is not there creates nothing.
    ///
    /// It needs no expected position: what was recorded before stays. Without an id from outside
    /// it must not be repeated blindly after a lost answer.
    ///
    /// # Errors
    /// *missing*, *expired*; *refused* for a kind that is none, or above a limit; *corrupt* where
    /// damage may hide whether it was recorded; *unavailable*, *deadline*, *permission*.
    pub async fn record(&self, id: &str, event: Event) -> Result<Recorded, Error> {
        let data = event.data(&self.options().redaction)?;
        let recording = Recording { data, commit_id: event.commit_id()? };
        let session = self.admitted(id).await?;
        let performed = session.perform(recording).await.map_err(Self::expired)?;
        let written = performed.committed.map(|it| it.first);
        Ok(match performed.answer {
            Told::Added(total) => {
                Recorded { seq: written, events_total: Some(total), replayed: false }
            }
            Told::Before(seq) => Recorded { seq: Some(seq), events_total: None, replayed: true },
        })
    }

    /// Tells an active session what is to be done. If it has no title, this is its title.
    ///
    /// It needs no expected position: the last instruction counts. Repeated after a lost answer it
    /// may stand there twice.
    ///
    /// # Errors
    /// *missing*, *expired*, *closed*; *refused* for a blank text; *unavailable*, *deadline*,
    /// *permission*.
    pub async fn instruct(
        &self,
        id: &str,
        text: &str,
        by: Option<&str>,
    ) -> Result<Recorded, Error> {
        let text = begin::not_blank(text, self.options())?;
        let session = self.admitted(id).await?;
        let instructing = Instructing { text, by: by.map(Text::from) };
        let performed = session.perform(instructing).await.map_err(Self::expired)?;
        let seq = performed.committed.map(|it| it.first);
        Ok(Recorded { seq, events_total: Some(performed.answer), replayed: false })
    }

    /// Closes a session: it takes no more messages, instructions or contexts, and can't be
    /// continued. What happened before may still be recorded.
    ///
    /// It needs no expected position: closing twice is closing once.
    ///
    /// # Errors
    /// *missing*, *expired*; *busy* while a request is active; *unavailable*, *deadline*,
    /// *permission*.
    pub async fn close(&self, id: &str) -> Result<Ended, Error> {
        let session = self.admitted(id).await?;
        let performed = session.perform(Closing).await.map_err(Self::expired)?;
        self.attached().drop_of(session.id());
        Ok(Ended { already_closed: performed.answer })
    }
}

/// An event that is to be recorded.
#[derive(Debug)]
struct Recording {
    data: Payload,
    commit_id: Option<CommitId>,
}

/// What is told of it.
#[derive(Debug)]
enum Told {
    /// It is the last of so many.
    Added(u64),
    /// It stands there since before.
    Before(Seq),
}

impl Operation for Recording {
    type Answer = Told;
    type Refusal = Error;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<Told>, Error> {
        let total = seen::fold(state)?.observed().saturating_add(1);
        Ok(Move::Append(vec![(EntryType::Event, self.data.clone())], Told::Added(total)))
    }

    fn commit_id(&self) -> Option<&CommitId> {
        self.commit_id.as_ref()
    }

    fn repeated(&self, _: &SessionState, known: &Known) -> Result<Told, Error> {
        Ok(Told::Before(known.first))
    }
}

/// An instruction that is to be given; answered with how many events there are then.
#[derive(Debug)]
struct Instructing {
    text: Text,
    by: Option<Text>,
}

impl Operation for Instructing {
    type Answer = u64;
    type Refusal = Error;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<u64>, Error> {
        seen::check_active(state)?;
        let total = seen::fold(state)?.observed().saturating_add(1);
        let data = Instruct { text: self.text.clone(), by: self.by.clone() };
        let mut drafts = vec![(EntryType::Instruct, Payload::of(&data)?)];
        if state.meta().title().is_none() {
            let title = json!({"title": self.text.as_str()});
            drafts.push((EntryType::Meta, Payload::of(&title)?));
        }
        Ok(Move::Append(drafts, total))
    }
}

/// The end of a session; answered with whether it was there before.
#[derive(Debug)]
struct Closing;

impl Operation for Closing {
    type Answer = bool;
    type Refusal = Error;

    fn decide(&self, state: &SessionState, _: UnixMillis) -> Result<Move<bool>, Error> {
        if state.lifecycle() == Lifecycle::Closed {
            return Ok(Move::Stands(true));
        }
        let data = Payload::of(&Close::default())?;
        Ok(Move::Append(vec![(EntryType::Close, data)], false))
    }
}
