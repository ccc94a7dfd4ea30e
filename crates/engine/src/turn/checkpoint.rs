//! Checkpoints of a turn: state from which it can go on.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sessile_core::admission::{self, Held, Request};
use sessile_core::entry::shape::Checkpoint;
use sessile_core::fold::SessionState;
use sessile_core::{Error, Name, Payload, Seq, Usage};

use super::handle::Turn;
use super::progress::TurnEvent;
use crate::admission::Came;

impl Turn {
    /// Stores state from which the turn can go on, of a kind that its owner names, in a version of
    /// that kind's own; await what this answers.
    ///
    /// It is durable once that is done, after everything that the turn has written before.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_core::entry::shape::Contract;
    /// # use sessile_engine::{NewSession, Store};
    /// # use sessile_memory::MemoryBackend;
    /// use sessile_core::Usage;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(MemoryBackend::new()));
    /// # let session = store.create_as("ses_42", NewSession::new()).await?;
    /// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
    /// # let mut turn = admission.started()?;
    /// let usage = Usage::new().with("tokens", 900);
    /// turn.checkpoint("agent.step", 1, &["asked", "answered"]).usage(&usage).await?;
    /// // Work follows that the state does not show.
    /// turn.checkpoint("agent.step", 1, &["asked", "answered"]).in_flight().await?;
    /// let last = turn.last_checkpoint().await?.expect("two were stored");
    /// assert_eq!((last.number, last.in_flight), (1, true));
    /// # Ok(())
    /// # }
    /// ```
    pub fn checkpoint<'a, T: Serialize + ?Sized>(
        &'a mut self,
        kind: &str,
        schema: u32,
        state: &T,
    ) -> CheckpointToStore<'a> {
        let made = Self::make(kind, schema, state);
        CheckpointToStore { turn: self, made }
    }

    fn make<T: Serialize + ?Sized>(
        kind: &str,
        schema: u32,
        state: &T,
    ) -> Result<Checkpoint, Error> {
        let (kind, state) = (kind.parse()?, Payload::of(state)?);
        let (in_flight, usage) = (false, Usage::new());
        Ok(Checkpoint { kind, schema, number: 0, in_flight, usage, state })
    }

    /// The last checkpoint, under whichever claim of the request it was stored; none if there is
    /// none.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more; *corrupt*; those of reading.
    pub async fn last_checkpoint(&self) -> Result<Option<StoredCheckpoint>, Error> {
        let resident = self.holding.seat.admit().await?;
        let last = self
            .holding
            .look(&resident, |active| active.checkpoint.as_ref().map(|last| last.seq))?;
        self.stored(last).await
    }

    /// The checkpoint that stands at an entry.
    pub(super) async fn stored(&self, seq: Option<Seq>) -> Result<Option<StoredCheckpoint>, Error> {
        let Some(seq) = seq else {
            return Ok(None);
        };
        let Checkpoint { kind, schema, number, in_flight, usage, state } =
            self.holding.seat.admit().await?.entry(seq).await?.data.decode()?;
        Ok(Some(StoredCheckpoint { seq, kind, schema, number, in_flight, usage, state }))
    }

    /// The number of the next checkpoint.
    pub(super) fn next_number(&self) -> u64 {
        self.built_on.checkpoint.map_or(0, |last| last.saturating_add(1))
    }

    async fn store(&mut self, checkpoint: Checkpoint) -> Result<u64, Error> {
        let number = self.next_number();
        let usage = checkpoint.usage.clone();
        let checkpoint = Checkpoint { number, ..checkpoint };
        let ask = move |state: &SessionState, held: Held<'_>| {
            admission::decide(state, &Request::Checkpoint { held, checkpoint: &checkpoint })
        };
        match self.holding.rule(ask).await? {
            Came::Appended { .. } => {
                self.built_on.checkpoint = Some(number);
                self.usage = self.usage.max(&usage);
                self.holding.teller.tell(TurnEvent::Checkpointed { number });
                Ok(number)
            }
            _ => Err(self.holding.unexpected()),
        }
    }
}

/// A checkpoint that is stored by awaiting it; answers its number within the request, from 0.
///
/// # Errors
/// *invalid id* for a kind that is none; *fenced* when the claim does not stand any more; *conflict*
/// where an answer that was lost has stored one ([`Turn::refresh`] takes it over); *refused*,
/// *closed*, *deleted*, *unavailable*, *deadline*, *permission*.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Usage;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let mut turn = turn;
/// let usage = Usage::new().with("tokens", 900);
/// turn.checkpoint("agent.step", 1, &["asked"]).usage(&usage).in_flight().await?;
/// assert_eq!(turn.usage().of("tokens"), 900);
/// # Ok(())
/// # }
/// ```
#[must_use = "it is stored when it is awaited"]
pub struct CheckpointToStore<'a> {
    turn: &'a mut Turn,
    made: Result<Checkpoint, Error>,
}

impl CheckpointToStore<'_> {
    /// What the request has used by then, all its claims together.
    pub fn usage(mut self, usage: &Usage) -> Self {
        if let Ok(made) = &mut self.made {
            made.usage = usage.clone();
        }
        self
    }

    /// Says that work follows that the state does not show: a model is asked, a tool is run. A
    /// recovery is refused as *ambiguous* then, unless it says what is to be done about that.
    pub const fn in_flight(mut self) -> Self {
        if let Ok(made) = &mut self.made {
            made.in_flight = true;
        }
        self
    }
}

impl<'a> IntoFuture for CheckpointToStore<'a> {
    type Output = Result<u64, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.turn.store(self.made?).await })
    }
}

impl fmt::Debug for CheckpointToStore<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckpointToStore").field("turn", &self.turn).finish_non_exhaustive()
    }
}

/// State from which a turn can go on, as it was stored.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let mut turn = turn;
/// turn.checkpoint("agent.step", 1, &["asked"]).await?;
/// let last = turn.last_checkpoint().await?.expect("one was stored");
/// assert_eq!((last.kind.as_str(), last.number), ("agent.step", 0));
/// assert_eq!(last.decode::<Vec<String>>()?, ["asked"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredCheckpoint {
    /// The entry that holds it.
    pub seq: Seq,
    /// What kind of state it is.
    pub kind: Name,
    /// The version of that kind's schema.
    pub schema: u32,
    /// Its number within the request.
    pub number: u64,
    /// Whether work that it does not show may be under way.
    pub in_flight: bool,
    /// What had been used by then.
    pub usage: Usage,
    /// The state, byte for byte.
    pub state: Payload,
}

impl StoredCheckpoint {
    /// Reads the state as a type of the caller's.
    ///
    /// # Errors
    /// *mismatch* when it has another shape.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        self.state.decode()
    }
}

impl fmt::Debug for StoredCheckpoint {
    /// Tells names and numbers only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredCheckpoint")
            .field("seq", &self.seq)
            .field("kind", &self.kind)
            .field("schema", &self.schema)
            .field("number", &self.number)
            .field("in_flight", &self.in_flight)
            .finish_non_exhaustive()
    }
}
