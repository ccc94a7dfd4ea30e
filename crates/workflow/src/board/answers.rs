//! What a board is asked to tell, and what it answers.

use std::time::Duration;

use super::assignment::Fence;
use super::words::Shown;

/// Messages of a board, newest first.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, Listed, MessageBoard, Post, Query};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// for text in ["a", "b", "c"] {
///     board.post(Post::new(Kind::Note, text)).await?;
/// }
/// let listed: Listed = board.list(&Query::all().limit(2)).await?;
/// let texts: Vec<_> = listed.messages.iter().filter_map(|it| it.text.as_deref()).collect();
/// assert_eq!((texts, listed.total), (vec!["c", "b"], 3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Those that are told.
    pub messages: Vec<Shown>,
    /// How many the query lets through.
    pub total: usize,
}

/// Why an observation was answered when it was.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use std::time::Duration;
/// use sessile_workflow::board::{Kind, MessageBoard, Observe, Post, Waited};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let begun = board.observe(Observe::start()).await?.token;
/// board.post(Post::new(Kind::Note, "it is in the parser")).await?;
/// let wait = |token| board.observe(Observe::since(token).wait(Duration::from_millis(1)));
/// let news = wait(begun).await?;
/// assert_eq!(news.waited, Waited::Immediate);
/// // That nothing comes in time is an answer and no failure: go on from its token.
/// let none = wait(news.token).await?;
/// assert_eq!((none.waited, none.changed), (Waited::Timeout, false));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There was something to tell, or it was not to wait.
    Immediate,
    /// Something came.
    Updated,
    /// Nothing came in time.
    Timeout,
}

/// What has changed on a board.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// # use sessile_workflow::board::Resolve;
/// use sessile_workflow::board::{Kind, MessageBoard, Observe, Observed, Post, Status};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let begun = board.observe(Observe::start()).await?.token;
/// let question = board.post(Post::new(Kind::Question, "which parser?")).await?.id;
/// board.resolve(Resolve::new(&question).resolution("the new one")).await?;
///
/// let seen: Observed = board.observe(Observe::since(begun)).await?;
/// // Two changes of one message are told as one, as it is now.
/// assert_eq!(seen.messages.len(), 1);
/// assert_eq!(seen.messages[0].message.status, Status::Resolved);
/// assert!(seen.changed && !seen.has_more && !seen.history_lost);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// The messages that changed, each as it is now, in the order of their last changes.
    pub messages: Vec<Shown>,
    /// What the next observation goes on from.
    pub token: String,
    /// Whether anything has changed since the token that was given.
    pub changed: bool,
    /// Whether there is more to tell at once.
    pub has_more: bool,
    /// Whether a message that had changed has left the board since.
    pub history_lost: bool,
    /// Why it was answered when it was.
    pub waited: Waited,
}

/// An assignment with the words of its messages.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Assigned, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let task = board.post(Post::new(Kind::Todo, "find the bug")).await?.id;
/// board.post(Post::reply(&task, Kind::Note, "it is in the parser")).await?;
/// board.post(Post::new(Kind::Note, "lunch")).await?;
///
/// // All that whoever takes it on is to know.
/// let assigned: Assigned = board.assignment(&task).await?;
/// let replies: Vec<_> = assigned.replies.iter().filter_map(|it| it.text.as_deref()).collect();
/// assert_eq!(assigned.task.text.as_deref(), Some("find the bug"));
/// assert_eq!(replies, ["it is in the parser"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assigned {
    /// The task.
    pub task: Shown,
    /// What answers it directly, oldest first.
    pub replies: Vec<Shown>,
    /// What a completion names.
    pub fence: Fence,
}

/// What to observe: the changes since a token, and how long to wait for one.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Observe, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// board.post(Post::new(Kind::Note, "before")).await?;
/// let begun = board.observe(Observe::start()).await?;
/// assert!(begun.messages.is_empty());
/// for text in ["a", "b"] {
///     board.post(Post::new(Kind::Note, text)).await?;
/// }
/// // Page by page, each from the token of the one before.
/// let one = board.observe(Observe::since(begun.token).limit(1)).await?;
/// assert!(one.has_more);
/// let other = board.observe(Observe::since(one.token).limit(1)).await?;
/// assert_eq!(other.messages[0].text.as_deref(), Some("b"));
/// assert!(!other.has_more);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Observe {
    pub(crate) token: Option<String>,
    pub(crate) limit: Option<usize>,
    pub(crate) wait: Option<Duration>,
}

impl Observe {
    /// Begins: tells no messages, and the token from which on changes are told.
    pub fn start() -> Self {
        Self::default()
    }

    /// The changes since a token was issued.
    pub fn since(token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..Self::default() }
    }

    /// At most so many messages: 50 unless it is said, and 1 to 100.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Waits so long for a change if there is none. What this process's handles do is seen at once;
    /// what others do, when the time is over.
    #[must_use]
    pub const fn wait(mut self, most: Duration) -> Self {
        self.wait = Some(most);
        self
    }
}
