//! The limits of a board.

/// How much a board takes and tells at once.
///
/// They bind whoever posts under them. What stands in a journal is folded as it is, so that
/// processes with different limits see one board.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Bounds, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let mut bounds = Bounds::default();
/// (bounds.messages, bounds.text_chars) = (Some(2), 10);
/// let board = board.bounds(bounds);
/// assert!(board.post(Post::new(Kind::Note, "more than it takes")).await.is_err());
/// for text in ["a", "b", "c"] {
///     board.post(Post::new(Kind::Note, text)).await?;
/// }
/// // The oldest has left it; in the journal it stands still.
/// assert_eq!(board.board().await?.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// How many messages stay on the board; 200. For one more the oldest that may go leaves it.
    /// None keeps all; 0 acts as 1. What has left the board stays in the journal.
    pub messages: Option<usize>,
    /// How many characters a text has at most; 8,000.
    pub text_chars: usize,
    /// How many characters a resolution has at most; 8,000.
    pub resolution_chars: usize,
    /// How many tags a message has at most; 16.
    pub tags: usize,
    /// How many characters a tag has at most; 64.
    pub tag_chars: usize,
    /// How many characters a delivery key has at most; 128.
    pub key_chars: usize,
    /// How many direct replies an assignment has at most; 16.
    pub replies: usize,
    /// How many messages one call acknowledges at most; 8.
    pub acks: usize,
    /// How many messages a listing or an observation tells unless it is asked for another number;
    /// 50.
    pub listed: usize,
    /// How many messages a listing or an observation tells at most; 100.
    pub most_listed: usize,
    /// How many of the last messages of a kind an overview tells at most; 5.
    pub recent: usize,
    /// How many characters of a text an overview tells; 240.
    pub recent_chars: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            messages: Some(200),
            text_chars: 8_000,
            resolution_chars: 8_000,
            tags: 16,
            tag_chars: 64,
            key_chars: 128,
            replies: 16,
            acks: 8,
            listed: 50,
            most_listed: 100,
            recent: 5,
            recent_chars: 240,
        }
    }
}
