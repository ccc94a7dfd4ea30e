//! Summaries within a turn: older messages give way to what stands for them, pass by pass.

use std::error::Error as StdError;
use std::fmt;

use serde::{Deserialize, Serialize};
use sessile_core::admission::{self, Decision as Ruling, Held, Request};
use sessile_core::entry::shape::{Checkpoint, Compaction};
use sessile_core::fold::SessionState;
use sessile_core::{EntryType, Error, ErrorKind, Ordinal, Payload, Seq, Usage};

use super::handle::Turn;
use super::progress::TurnEvent;
use crate::admission::{Came, ContextPolicy};
use crate::reading::{self, From, RawMessage, Seen, View, Window};

/// The kind of the checkpoints that tell how far the summaries of a request have come.
const PASS: &str = "summary.pass";

/// The version of their schema.
const PASS_SCHEMA: u32 = 1;

/// How many bytes a summary has at most.
const MOST_BYTES: usize = 262_144;

/// Messages that are to be summarised in one pass.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_engine::{Admit, ContextPolicy, Passage, Summarised};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append((0..9).map(|number| format!("message {number}"))).await?;
/// let policy = ContextPolicy::last(2)?.batch(3)?.passes(9)?;
/// let admit = Admit::new(&"req-1".parse()?, "hi", &Contract::new()).context(policy)?;
/// let mut turn = session.admit_with(admit).await?.started()?;
/// let mut seen = Vec::new();
/// turn.summarise(|passage: Passage| {
///     seen.push(passage.messages.len());
///     let summary = Summarised::of([format!("{} were before", passage.summary.len())]);
///     async move { summary }
/// })
/// .await?;
/// assert!(seen.iter().all(|messages| *messages <= 3), "{seen:?}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Passage {
    /// The pass, from 1, all recoveries of the request together.
    pub pass: u16,
    /// The summary so far; the new one stands for what it stood for, too.
    pub summary: Vec<Payload>,
    /// The messages, oldest first.
    pub messages: Vec<RawMessage>,
    /// How many messages wait for later passes.
    pub backlog: u64,
}

impl fmt::Debug for Passage {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passage")
            .field("pass", &self.pass)
            .field("summary", &self.summary.len())
            .field("messages", &self.messages.len())
            .field("backlog", &self.backlog)
            .finish()
    }
}

/// What stands for messages: one or more messages of the caller's, 262,144 bytes together at most.
///
/// # Examples
/// ```
/// use sessile_core::Usage;
/// use sessile_engine::Summarised;
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let summarised = Summarised::of(["they spoke of plums"])?.usage(&Usage::new().with("tokens", 40));
/// # drop(summarised);
/// // A summary is made of JSON values, as messages are.
/// assert!(Summarised::of([f64::NAN]).is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Summarised {
    messages: Vec<Payload>,
    usage: Option<Usage>,
}

impl Summarised {
    /// Messages that stand for others. Text is trimmed.
    ///
    /// # Errors
    /// *refused* for none, for blank text, above the bound, and for a value without JSON form.
    pub fn of<T: Serialize>(messages: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let messages = messages.into_iter().map(|message| trimmed(&message));
        let messages: Vec<Payload> = messages.collect::<Result<_, _>>()?;
        let bytes: usize = messages.iter().map(Payload::len).sum();
        if messages.is_empty() || bytes > MOST_BYTES {
            let clause = format!(
                "a summary of {} messages and {bytes} bytes is not within 1 to {MOST_BYTES} bytes",
                messages.len()
            );
            return Err(Error::new(ErrorKind::Refused, clause));
        }
        Ok(Self { messages, usage: None })
    }

    /// What the request has used once it is made, all its claims together.
    #[must_use]
    pub fn usage(mut self, usage: &Usage) -> Self {
        self.usage = Some(usage.clone());
        self
    }
}

impl fmt::Debug for Summarised {
    /// Tells counts only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Summarised({} messages)", self.messages.len())
    }
}

fn trimmed<T: Serialize>(message: &T) -> Result<Payload, Error> {
    let message = Payload::of(message)?;
    match message.decode::<String>() {
        Ok(text) if text.trim().is_empty() => {
            Err(Error::new(ErrorKind::Refused, "a blank summary stands for nothing"))
        }
        Ok(text) => Payload::of(text.trim()),
        Err(_) => Ok(message),
    }
}

/// How far the summaries of a request have come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Passes {
    completed: u16,
    /// The last message of the pass that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<Seq>,
}

impl Turn {
    /// Takes the view that the [policy](crate::ContextPolicy) of the request names.
    ///
    /// # Errors
    /// *refused* when messages wait to be summarised, saying how many, or without a policy; those
    /// of [`view`](Self::view).
    pub async fn context(&self) -> Result<View, Error> {
        let policy = self.policy()?;
        let view = self.view(window(policy)).await?;
        let waiting = waiting(&view);
        if waiting == 0 {
            return Ok(view);
        }
        let clause = format!("{waiting} messages wait to be summarised");
        Err(Error::new(ErrorKind::Refused, clause)
            .about(self.holding.seat.key())
            .with_hint("summarise them, or name a wider window"))
    }

