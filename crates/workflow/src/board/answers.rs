//! What a board is asked to tell, and what it answers.

use std::time::Duration;

use super::assignment::Fence;
use super::words::Shown;

/// Messages of a board, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Those that are told.
    pub messages: Vec<Shown>,
    /// How many the query lets through.
    pub total: usize,
}

/// Why an observation was answered when it was.
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
