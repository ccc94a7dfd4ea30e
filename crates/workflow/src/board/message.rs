//! A message as the board knows it: all but its words, which stand in the journal.

use serde::{Deserialize, Serialize};
use sessile_core::digest::Digest;
use sessile_core::{Seq, Text, UnixMillis};

use super::id::MessageId;
use super::kind::{Closure, Kind, Priority, Status};

/// How a message was dealt with, where that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Resolution {
    /// The entry that says it.
    pub(crate) at: Seq,
    /// The digest of what it says.
    pub(crate) content: Digest,
}

/// A message on the board, without its words.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Acknowledge, Kind, Message, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let risk = board.post(Post::new(Kind::Risk, "the disk is full").requires_ack()).await?;
/// board.acknowledge(Acknowledge::ids([&risk.id])).await?;
///
/// let board = board.board().await?;
/// let message: &Message = board.message(&risk.id).expect("it was posted");
/// // It was seen, which changed it, and nobody has dealt with it yet.
/// assert!(message.acknowledged_at.is_some() && message.is_open());
/// assert_eq!(message.revision, risk.revision + 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Its name.
    pub id: MessageId,
    /// What kind of message it is.
    pub kind: Kind,
    /// How urgent it is.
    pub priority: Priority,
    /// Whether it is dealt with.
    pub status: Status,
    /// What closed it, where nobody dealt with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closure: Option<Closure>,
    /// The message that it answers, which may have left the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// The session that posted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Text>,
    /// When it was posted.
    pub created_at: UnixMillis,
    /// When it last changed.
    pub updated_at: UnixMillis,
    /// The change that was its last, counted over the board.
    pub revision: u64,
    /// Whether somebody is to acknowledge it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub requires_ack: bool,
    /// When it was first acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<UnixMillis>,
    /// The answer that completed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<MessageId>,
    /// The key of the completion that it is the task or the answer of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Digest>,
    /// The message in whose place it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<MessageId>,
    /// The message that stands in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MessageId>,
    /// The digest of what it says.
    pub(crate) content: Digest,
    /// The entry that holds its text.
    pub(crate) text_at: Seq,
    /// The entry that holds its tags: a replacement has those of what it replaces.
    pub(crate) tags_at: Seq,
    /// How it was dealt with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resolution: Option<Resolution>,
    /// The digest of the fence under which it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fence: Option<Digest>,
    /// Whether a direct reply to it has left the board.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) lost_replies: bool,
}

impl Message {
    /// Whether it is not dealt with.
    pub fn is_open(&self) -> bool {
        self.status == Status::Open
    }

    /// Whether it answers a message.
    pub fn answers(&self, id: &MessageId) -> bool {
        self.reply_to.as_ref() == Some(id)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}
