//! Why something can't be done with a board.

use std::fmt;

use sessile_core::digest::Digest;
use sessile_core::{Error, ErrorKind};

use super::assignment::Assignment;
use super::id::MessageId;

/// Why something can't be done with a board. Nothing was changed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_core::ErrorKind;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Refused};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let sender = "5e".repeat(32);
/// let post = |text| board.post(Post::new(Kind::Note, text).keyed(&sender, "call-7"));
/// post("it is in the parser").await?;
/// let other = post("it is in the lexer").await.unwrap_err();
/// assert_eq!(other.refused(), Some(&Refused::DeliveryKeyConflict));
/// // Among other errors it is known by its kind, and still says why.
/// let error = sessile_core::Error::from(other);
/// assert_eq!(error.kind(), ErrorKind::Mismatch);
/// let why = std::error::Error::source(&error).and_then(|why| why.downcast_ref::<Refused>());
/// assert_eq!(why, Some(&Refused::DeliveryKeyConflict));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The session is closed: its board can be read only.
    SessionClosed,
    /// What was given breaks a rule; it is named.
    InvalidInput(&'static str),
    /// No such message is on the board.
    UnknownMessage(MessageId),
    /// The delivery key stands for another post, or for one whose message has left the board.
    DeliveryKeyConflict,
    /// The message is closed already, in another way.
    MessageNotOpen(MessageId),
    /// The same was done already, with other words.
    IdempotencyConflict(MessageId),
    /// None of the ids that were drawn for the message is free.
    IdsExhausted,
    /// The board is full of messages that this call needs.
    BoardFull,
    /// The message is no task.
    NotTodo(MessageId),
    /// The text is no fence.
    InvalidAssignmentFence,
    /// What is recorded of the task's completion does not fit together.
    InvalidCompletionState(MessageId),
    /// The task has more direct replies than an assignment holds: how many.
    AssignmentTooLarge(usize),
    /// Replies to the task may have been lost.
    AssignmentHistoryLost(MessageId),
    /// The task has changed since the fence was made: what it is now; none if it is not open.
    AssignmentStale(Option<Box<Assignment>>),
    /// The task was completed by somebody else.
    AlreadyCompleted {
        /// The answer.
        answer: MessageId,
        /// The key of its completion.
        completion: Digest,
    },
    /// The token is longer than any.
    OversizedToken,
    /// The token is none of this session's.
    MalformedToken,
    /// The token speaks of a change that has not happened.
    FutureRevision,
    /// The changes of the board can't be counted any further.
    InvalidObservationState,
}

impl Refused {
    /// What the caller does next.
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::SessionClosed => ErrorKind::Closed,
            Self::UnknownMessage(_) => ErrorKind::Missing,
            Self::DeliveryKeyConflict | Self::IdempotencyConflict(_) => ErrorKind::Mismatch,
            Self::MessageNotOpen(_)
            | Self::AssignmentStale(_)
            | Self::AlreadyCompleted { .. }
            | Self::FutureRevision => ErrorKind::Conflict,
            Self::AssignmentHistoryLost(_) => ErrorKind::Forgotten,
            Self::InvalidCompletionState(_) => ErrorKind::Corrupt,
            Self::InvalidInput(_)
            | Self::IdsExhausted
            | Self::BoardFull
            | Self::NotTodo(_)
            | Self::InvalidAssignmentFence
            | Self::AssignmentTooLarge(_)
            | Self::OversizedToken
            | Self::MalformedToken
            | Self::InvalidObservationState => ErrorKind::Refused,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SessionClosed => f.write_str("the session is closed, and its board with it"),
            Self::InvalidInput(rule) => f.write_str(rule),
            Self::UnknownMessage(id) => write!(f, "message {id} is not on the board"),
            Self::DeliveryKeyConflict => {
                f.write_str("the delivery key stands for another post, or for one that is gone")
            }
            Self::MessageNotOpen(id) => write!(f, "message {id} is not open"),
            Self::IdempotencyConflict(id) => {
                write!(f, "message {id} was dealt with so already, in other words")
            }
            Self::IdsExhausted => f.write_str("no id is free for the message"),
            Self::BoardFull => f.write_str("no message may leave the board for this one"),
            Self::NotTodo(id) => write!(f, "message {id} is no task"),
            Self::InvalidAssignmentFence => f.write_str("that is no fence"),
            Self::InvalidCompletionState(id) => {
                write!(f, "what is recorded of the completion of task {id} does not fit together")
            }
            Self::AssignmentTooLarge(replies) => {
                write!(f, "the task has {replies} direct replies, more than an assignment holds")
            }
            Self::AssignmentHistoryLost(id) => {
                write!(f, "replies to task {id} may have been lost")
            }
            Self::AssignmentStale(_) => f.write_str("the task has changed since it was taken on"),
            Self::AlreadyCompleted { answer, .. } => {
                write!(f, "the task was completed already, by answer {answer}")
            }
            Self::OversizedToken => f.write_str("the token is longer than any"),
            Self::MalformedToken => f.write_str("the token is none of this session"),
            Self::FutureRevision => f.write_str("the token speaks of what has not happened"),
            Self::InvalidObservationState => f.write_str("no further change can be counted"),
        }
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::new(refused.kind(), refused.to_string()).with_source(refused)
    }
}
