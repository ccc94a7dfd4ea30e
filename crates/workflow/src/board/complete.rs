//! Completing a task.

use std::fmt;

use sessile_core::digest::Digest;
use sessile_core::entry::shape;
use sessile_core::{EntryType, SessionId, SessionKey};

use super::assignment::{self, Assignment, Fence, Unassignable};
use super::bounds::Bounds;
use super::decision::{self, Command, Decision, Draft, Setting};
use super::delivery;
use super::id::MessageId;
use super::kind::{Kind, Priority};
use super::message::Message;
use super::post::{self, Posted};
use super::refused::Refused;
use super::rules;
use super::state::Board;

/// To complete a task by an answer.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Complete, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let task = board.post(Post::new(Kind::Todo, "find the bug")).await?.id;
/// let fence = board.assignment(&task).await?.fence;
/// let name = "4f".repeat(32);
/// let done = Complete::new(&task, fence.as_str(), &name, session.id().as_str(), "in the parser");
/// let answer = board.complete(done.clone()).await?;
///
/// // The answer was lost on the way: sent again it is the same completion.
/// let again = board.complete(done).await?;
/// assert_eq!((again.id.clone(), again.replayed), (answer.id, true));
/// let board = board.board().await?;
/// assert_eq!(board.message(&task).and_then(|it| it.resolved_by.clone()), Some(again.id));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Complete {
    task: MessageId,
    fence: String,
    completion: String,
    from: String,
    text: String,
    tags: Vec<String>,
    priority: Priority,
}

/// A completion whose parts are what they should be.
struct Checked<'a> {
    completion: Digest,
    from: SessionId,
    text: &'a str,
    tags: Vec<&'a str>,
    content: Digest,
    fence: Digest,
}

impl Complete {
    /// Completes a task under the fence of its assignment. `completion` names this completion, 64
    /// lower-case hex digits: the same call again is answered with the same answer. `from` is the
    /// session that did it.
    pub fn new(
        task: impl Into<MessageId>,
        fence: impl Into<String>,
        completion: impl Into<String>,
        from: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            task: task.into(),
            fence: fence.into(),
            completion: completion.into(),
            from: from.into(),
            text: text.into(),
            tags: Vec::new(),
            priority: Priority::Normal,
        }
    }

    /// Files the answer under tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// Says how urgent the answer is.
    #[must_use]
    pub const fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// The task and the parts of the completion, checked in the order that is promised.
    fn check<'a>(
        &'a self,
        board: &'a Board,
        setting: &Setting<'_>,
    ) -> Result<(&'a Message, Checked<'a>), Refused> {
        let rule = "a completion is named by 64 lower-case hex digits";
        let completion = Some(self.completion.as_str()).filter(|it| rules::is_fingerprint(it));
        let completion: Option<Digest> = completion.and_then(|it| it.parse().ok());
        let completion = completion.ok_or(Refused::InvalidInput(rule))?;
        let rule = "the author is named by the id of a session";
        let from = self.from.parse().map_err(|_| Refused::InvalidInput(rule))?;
        let text = rules::text(&self.text, setting.bounds)?;
        let tags = rules::tags(&self.tags, setting.bounds)?;
        let task = decision::found(board, &self.task)?;
        if task.kind != Kind::Todo {
            return Err(Refused::NotTodo(self.task.clone()));
        }
        if !Fence::is_wellformed(&self.fence) {
            return Err(Refused::InvalidAssignmentFence);
        }
        let content = delivery::content(text, tags.iter().copied());
        let fence = Fence::fingerprint(&self.fence);
        Ok((task, Checked { completion, from, text, tags, content, fence }))
    }

    /// What a task that is dealt with already answers.
    fn repeated(
        &self,
        board: &Board,
        task: &Message,
        checked: &Checked<'_>,
    ) -> Result<Posted, Refused> {
        let invalid = || Refused::InvalidCompletionState(self.task.clone());
        let (id, completion) = match (&task.resolved_by, task.completion) {
            (None, None) => return Err(Refused::AssignmentStale(None)),
            (Some(id), Some(completion)) => (id, completion),
            _ => return Err(invalid()),
        };
        let answer = board.message(id).ok_or_else(invalid)?;
        if answer.completion != Some(completion) || !answer.answers(&self.task) {
            return Err(invalid());
        }
        if completion != checked.completion {
            return Err(Refused::AlreadyCompleted { answer: id.clone(), completion });
        }
        let fence = match task.fence {
            Some(fence) => fence,
            // Without a mark of loss every completion has its fence.
            None if !board.incomplete => return Err(invalid()),
            None => return Err(Refused::IdempotencyConflict(self.task.clone())),
        };
        let is_same = answer.content == checked.content
            && answer.priority == self.priority
            && answer.from.as_deref() == Some(checked.from.as_str())
            && fence == checked.fence;
        let replayed = Posted { id: id.clone(), revision: answer.revision, replayed: true };
        is_same.then_some(replayed).ok_or_else(|| Refused::IdempotencyConflict(self.task.clone()))
    }
}

impl fmt::Debug for Complete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Complete").field("task", &self.task).finish_non_exhaustive()
    }
}

impl Command for Complete {
    type Answer = Posted;

    fn decide(&self, board: &Board, setting: &Setting<'_>) -> Result<Decision<Posted>, Refused> {
        let (task, checked) = self.check(board, setting)?;
        if !task.is_open() {
            return self.repeated(board, task, &checked).map(Decision::nothing);
        }
        if task.completion.is_some() || task.resolved_by.is_some() || task.fence.is_some() {
            return Err(Refused::InvalidCompletionState(self.task.clone()));
        }
        let current = assigned(board, setting.session, setting.bounds, task)?;
        if current.fence.as_str() != self.fence {
            return Err(Refused::AssignmentStale(Some(Box::new(current))));
        }
        let id = setting.draw(board)?;
        let revision = decision::revision(board, 2)?;
        let is_spared = |it: &Message| it.id == self.task || it.answers(&self.task);
        let complete = shape::Complete {
            id: self.task.to_string(),
            answer: id.to_string(),
            completion: checked.completion,
            fence: Some(checked.fence),
            from: Some(checked.from.as_str().into()),
            priority: post::named(self.priority),
            content: checked.content,
            evicts: decision::make_room(board, setting.bounds, is_spared)?,
            body: Some(decision::body(checked.text, &checked.tags)),
        };
        let drafts = vec![Draft::of(EntryType::Complete, &complete)?];
        Ok(Decision { drafts, answer: Posted { id, revision, replayed: false } })
    }
}

/// A task and its direct replies as they are, with their fence.
///
/// # Errors
/// [`Refused::AssignmentHistoryLost`], [`Refused::AssignmentTooLarge`].
pub(crate) fn assigned(
    board: &Board,
    session: &SessionKey,
    bounds: &Bounds,
    task: &Message,
) -> Result<Assignment, Refused> {
    assignment::of(board, session, task, bounds.replies).map_err(|why| match why {
        Unassignable::HistoryLost => Refused::AssignmentHistoryLost(task.id.clone()),
        Unassignable::TooLarge(replies) => Refused::AssignmentTooLarge(replies),
    })
}
