//! Dealing with a message, and taking one back.

use std::fmt;

use sessile_core::EntryType;
use sessile_core::entry::shape;

use super::decision::{self, Command, Decision, Draft, Setting};
use super::delivery;
use super::id::MessageId;
use super::kind::{Closure, Kind};
use super::message::Message;
use super::refused::Refused;
use super::rules;
use super::state::Board;

/// To say that a message is dealt with.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Query, Refused, Resolve};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let question = board.post(Post::new(Kind::Question, "which parser?")).await?.id;
/// board.resolve(Resolve::new(&question).resolution("the new one")).await?;
/// // Whoever knows better says so.
/// board.resolve(Resolve::new(&question).resolution("the newest one")).await?;
/// let shown = board.list(&Query::all().id(&question)).await?.messages.remove(0);
/// assert_eq!(shown.resolution.as_deref(), Some("the newest one"));
/// // Whoever must not overrule anybody says it once.
/// let late = board.resolve(Resolve::once(&question, "any")).await.unwrap_err();
/// assert_eq!(late.refused(), Some(&Refused::IdempotencyConflict(question)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Resolve {
    id: MessageId,
    resolution: Option<String>,
    once: bool,
    acknowledging: bool,
}

/// What became of a message that was to be closed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Resolved};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let note = board.post(Post::new(Kind::Note, "a slip")).await?;
/// let gone: Resolved = board.withdraw(&note.id).await?;
/// assert_eq!(gone.revision, note.revision + 1);
/// // Again it is answered alike, and no change of the board.
/// let again = board.withdraw(&note.id).await?;
/// assert!(again.replayed);
/// assert_eq!(again.revision, gone.revision);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resolved {
    /// The message.
    pub id: MessageId,
    /// The change that was its last.
    pub revision: u64,
    /// Whether it was so already, and nothing was changed.
    pub replayed: bool,
}

impl Resolve {
    /// Says that a message is dealt with. Where it is already, other words replace those of before.
    pub fn new(id: impl Into<MessageId>) -> Self {
        Self { id: id.into(), resolution: None, once: false, acknowledging: false }
    }

    /// Says how, in at most 8,000 characters.
    #[must_use]
    pub fn resolution(mut self, text: impl Into<String>) -> Self {
        self.resolution = Some(text.into());
        self
    }

    /// Says how, for good: a message that is dealt with already in other words is a conflict. Not
    /// for tasks, which are completed; a message that requires to be acknowledged must be
    /// [acknowledged](Self::acknowledging) by the same call.
    pub fn once(id: impl Into<MessageId>, text: impl Into<String>) -> Self {
        Self { once: true, ..Self::new(id).resolution(text) }
    }

    /// Acknowledges the message as well.
    #[must_use]
    pub const fn acknowledging(mut self) -> Self {
        self.acknowledging = true;
        self
    }

    /// What is stricter where it is to be done once.
    fn check_once(&self, message: &Message, has_text: bool) -> Result<(), Refused> {
        if !self.once {
            return Ok(());
        }
        if !has_text {
            return Err(Refused::InvalidInput("it is to be said how the message was dealt with"));
        }
        if message.kind == Kind::Todo {
            return Err(Refused::InvalidInput("a task is completed, not resolved"));
        }
        if message.requires_ack && !self.acknowledging {
            return Err(Refused::InvalidInput("the message is to be acknowledged as well"));
        }
        Ok(())
    }
}

impl fmt::Debug for Resolve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolve").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Command for Resolve {
    type Answer = Resolved;

    fn is_barrier(&self) -> bool {
        false
    }

    fn decide(&self, board: &Board, setting: &Setting<'_>) -> Result<Decision<Resolved>, Refused> {
        let text = rules::resolution(self.resolution.as_deref(), setting.bounds)?;
        let message = decision::found(board, &self.id)?;
        self.check_once(message, text.is_some())?;
        if message.closure.is_some() {
            return Err(Refused::MessageNotOpen(self.id.clone()));
        }
        let content = text.map(|text| delivery::content(text, []));
        let known = message.resolution.as_ref().map(|resolution| resolution.content);
        let is_news = message.is_open() || (content.is_some() && content != known);
        if self.once && is_news && !message.is_open() {
            return Err(Refused::IdempotencyConflict(self.id.clone()));
        }
        let mut drafts = Vec::new();
        if self.acknowledging && message.requires_ack && message.acknowledged_at.is_none() {
            let ack = shape::Ack { id: self.id.to_string(), by: None };
            drafts.push(Draft::of(EntryType::Ack, &ack)?);
        }
        if is_news {
            let body = text.map(|text| decision::body(text, &[]));
            let resolve = shape::Resolve { id: self.id.to_string(), content, body };
            drafts.push(Draft::of(EntryType::Resolve, &resolve)?);
        }
        closed(board, message, drafts)
    }
}

/// To take a message back.
#[derive(Clone, Debug)]
pub(crate) struct Withdraw {
    id: MessageId,
}

impl Withdraw {
    /// Takes back a note, guidance, a question or a task that is open.
    pub(crate) fn new(id: impl Into<MessageId>) -> Self {
        Self { id: id.into() }
    }
}

impl Command for Withdraw {
    type Answer = Resolved;

    fn decide(&self, board: &Board, _: &Setting<'_>) -> Result<Decision<Resolved>, Refused> {
        let message = decision::found(board, &self.id)?;
        if !message.kind.is_revisable() {
            return Err(Refused::InvalidInput("a message of this kind can't be taken back"));
        }
        if message.closure == Some(Closure::Withdrawn) {
            return closed(board, message, Vec::new());
        }
        if !message.is_open() {
            return Err(Refused::MessageNotOpen(self.id.clone()));
        }
        let withdraw = shape::Withdraw { id: self.id.to_string() };
        closed(board, message, vec![Draft::of(EntryType::Withdraw, &withdraw)?])
    }
}

/// The answer of a command that closes a message by these entries, each a change of it.
fn closed(
    board: &Board,
    message: &Message,
    drafts: Vec<Draft>,
) -> Result<Decision<Resolved>, Refused> {
    let replayed = drafts.is_empty();
    let changes = u64::try_from(drafts.len()).unwrap_or(u64::MAX);
    let revision = if replayed { message.revision } else { decision::revision(board, changes)? };
    Ok(Decision { drafts, answer: Resolved { id: message.id.clone(), revision, replayed } })
}
