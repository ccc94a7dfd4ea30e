//! Putting a message in the place of another.

use std::fmt;

use sessile_core::EntryType;
use sessile_core::entry::shape;

use super::decision::{self, Command, Decision, Draft, Setting};
use super::delivery;
use super::id::MessageId;
use super::kind::Closure;
use super::message::Message;
use super::post::Posted;
use super::refused::Refused;
use super::rules;
use super::state::Board;

/// To put a message in the place of another.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Query, Replace};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let old = board.post(Post::new(Kind::Todo, "find the bug").tags(["parser"])).await?.id;
/// let new = board.replace(Replace::new(&old, "find the bug in the lexer")).await?.id;
///
/// let shown = board.list(&Query::all().id(&new)).await?.messages.remove(0);
/// // All but the words is that of the message in whose place it stands.
/// assert_eq!((shown.message.kind, shown.tags[0].as_str()), (Kind::Todo, "parser"));
/// assert_eq!(shown.message.supersedes.as_ref(), Some(&old));
/// let old = board.list(&Query::all().id(&old)).await?.messages.remove(0).message;
/// assert_eq!(old.superseded_by, Some(new));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Replace {
    id: MessageId,
    text: String,
}

impl Replace {
    /// Replaces the text of a note, guidance, a question or a task that is open: the message is
    /// closed, and one that takes over its kind, priority, tags, what it answers and whether it is
    /// to be acknowledged comes in its place.
    pub fn new(id: impl Into<MessageId>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into() }
    }
}

/// The message that was put in the place of another before, if it is linked to that and says this.
fn repeated(board: &Board, original: &Message, text: &str) -> Option<Posted> {
    let by = board.message(original.superseded_by.as_ref()?)?;
    let is_linked = by.supersedes.as_ref() == Some(&original.id);
    let is_same = by.content == delivery::content(text, []);
    let (id, revision) = (by.id.clone(), by.revision);
    (is_linked && is_same).then_some(Posted { id, revision, replayed: true })
}

impl fmt::Debug for Replace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replace").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Command for Replace {
    type Answer = Posted;

    fn decide(&self, board: &Board, setting: &Setting<'_>) -> Result<Decision<Posted>, Refused> {
        let text = rules::text(&self.text, setting.bounds)?;
        let original = decision::found(board, &self.id)?;
        if !original.kind.is_revisable() {
            return Err(Refused::InvalidInput("a message of this kind can't be replaced"));
        }
        if original.closure == Some(Closure::Superseded) {
            return repeated(board, original, text)
                .map(Decision::nothing)
                .ok_or_else(|| Refused::IdempotencyConflict(self.id.clone()));
        }
        if !original.is_open() {
            return Err(Refused::MessageNotOpen(self.id.clone()));
        }
        let id = setting.draw(board)?;
        let revision = decision::revision(board, 2)?;
        let replace = shape::Replace {
            id: self.id.to_string(),
            by: id.to_string(),
            content: delivery::content(text, []),
            evicts: decision::make_room(board, setting.bounds, |it| it.id == self.id)?,
            body: Some(decision::body(text, &[])),
        };
        let drafts = vec![Draft::of(EntryType::Replace, &replace)?];
        Ok(Decision { drafts, answer: Posted { id, revision, replayed: false } })
    }
}
