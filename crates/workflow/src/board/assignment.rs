//! A task as somebody takes it on, and the fence under which it is completed.

use std::fmt;

use sessile_core::SessionKey;
use sessile_core::digest::{Digest, Parts};

use super::base64;
use super::id::MessageId;
use super::message::Message;
use super::seal::seal;
use super::state::Board;

const PREFIX: &str = "wsa2_";

/// How long a fence is.
const LENGTH: usize = 27;

/// What a task and its direct replies said when it was taken on.
///
/// A completion names it. Acknowledgements and whatever else happens on the board leave it as it
/// is; a direct reply that is added, replaced, taken back or resolved does not, nor does a change
/// of the task.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// # use sessile_workflow::board::Acknowledge;
/// use sessile_workflow::board::{Fence, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let task = board.post(Post::new(Kind::Todo, "find the bug").requires_ack()).await?.id;
/// let taken: Fence = board.assignment(&task).await?.fence;
/// // Nothing that was read for the work is another by this.
/// board.post(Post::new(Kind::Note, "lunch")).await?;
/// board.acknowledge(Acknowledge::ids([&task])).await?;
/// assert_eq!(board.assignment(&task).await?.fence, taken);
/// // By this it is.
/// board.post(Post::reply(&task, Kind::Guidance, "not in the parser")).await?;
/// assert_ne!(board.assignment(&task).await?.fence, taken);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Fence(String);

impl Fence {
    /// The fence as text, to be handed on.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text can be a fence at all.
    pub(crate) fn is_wellformed(text: &str) -> bool {
        let bytes = text.strip_prefix(PREFIX).and_then(base64::decode);
        text.len() == LENGTH && bytes.is_some_and(|bytes| bytes.len() == 16)
    }

    /// What is remembered of a fence: not the fence itself.
    pub(crate) fn fingerprint(text: &str) -> Digest {
        Digest::of_parts([b"sessile assignment fence".as_slice(), text.as_bytes()])
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Fence {
    /// Tells nothing: whoever has it may complete the task.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fence(..)")
    }
}

/// An open task with its direct replies, oldest first, at one moment.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// # use sessile_workflow::board::{Complete, Fence, Kind, Post};
/// use sessile_workflow::board::{Assignment, MessageBoard, Refused};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// # let task = board.post(Post::new(Kind::Todo, "find the bug")).await?.id;
/// # let name = "4f".repeat(32);
/// # let by = session.id().as_str();
/// # let fixed = |fence: &Fence| Complete::new(&task, fence.as_str(), &name, by, "fixed");
/// let fence = board.assignment(&task).await?.fence;
/// // Somebody answers while it is being done.
/// board.post(Post::reply(&task, Kind::Note, "it is in the parser")).await?;
/// let stale = board.complete(fixed(&fence)).await.unwrap_err();
/// let Some(Refused::AssignmentStale(Some(current))) = stale.refused() else {
///     panic!("the reply was overlooked: {stale}");
/// };
/// // What it is since: look at the reply, then complete it under this.
/// let current: &Assignment = current;
/// assert_eq!(current.replies.len(), 1);
/// board.complete(fixed(&current.fence)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assignment {
    /// The task.
    pub task: Message,
    /// What answers it directly.
    pub replies: Vec<Message>,
    /// What a completion names.
    pub fence: Fence,
}

/// Why a task can't be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unassignable {
    /// Replies to it may have been lost.
    HistoryLost,
    /// It has this many direct replies.
    TooLarge(usize),
}

/// A task and its replies as they are now.
pub(crate) fn of(
    board: &Board,
    session: &SessionKey,
    task: &Message,
    most: usize,
) -> Result<Assignment, Unassignable> {
    if board.incomplete || task.lost_replies {
        return Err(Unassignable::HistoryLost);
    }
    let replies: Vec<Message> = board.replies(&task.id).cloned().collect();
    if replies.len() > most {
        return Err(Unassignable::TooLarge(replies.len()));
    }
    let mut parts = Parts::default();
    [task].into_iter().chain(&replies).for_each(|message| push(&mut parts, message));
    let digest = parts.digest();
    let sealed = seal(PREFIX, session, [digest.as_bytes().as_slice()]);
    let fence = Fence(format!("{PREFIX}{}", base64::encode(&sealed)));
    Ok(Assignment { task: task.clone(), replies, fence })
}

/// Adds what a message says and what became of it; not its revision, which acknowledgements move.
fn push(parts: &mut Parts, message: &Message) {
    let id = |id: &Option<MessageId>| id.as_ref().map_or("", MessageId::as_str).to_owned();
    parts.push(message.id.as_str().as_bytes());
    parts.push(message.kind.name().as_bytes());
    parts.push(message.priority.name().as_bytes());
    parts.push(message.status.name().as_bytes());
    parts.push(message.closure.map_or("", super::kind::Closure::name).as_bytes());
    parts.push(message.content.as_bytes());
    parts.push(id(&message.superseded_by).as_bytes());
    parts.push(id(&message.supersedes).as_bytes());
    match &message.resolution {
        Some(resolution) => parts.push(resolution.content.as_bytes()),
        None => parts.push(b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_has_one_form() {
        let fence = format!("{PREFIX}{}", base64::encode(&[7; 16]));
        assert_eq!(fence.len(), LENGTH);
        assert!(Fence::is_wellformed(&fence));
        for text in [
            "",
            "wsa2_",
            fence.trim_start_matches('w'),
            &format!("{fence}A"),
            &fence.replace("wsa2", "wsm2"),
        ] {
            assert!(!Fence::is_wellformed(text), "{text}");
        }
        assert_eq!(format!("{:?}", Fence(fence)), "Fence(..)");
    }
}
