//! Which messages are told, and up to which change.

use sessile_core::SessionKey;

use super::bounds::Bounds;
use super::cursor;
use super::id::MessageId;
use super::kind::{Kind, Status};
use super::message::Message;
use super::refused::Refused;
use super::state::Board;

/// Which messages to list, and how many.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Query};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let question = board.post(Post::new(Kind::Question, "which parser?")).await?.id;
/// board.post(Post::reply(&question, Kind::Note, "I am looking")).await?;
/// let answer = board.post(Post::reply(&question, Kind::Answer, "the new one")).await?.id;
///
/// // Conditions hold together.
/// let answers = board.list(&Query::all().reply_to(&question).kind(Kind::Answer)).await?;
/// assert_eq!((answers.total, &answers.messages[0].message.id), (1, &answer));
/// assert_eq!(board.list(&Query::all().id("msg_made_up")).await?.total, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    kind: Option<Kind>,
    status: Option<Status>,
    id: Option<MessageId>,
    reply_to: Option<MessageId>,
    limit: Option<usize>,
}

impl Query {
    /// All of them.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only those of a kind.
    #[must_use]
    pub const fn kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Only those that are open, or that are dealt with.
    #[must_use]
    pub const fn status(mut self, status: Status) -> Self {
        self.status = Some(status);
        self
    }

    /// Only this one.
    #[must_use]
    pub fn id(mut self, id: impl Into<MessageId>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Only direct replies to this one.
    #[must_use]
    pub fn reply_to(mut self, id: impl Into<MessageId>) -> Self {
        self.reply_to = Some(id.into());
        self
    }

    /// At most so many: 50 unless it is said, and never more than 100.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The messages that it lets through, newest first, and how many there are on the board.
    pub(crate) fn on(&self, board: &Board, bounds: &Bounds) -> (Vec<Message>, usize) {
        let limit = self.limit.unwrap_or(bounds.listed).min(bounds.most_listed);
        let fits = |message: &&Message| self.fits(message);
        let total = board.messages().filter(fits).count();
        let page = board.messages().rev().filter(fits).take(limit);
        (page.cloned().collect(), total)
    }

    fn fits(&self, message: &Message) -> bool {
        self.kind.is_none_or(|kind| message.kind == kind)
            && self.status.is_none_or(|status| message.status == status)
            && self.id.as_ref().is_none_or(|id| message.id == *id)
            && self.reply_to.as_ref().is_none_or(|id| message.answers(id))
    }
}

/// What has changed on a board since a token was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The messages that changed, in the order of their last changes.
    pub(crate) messages: Vec<Message>,
    /// The token of who has seen these.
    pub(crate) token: String,
    /// Whether anything has changed.
    pub(crate) changed: bool,
    /// Whether there are more.
    pub(crate) has_more: bool,
    /// Whether a message that had changed since has left the board.
    pub(crate) history_lost: bool,
}

/// The changes since a token; none without one, which is where watching begins.
///
/// # Errors
/// [`Refused::OversizedToken`], [`Refused::MalformedToken`], [`Refused::FutureRevision`].
pub(crate) fn changes(
    board: &Board,
    session: &SessionKey,
    bounds: &Bounds,
    token: Option<&str>,
    limit: Option<usize>,
) -> Result<Changes, Refused> {
    let now = board.revision();
    let Some(token) = token else {
        let token = cursor::issue(session, now);
        let (messages, changed) = (Vec::new(), false);
        return Ok(Changes { messages, token, changed, has_more: false, history_lost: false });
    };
    let seen = cursor::read(session, token)?;
    if seen > now {
        return Err(Refused::FutureRevision);
    }
    let limit = limit.unwrap_or(bounds.listed).clamp(1, bounds.most_listed.max(1));
    let mut later: Vec<&Message> = board.messages().filter(|it| it.revision > seen).collect();
    later.sort_unstable_by(|a, b| (a.revision, &a.id).cmp(&(b.revision, &b.id)));
    let has_more = later.len() > limit;
    later.truncate(limit);
    let until = later.last().filter(|_| has_more).map_or(now, |last| last.revision);
    Ok(Changes {
        messages: later.into_iter().cloned().collect(),
        token: cursor::issue(session, until),
        changed: now > seen,
        has_more,
        history_lost: seen < board.floor(),
    })
}
