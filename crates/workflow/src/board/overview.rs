//! What a board holds, in short.

use sessile_core::Text;

use super::bounds::Bounds;
use super::kind::{Kind, Priority};
use super::message::Message;
use super::state::{Board, Count};
use super::words::Shown;
use crate::redaction::bounded;

/// What a board holds, counted: without words, and without reading anything.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Priority, Standing};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// board.post(Post::new(Kind::Todo, "find the bug")).await?;
/// board.post(Post::new(Kind::Note, "read this").priority(Priority::High)).await?;
/// // Enough to decide whether there is anything to be read: a note waits for nobody.
/// let standing = Standing::of(&board.board().await?);
/// assert_eq!((standing.waiting, standing.top_priority), (1, Some(Priority::Normal)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// How many messages of each kind there are; kinds without any are left out.
    pub counts: Vec<Count>,
    /// How many open messages wait for somebody: guidance, questions, tasks and risks.
    pub waiting: usize,
    /// The most urgent of those; none where none waits.
    pub top_priority: Option<Priority>,
}

impl Standing {
    /// That of a board.
    pub fn of(board: &Board) -> Self {
        Self {
            counts: board.counts(),
            waiting: board.inbox().count(),
            top_priority: board.inbox().map(|message| message.priority).max(),
        }
    }
}

/// The last messages of one kind.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Bounds, Group, Kind, MessageBoard, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let mut bounds = Bounds::default();
/// (bounds.recent, bounds.recent_chars) = (1, 4);
/// let board = board.bounds(bounds);
/// for text in ["before", "it is in the parser"] {
///     board.post(Post::new(Kind::Note, text)).await?;
/// }
/// let group: Group = board.overview().await?.groups.remove(0);
/// // The last one, and how it begins.
/// assert_eq!((group.kind, group.messages.len()), (Kind::Note, 1));
/// assert_eq!(group.messages[0].text.as_deref(), Some("it i..."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The kind.
    pub kind: Kind,
    /// Its last messages, newest first: at most [`Bounds::recent`], their texts and resolutions
    /// cut to [`Bounds::recent_chars`] and `...`.
    pub messages: Vec<Shown>,
}

/// What a board holds, in short: counts, and the last messages of each kind.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Overview, Post};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// for kind in [Kind::Todo, Kind::Note, Kind::Note] {
///     board.post(Post::new(kind, "look at the orders")).await?;
/// }
/// // For a prompt: what an agent is told of the board before it asks for anything.
/// let Overview { standing, groups, .. } = board.overview().await?;
/// let lines: Vec<String> = groups
///     .iter()
///     .map(|group| format!("{}: {}", group.kind.name(), group.messages.len()))
///     .collect();
/// assert_eq!(lines, ["note: 2", "todo: 1"]);
/// assert_eq!(standing.waiting, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overview {
    /// What there is.
    pub standing: Standing,
    /// The last messages, by kind; kinds without any are left out.
    pub groups: Vec<Group>,
}

/// The last messages of each kind, newest first within it.
pub(crate) fn last(board: &Board, bounds: &Bounds) -> Vec<Message> {
    let of_kind = |kind: &Kind| {
        let kind = *kind;
        board.messages().rev().filter(move |it| it.kind == kind).take(bounds.recent)
    };
    Kind::ALL.iter().flat_map(of_kind).cloned().collect()
}

/// The groups that messages make which stand in the order of [`last`].
pub(crate) fn grouped(shown: Vec<Shown>, bounds: &Bounds) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for shown in shown {
        let (kind, shown) = (shown.message.kind, cut(shown, bounds.recent_chars));
        match groups.last_mut().filter(|group| group.kind == kind) {
            Some(group) => group.messages.push(shown),
            None => groups.push(Group { kind, messages: vec![shown] }),
        }
    }
    groups
}

fn cut(shown: Shown, most: usize) -> Shown {
    let cut = |text: Option<Text>| text.map(|text| Text::from(bounded(text.as_str(), most)));
    Shown { text: cut(shown.text), resolution: cut(shown.resolution), ..shown }
}
