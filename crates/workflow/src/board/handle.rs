//! The board of a session, to be posted to and read.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind, SessionKey};
use sessile_engine::{Entropy, Session, SystemEntropy};
use tokio::time::Instant;

use super::acknowledge::{Acknowledge, Acknowledged};
use super::answers::{Assigned, Listed, Observe, Observed, Waited};
use super::assignment::Assignment;
use super::bounds::Bounds;
use super::complete::Complete;
use super::decision::Command;
use super::doing::{Ask, Asking, Doing, InShort, Look, Question, Take, board_of};
use super::failure::BoardError;
use super::id::{Draws, MessageId};
use super::list::{Changes, Query};
use super::message::Message;
use super::overview::{self, Overview, Standing};
use super::post::{Post, Posted};
use super::reference;
use super::replace::Replace;
use super::resolve::{Resolve, Resolved, Withdraw};
use super::state::Board;
use super::words::{self, Shown};

/// The message board of a session.
///
/// Its store is opened with [`BoardFold`](super::BoardFold). Whatever a call answers is durable,
/// and what it was decided on too: a token, a fence or a repeated answer outlives a crash as the
/// message does. Where the store [writes behind](sessile_engine::Options::write_behind), a post
/// without a delivery key, a resolution and an acknowledgement are answered before they are
/// written; all else is not.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Query, Resolve, Status};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let id = store.create(NewSession::new()).await?.id().clone();
/// let board = MessageBoard::of(&store.open_session(&id).await?);
/// let question = board.post(Post::new(Kind::Question, "which parser?")).await?.id;
///
/// // Another agent of the session, perhaps in another process.
/// let other = MessageBoard::of(&store.open_session(&id).await?);
/// let open = Query::all().kind(Kind::Question).status(Status::Open);
/// let asked = other.list(&open).await?.messages.remove(0);
/// assert_eq!(asked.text.as_deref(), Some("which parser?"));
/// other.post(Post::reply(&asked.message.id, Kind::Answer, "the new one")).await?;
///
/// board.resolve(Resolve::new(&question)).await?;
/// assert_eq!(board.list(&open).await?.total, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MessageBoard {
    session: Session,
    key: SessionKey,
    bounds: Bounds,
    entropy: Arc<dyn Entropy>,
}

impl MessageBoard {
    /// The board of a session, with the usual limits.
    pub fn of(session: &Session) -> Self {
        Self {
            key: SessionKey { space: session.space().clone(), id: session.id().clone() },
            session: session.clone(),
            bounds: Bounds::default(),
            entropy: Arc::new(SystemEntropy),
        }
    }