    /// Summarises, pass by pass, what does not fit into the window of the request's
    /// [policy](crate::ContextPolicy); answers how many passes it took.
    ///
    /// How far it came survives a crash: a recovered turn summarises nothing twice that was
    /// committed, and passes are counted over all recoveries. While the summariser works the turn
    /// is in flight.
    ///
    /// # Errors
    /// *refused* when no pass is left, saying how many messages wait, and without a policy;
    /// *unavailable* when the summariser fails, with its error as the source: what was committed
    /// before stays; *fenced* when the claim does not stand any more; those of reading and
    /// appending.
    pub async fn summarise<F, S, E>(&mut self, mut summariser: F) -> Result<u16, Error>
    where
        F: FnMut(Passage) -> S + Send,
        S: Future<Output = Result<Summarised, E>> + Send,
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        let policy = self.policy()?;
        let mut taken = 0;
        loop {
            let view = self.view(window(policy)).await?;
            let waiting = waiting(&view);
            let Some(through) = view.buffer.last().map(|last| (last.seq, last.ordinal)) else {
                return Ok(taken);
            };
            let Passes { completed, pending } = self.passes().await?;
            if completed >= policy.most_passes() {
                let clause =
                    format!("{waiting} messages wait to be summarised, and no pass is left");
                return Err(Error::new(ErrorKind::Refused, clause)
                    .about(self.holding.seat.key())
                    .with_hint("end the request, and send another with more passes"));
            }
            if pending != Some(through.0) {
                let passes = Passes { completed, pending: Some(through.0) };
                self.checkpoint(PASS, PASS_SCHEMA, &passes).in_flight().await?;
            }
            let passage = Passage {
                pass: completed + 1,
                summary: view.summary,
                messages: view.buffer,
                backlog: view.backlog,
            };
            let summary = summariser(passage).await.map_err(|error| {
                Error::new(ErrorKind::Unavailable, "the summariser failed")
                    .about(self.holding.seat.key())
                    .with_source(error)
                    .retryable()
            })?;
            let passes = Passes { completed: completed + 1, pending: None };
            self.stand_for(through, &passes, summary).await?;
            taken += 1;
        }
    }

    fn policy(&self) -> Result<ContextPolicy, Error> {
        self.policy.ok_or_else(|| {
            Error::new(ErrorKind::Refused, "the request has no context policy")
                .about(self.holding.seat.key())
                .with_hint("give it one with `Admit::context`")
        })
    }

    async fn passes(&self) -> Result<Passes, Error> {
        let kind = PASS.parse()?;
        let resident = self.holding.seat.admit().await?;
        let last = self.holding.look(&resident, |active| active.kinds.get(&kind).copied())?;
        match self.stored(last).await? {
            Some(stored) => stored.decode(),
            None => Ok(Passes::default()),
        }
    }

    /// Lets a summary stand for everything up to a message, and notes how far that is, in one
    /// commit.
    async fn stand_for(
        &mut self,
        (through, ordinal): (Seq, Option<Ordinal>),
        passes: &Passes,
        summary: Summarised,
    ) -> Result<(), Error> {
        let resident = &*self.holding.seat.admit().await?;
        let behind = From::seq(through.next().unwrap_or(through));
        let kept = reading::by_name(resident, &Seen::now(resident).await?, behind).await?;
        let keep_from = kept.as_ref().map_or_else(
            || ordinal.and_then(|last| Ordinal::new(last.number() + 1)),
            |kept| kept.ordinal,
        );
        let keep_seq = kept.map(|kept| kept.seq).or_else(|| through.next());
        let number = self.next_number();
        let usage = summary.usage.unwrap_or_else(|| self.usage.clone());
        let compaction = Compaction { summary: summary.messages, keep_from, keep_seq };
        let compaction = Payload::of(&compaction)?;
        let checkpoint = Checkpoint {
            kind: PASS.parse()?,
            schema: PASS_SCHEMA,
            number,
            in_flight: false,
            usage: usage.clone(),
            state: Payload::of(passes)?,
        };
        let ask = move |state: &SessionState, held: Held<'_>| {
            let checkpoint = Request::Checkpoint { held, checkpoint: &checkpoint };
            let ruling = admission::decide(state, &checkpoint)?;
            let Ruling::Append(plan) = ruling else {
                return Ok(ruling);
            };
            state.takes(&[EntryType::Compaction], Some(held.claim))?;
            Ok(Ruling::Append(plan.with(EntryType::Compaction, compaction.clone())))
        };
        match self.holding.rule(ask).await? {
            Came::Appended { .. } => {
                self.built_on.checkpoint = Some(number);
                self.usage = self.usage.max(&usage);
                self.holding.teller.tell(TurnEvent::Summarised { through });
                Ok(())
            }
            _ => Err(self.holding.unexpected()),
        }
    }
}

const fn window(policy: ContextPolicy) -> Window {
    Window::last(policy.window()).batch(policy.messages_a_pass())
}

/// How many messages wait to be summarised.
fn waiting(view: &View) -> u64 {
    u64::try_from(view.buffer.len()).unwrap_or(u64::MAX).saturating_add(view.backlog)
}
