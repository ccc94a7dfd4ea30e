//! Saying that messages were seen.

use sessile_core::EntryType;
use sessile_core::entry::shape;

use super::decision::{Command, Decision, Draft, Setting};
use super::id::MessageId;
use super::reference;
use super::refused::Refused;
use super::state::Board;

/// To say that messages were seen.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Acknowledge, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let post = || Post::new(Kind::Guidance, "use the new parser").requires_ack();
/// let id = board.post(post()).await?.id;
/// // One short text for a prompt, in place of ids that a model would have to copy.
/// let reference = board.reference(&[id.clone()]).await?;
/// let seen = board.acknowledge(Acknowledge::reference(&reference)).await?;
/// assert_eq!(seen.accepted, [id]);
///
/// // It says nothing of what has come since, and is void.
/// board.post(post()).await?;
/// let seen = board.acknowledge(Acknowledge::reference(&reference)).await?;
/// assert!(seen.accepted.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Acknowledge {
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Ids(Vec<MessageId>),
    Reference(String),
}

/// What became of an acknowledgement.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Acknowledge, Acknowledged, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let note = board.post(Post::new(Kind::Note, "it is in the parser")).await?.id;
/// let risk = board.post(Post::new(Kind::Risk, "the disk is full").requires_ack()).await?.id;
/// let seen: Acknowledged = board.acknowledge(Acknowledge::ids([&note, &risk])).await?;
/// // Nobody asked for the note to be acknowledged.
/// assert_eq!((seen.accepted, seen.ignored), (vec![risk], vec![note]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Acknowledged {
    /// The messages that are acknowledged, by this call or before.
    pub accepted: Vec<MessageId>,
    /// Those that are not open, do not ask for it, or are not on the board.
    pub ignored: Vec<MessageId>,
}

impl Acknowledge {
    /// Acknowledges messages, at most 8 different ones.
    pub fn ids<T: Into<MessageId>>(ids: impl IntoIterator<Item = T>) -> Self {
        Self { what: What::Ids(ids.into_iter().map(Into::into).collect()) }
    }

    /// Acknowledges the messages that a reference names; none once other messages ask for it than
    /// when it was made.
    pub fn reference(reference: impl Into<String>) -> Self {
        Self { what: What::Reference(reference.into()) }
    }
}

impl Command for Acknowledge {
    type Answer = Acknowledged;

    fn is_barrier(&self) -> bool {
        false
    }

    fn decide(
        &self,
        board: &Board,
        setting: &Setting<'_>,
    ) -> Result<Decision<Acknowledged>, Refused> {
        let mut distinct: Vec<MessageId> = Vec::new();
        let named = match &self.what {
            What::Ids(ids) => ids.clone(),
            What::Reference(text) => reference::resolve(board, setting.session, text),
        };
        for id in named {
            if !distinct.contains(&id) {
                distinct.push(id);
            }
        }
        if distinct.len() > setting.bounds.acks {
            return Err(Refused::InvalidInput("too many messages are acknowledged at once"));
        }
        let mut drafts = Vec::new();
        let mut answer = Acknowledged::default();
        for id in distinct {
            match board.message(&id).filter(|it| it.is_open() && it.requires_ack) {
                None => answer.ignored.push(id),
                Some(message) => {
                    if message.acknowledged_at.is_none() {
                        let ack = shape::Ack { id: id.to_string(), by: None };
                        drafts.push(Draft::of(EntryType::Ack, &ack)?);
                    }
                    answer.accepted.push(id);
                }
            }
        }
        Ok(Decision { drafts, answer })
    }
}