    /// With other limits.
    #[must_use]
    pub const fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// With another source of what ids are drawn from.
    #[must_use]
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = entropy;
        self
    }

    /// Posts a message.
    ///
    /// # Errors
    /// [`Refused`](super::Refused), in this order: `SessionClosed`; `InvalidInput` for text or tags;
    /// `UnknownMessage` for what it answers; `InvalidInput` for the delivery key;
    /// `DeliveryKeyConflict`. A failure of the store is
    /// [`Uncertain`](BoardError::Uncertain) where the message may be there all the same: the same
    /// keyed post again tells.
    pub async fn post(&self, post: Post) -> Result<Posted, BoardError> {
        self.perform(post).await
    }

    /// Says that a message is dealt with.
    ///
    /// # Errors
    /// `SessionClosed`, `InvalidInput`, `UnknownMessage`, `MessageNotOpen` for one that was taken
    /// back or replaced, `IdempotencyConflict` where it is said [once](Resolve::once); those of the
    /// store.
    pub async fn resolve(&self, resolve: Resolve) -> Result<Resolved, BoardError> {
        self.perform(resolve).await
    }

    /// Takes back a note, guidance, a question or a task that is open. Again it is answered alike.
    ///
    /// # Errors
    /// `SessionClosed`, `UnknownMessage`, `InvalidInput` for other kinds, `MessageNotOpen`; those
    /// of the store.
    pub async fn withdraw(&self, id: impl Into<MessageId>) -> Result<Resolved, BoardError> {
        self.perform(Withdraw::new(id)).await
    }

    /// Puts a message in the place of another. Again, in the same words, it is answered alike.
    ///
    /// # Errors
    /// `SessionClosed`, `InvalidInput`, `UnknownMessage`, `MessageNotOpen`, `IdempotencyConflict`,
    /// `BoardFull`; those of the store.
    pub async fn replace(&self, replace: Replace) -> Result<Posted, BoardError> {
        self.perform(replace).await
    }

    /// Says that messages were seen. It changes nothing else about them.
    ///
    /// # Errors
    /// `SessionClosed`, `InvalidInput` for more than 8 messages; those of the store.
    pub async fn acknowledge(&self, what: Acknowledge) -> Result<Acknowledged, BoardError> {
        self.perform(what).await
    }

    /// Completes a task by an answer.
    ///
    /// # Errors
    /// [`Refused`](super::Refused), in this order: `SessionClosed`; `InvalidInput` for the completion, the author,
    /// the text, the tags; `UnknownMessage`; `NotTodo`; `InvalidAssignmentFence`; where it is not
    /// open `AssignmentStale`, `AlreadyCompleted`, `IdempotencyConflict`, `InvalidCompletionState`;
    /// `AssignmentHistoryLost`, `AssignmentTooLarge`; `AssignmentStale` with what it is now. Those
    /// of the store.
    pub async fn complete(&self, complete: Complete) -> Result<Posted, BoardError> {
        self.perform(complete).await
    }

    /// Takes on a task: what it and its direct replies say at one moment, and the fence under which
    /// it is completed.
    ///
    /// # Errors
    /// `UnknownMessage`, `NotTodo`, `MessageNotOpen`, `AssignmentHistoryLost`,
    /// `AssignmentTooLarge`; *corrupt* where words can't be read; those of the store.
    pub async fn assignment(&self, task: impl Into<MessageId>) -> Result<Assigned, BoardError> {
        let Assignment { task, replies, fence } = self.look(Take(task.into())).await?;
        let mut messages = vec![task];
        messages.extend(replies);
        let mut shown = self.worded(messages).await?.into_iter();
        let gone = || Error::new(ErrorKind::Corrupt, "the task is not in the journal any more");
        let task = shown.next().ok_or_else(gone)?;
        Ok(Assigned { task, replies: shown.collect(), fence })
    }

    /// Lists messages, newest first; also those of a closed session. It writes nothing, anywhere,
    /// but what waits to be written of the messages where the store writes behind.
    ///
    /// # Errors
    /// *corrupt* where words can't be read; those of the store.
    pub async fn list(&self, query: &Query) -> Result<Listed, BoardError> {
        let state = self.session.state().await?;
        let (messages, total) = query.on(board_of(&state)?, &self.bounds);
        if let Some(messages) = words::shown(&self.session, messages).await? {
            return Ok(Listed { messages, total });
        }
        // Some wait to be written: after that they stand where their words are.
        let (messages, total) = self.look(Ask(query.clone())).await?;
        Ok(Listed { messages: self.worded(messages).await?, total })
    }

    /// Tells what the board holds in short: counts, and the last messages of each kind with the
    /// beginnings of what they say. It writes what [`list`](Self::list) does, usually nothing.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub async fn overview(&self) -> Result<Overview, BoardError> {
        let state = self.session.state().await?;
        let board = board_of(&state)?;
        let last = overview::last(board, &self.bounds);
        let standing = Standing::of(board);
        let (standing, shown) = if let Some(shown) = words::shown(&self.session, last).await? {
            (standing, shown)
        } else {
            // Some wait to be written: after that they stand where their words are.
            let (standing, last) = self.look(InShort).await?;
            (standing, self.worded(last).await?)
        };
        Ok(Overview { standing, groups: overview::grouped(shown, &self.bounds) })
    }

    /// What stands on the board, without words. It writes nothing, anywhere.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn board(&self) -> Result<Board, BoardError> {
        let state = self.session.state().await?;
        Ok(board_of(&state)?.clone())
    }

    /// Names those of some messages that wait for being acknowledged as one short text, for
    /// [`Acknowledge::reference`]. It is void as soon as others wait.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn reference(&self, ids: &[MessageId]) -> Result<String, BoardError> {
        let state = self.session.state().await?;
        Ok(reference::issue(board_of(&state)?, &self.key, ids))
    }

    /// Tells what has changed since a token was issued. Several changes of one message are told as
    /// one.
    ///
    /// # Errors
    /// `OversizedToken`, `MalformedToken`, `FutureRevision`; *corrupt* where words can't be read;
    /// those of the store. That nothing came in time is none.
    pub async fn observe(&self, observe: Observe) -> Result<Observed, BoardError> {
        let until = observe.wait.map(|most| Instant::now() + most);
        let mut waited = Waited::Immediate;
        loop {
            let (changes, position) = self.look(Look::of(&observe)).await?;
            let tells = changes.changed || observe.token.is_none() || waited == Waited::Timeout;
            let Some(until) = until.filter(|_| !tells) else {
                let waited = if changes.changed && waited == Waited::Timeout {
                    Waited::Updated
                } else {
                    waited
                };
                return self.observed(changes, waited).await;
            };
            // Nothing is held meanwhile, and what is stored decides.
            let moved = self.session.moved_past(position);
            waited = match tokio::time::timeout_at(until, moved).await {
                Ok(_) => Waited::Updated,
                Err(_) => Waited::Timeout,
            };
        }
    }

    async fn observed(&self, changes: Changes, waited: Waited) -> Result<Observed, BoardError> {
        let Changes { messages, token, changed, has_more, history_lost } = changes;
        let messages = self.worded(messages).await?;
        Ok(Observed { messages, token, changed, has_more, history_lost, waited })
    }

    /// Messages that are durable, with their words.
    async fn worded(&self, messages: Vec<Message>) -> Result<Vec<Shown>, BoardError> {
        let gone = || Error::new(ErrorKind::Corrupt, "a message is not in the journal any more");
        Ok(words::shown(&self.session, messages).await?.ok_or_else(gone)?)
    }

    async fn perform<C>(&self, command: C) -> Result<C::Answer, BoardError>
    where
        C: Command + Send + Sync + 'static,
        C::Answer: Send + 'static,
    {
        let draws = Draws::of(self.entropy.draw());
        let doing = Doing { command, draws, key: self.key.clone(), bounds: self.bounds };
        Ok(self.session.perform(doing).await?.answer)
    }

    /// Looks at the board, and answers once what was seen is durable.
    async fn look<Q>(&self, question: Q) -> Result<Q::Answer, BoardError>
    where
        Q: Question + Send + Sync + 'static,
        Q::Answer: Send + 'static,
    {
        let asking = Asking { question, key: self.key.clone(), bounds: self.bounds };
        Ok(self.session.perform(asking).await?.answer)
    }
}
