//! The board of a session, folded from its journal.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use sessile_core::digest::Digest;

use super::id::MessageId;
use super::kind::Kind;
use super::message::Message;

/// A keyed post that is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delivery {
    /// Its message, which may have left the board.
    pub(crate) message: MessageId,
    /// The digest of what was posted.
    pub(crate) payload: Digest,
}

/// What stands on the board of a session.
///
/// It holds no words: texts and tags stand in the journal, where they can be removed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Board, Kind, MessageBoard, Post, Resolve};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let question = board.post(Post::new(Kind::Question, "which parser?")).await?.id;
/// board.post(Post::reply(&question, Kind::Answer, "the new one")).await?;
/// let before: Board = board.board().await?;
/// board.resolve(Resolve::new(&question)).await?;
///
/// // It is the board of one moment, and stays as it was.
/// assert_eq!((before.inbox().count(), before.replies(&question).count()), (1, 1));
/// let after = board.board().await?;
/// assert_eq!((after.inbox().count(), after.replies(&question).count()), (0, 1));
/// assert!(after.revision() > before.revision());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Board {
    pub(super) revision: u64,
    pub(super) floor: u64,
    /// How many messages there ever were: the place of the next.
    pub(super) posted: u64,
    /// By place, so that they are in the order in which they were posted.
    pub(super) messages: BTreeMap<u64, Message>,
    pub(super) places: HashMap<MessageId, u64>,
    pub(super) deliveries: BTreeMap<Digest, Delivery>,
    /// Whether entries could not be understood: who answered what may be unknown.
    pub(super) incomplete: bool,
}

/// How many messages of a kind there are.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// # use sessile_workflow::board::Resolve;
/// use sessile_workflow::board::{Count, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let first = board.post(Post::new(Kind::Question, "which parser?")).await?.id;
/// board.post(Post::new(Kind::Question, "which lexer?")).await?;
/// board.resolve(Resolve::new(&first)).await?;
/// let counts: Vec<Count> = board.board().await?.counts();
/// // Kinds without any message are left out.
/// assert_eq!(counts.len(), 1);
/// assert_eq!((counts[0].kind, counts[0].total, counts[0].open), (Kind::Question, 2, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Count {
    /// The kind.
    pub kind: Kind,
    /// On the board.
    pub total: usize,
    /// Of these, not dealt with.
    pub open: usize,
}

impl Board {
    /// How often anything on it has changed.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The last change that is lost to who looks for changes: that of a message that has left.
    pub const fn floor(&self) -> u64 {
        self.floor
    }

    /// How many messages stand on it.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// A message that stands on it.
    pub fn message(&self, id: &MessageId) -> Option<&Message> {
        self.messages.get(self.places.get(id)?)
    }

    /// Its messages, in the order in which they were posted.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.messages.values()
    }

    /// The messages that answer another directly, oldest first.
    pub fn replies<'a>(&'a self, to: &'a MessageId) -> impl Iterator<Item = &'a Message> {
        self.messages().filter(move |message| message.answers(to))
    }

    /// How many messages of each kind there are; kinds without any are left out.
    pub fn counts(&self) -> Vec<Count> {
        let count = |kind: &Kind| {
            let of_kind = || self.messages().filter(|message| message.kind == *kind);
            let open = of_kind().filter(|message| message.is_open()).count();
            Count { kind: *kind, total: of_kind().count(), open }
        };
        Kind::ALL.iter().map(count).filter(|count| count.total > 0).collect()
    }

    /// The open messages that wait for somebody: guidance, questions, tasks and risks.
    pub fn inbox(&self) -> impl Iterator<Item = &Message> {
        self.messages().filter(|message| message.is_open() && message.kind.awaits_somebody())
    }

    pub(super) fn message_mut(&mut self, id: &MessageId) -> Option<&mut Message> {
        self.messages.get_mut(self.places.get(id)?)
    }

    /// Counts a change.
    pub(super) const fn step(&mut self) -> u64 {
        self.revision = self.revision.saturating_add(1);
        self.revision
    }
}
