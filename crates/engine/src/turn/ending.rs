//! The end of a turn.

use serde::Serialize;
use sessile_core::admission::{self, BuiltOn, Decision as Ruling, End, Hand, Held, Request};
use sessile_core::entry::shape::{Checkpoint, Close, OutcomeStatus};
use sessile_core::fold::SessionState;
use sessile_core::{EntryType, Error, Payload, Text, Usage};

use super::handle::Turn;
use crate::admission::{Came, Done};
use crate::recall;

impl Turn {
    /// Ends the request with its result: the messages that the turn has pushed become part of the
    /// transcript, and the session is free, all in one commit.
    ///
    /// What a repeat of the request is answered with is this result. Doing it again after a lost
    /// answer is safe, and answers what stands there.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more; *ambiguous* when nobody knows what came of
    /// a side effect of the turn; *conflict* when the turn has another last checkpoint than it
    /// knows of; *refused*, *closed*, *deleted*, *unavailable*, *deadline*, *permission*.
    pub async fn commit<T: Serialize + ?Sized>(&self, result: &T) -> Result<Done, Error> {
        self.commit_with(Finish::new(result)?).await
    }

    /// Ends the request with its result, and with what else belongs into the same commit.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit); *conflict* where the turn was not built on what it says.
    pub async fn commit_with(&self, finish: Finish) -> Result<Done, Error> {
        finish.messages.iter().try_for_each(|message| self.check_role(message))?;
        let built_on = finish.built_on.unwrap_or(self.built_on);
        let number = self.next_number();
        let ask = move |state: &SessionState, held: Held<'_>| {
            let Finish { end, messages, checkpoint, closes, built_on: _ } = &finish;
            let ruling = admission::decide(state, &Request::Commit { held, built_on, end })?;
            let Ruling::Append(mut plan) = ruling else {
                return Ok(ruling);
            };
            let mut types = vec![EntryType::Outcome];
            for message in messages {
                types.push(EntryType::Message);
                plan = plan.with(EntryType::Message, message.clone());
            }
            if let Some(checkpoint) = checkpoint {
                let checkpoint = Checkpoint { number, ..checkpoint.clone() };
                types.push(EntryType::Checkpoint);
                plan = plan.with(EntryType::Checkpoint, Payload::of(&checkpoint)?);
            }
            if *closes {
                types.push(EntryType::Close);
                plan = plan.then(EntryType::Close, Payload::of(&Close::default())?);
            }
            state.takes(&types, Some(held.claim))?;
            Ok(Ruling::Append(plan))
        };
        let came = self.holding.rule(ask).await?;
        self.ended(came).await
    }

    /// Ends the request with an error, which says whether a new request may try again. The messages
    /// that the turn has pushed stay as evidence, outside the transcript.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more; *refused*, *deleted*, *unavailable*,
    /// *deadline*, *permission*.
    pub async fn fail<T: Serialize + ?Sized>(
        &self,
        error: &T,
        may_retry: bool,
    ) -> Result<Done, Error> {
        let result = Some(Payload::of(error)?);
        let end = End { result, may_retry, ..End::new(OutcomeStatus::Failed) };
        self.end(end).await
    }

    /// Ends the request by calling it off.
    ///
    /// # Errors
    /// Those of [`fail`](Self::fail).
    pub async fn cancel(&self, reason: impl Into<Text> + Send) -> Result<Done, Error> {
        let reason = Some(reason.into());
        let end = End { reason, may_retry: true, ..End::new(OutcomeStatus::Cancelled) };
        self.end(end).await
    }

    async fn end(&self, end: End) -> Result<Done, Error> {
        let ask = move |state: &SessionState, held: Held<'_>| {
            let (hand, end) = (Hand::Holder, &end);
            admission::decide(state, &Request::End { held, hand, end })
        };
        let came = self.holding.rule(ask).await?;
        self.ended(came).await
    }

    /// What the request ended with.
    async fn ended(&self, came: Came) -> Result<Done, Error> {
        let resident = self.holding.seat.admit().await?;
        let (resident, request) = (&resident, &self.holding.request);
        let done = match came {
            Came::Ended(ended) => Done::read(resident, ended, true).await?,
            Came::Appended { .. } => {
                let ended = recall::recall_request(resident, request).await?;
                let ended = ended.ok_or_else(|| self.holding.unexpected())?;
                Done::read(resident, ended, false).await?
            }
            _ => return Err(self.holding.unexpected()),
        };
        self.holding.teller.end(&done);
        Ok(done)
    }
}

/// The result of a turn, and what else belongs into the commit that ends it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::Usage;
/// use sessile_engine::Finish;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// let finish = Finish::new("answered")?.message("a plum")?.usage(&Usage::new().with("tokens", 9));
/// turn.commit_with(finish.close()).await?;
/// let info = session.refresh().await?;
/// assert_eq!((info.messages, info.lifecycle.name()), (1, "closed"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Finish {
    end: End,
    messages: Vec<Payload>,
    checkpoint: Option<Checkpoint>,
    closes: bool,
    built_on: Option<BuiltOn>,
}

impl Finish {
    /// A result, and nothing else.
    ///
    /// # Errors
    /// *refused* for a value without JSON form.
    pub fn new<T: Serialize + ?Sized>(result: &T) -> Result<Self, Error> {
        let result = Some(Payload::of(result)?);
        Ok(Self {
            end: End { result, ..End::new(OutcomeStatus::Completed) },
            messages: Vec::new(),
            checkpoint: None,
            closes: false,
            built_on: None,
        })
    }

    /// And a last message.
    ///
    /// # Errors
    /// *refused* for a value without JSON form.
    pub fn message<T: Serialize + ?Sized>(mut self, message: &T) -> Result<Self, Error> {
        self.messages.push(Payload::of(message)?);
        Ok(self)
    }

    /// And a last checkpoint.
    ///
    /// # Errors
    /// *invalid id* for a kind that is none; *refused* for a value without JSON form.
    pub fn checkpoint<T: Serialize + ?Sized>(
        mut self,
        kind: &str,
        schema: u32,
        state: &T,
    ) -> Result<Self, Error> {
        let (kind, state) = (kind.parse()?, Payload::of(state)?);
        let (number, in_flight, usage) = (0, false, Usage::new());
        self.checkpoint = Some(Checkpoint { kind, schema, number, in_flight, usage, state });
        Ok(self)
    }

    /// What the request has used, all its claims together.
    #[must_use]
    pub fn usage(mut self, usage: &Usage) -> Self {
        self.end.usage = usage.clone();
        self
    }

    /// Closes the session with it.
    #[must_use]
    pub const fn close(mut self) -> Self {
        self.closes = true;
        self
    }

    /// Says what the turn was built on, where its handle is not to say so: how many messages the
    /// transcript had, and the number of its last checkpoint.
    #[must_use]
    pub const fn built_on(mut self, built_on: BuiltOn) -> Self {
        self.built_on = Some(built_on);
        self
    }
}
