//! How a call of a board fails.

use std::fmt;

use sessile_core::{Error, ErrorKind, Outcome};

use super::refused::Refused;

/// Why a call of a board has no answer.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_core::{Error, ErrorKind};
/// use sessile_workflow::board::{BoardError, Kind, MessageBoard, Post};
///
/// /// Whether the same keyed post is to be sent again.
/// fn is_open(error: &BoardError) -> bool {
///     match error {
///         BoardError::Uncertain(_) => true,
///         BoardError::Store(error) => error.may_retry(),
///         _ => false,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let blank = board.post(Post::new(Kind::Note, " ")).await.unwrap_err();
/// assert!(blank.refused().is_some() && !is_open(&blank));
/// // An answer that was lost is not one that says that nothing was done.
/// let lost = Error::new(ErrorKind::Unavailable, "the line was cut").outcome_unknown();
/// assert!(matches!(BoardError::from(lost), BoardError::Uncertain(_)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BoardError {
    /// It is refused, and nothing was changed.
    Refused(Refused),
    /// The store failed, and what was to be done may be done all the same, now or later. A keyed
    /// post, a withdrawal, a replacement or a completion that is sent again tells, and makes sure
    /// that what it answers is durable.
    Uncertain(Error),
    /// The store failed or refuses, and nothing was changed.
    Store(Error),
}

impl BoardError {
    /// What the caller does next.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused(refused) => refused.kind(),
            Self::Uncertain(error) | Self::Store(error) => error.kind(),
        }
    }

    /// Why it was refused, if it was.
    pub const fn refused(&self) -> Option<&Refused> {
        match self {
            Self::Refused(refused) => Some(refused),
            Self::Uncertain(_) | Self::Store(_) => None,
        }
    }
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Uncertain(error) | Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BoardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Uncertain(error) | Self::Store(error) => error.source(),
        }
    }
}

impl From<Refused> for BoardError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<Error> for BoardError {
    fn from(error: Error) -> Self {
        match (error.outcome(), error.kind()) {
            // The session was closed by somebody else in between.
            (_, ErrorKind::Closed) => Self::Refused(Refused::SessionClosed),
            (Outcome::Unknown, _) => Self::Uncertain(error),
            (Outcome::NotApplied, _) => Self::Store(error),
        }
    }
}

impl From<BoardError> for Error {
    fn from(error: BoardError) -> Self {
        match error {
            BoardError::Refused(refused) => refused.into(),
            BoardError::Uncertain(error) | BoardError::Store(error) => error,
        }
    }
}
