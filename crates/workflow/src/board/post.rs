//! Posting a message.

use std::fmt;

use sessile_core::entry::shape;
use sessile_core::{EntryType, SessionId};

use super::decision::{self, Command, Decision, Draft, Setting};
use super::delivery;
use super::id::MessageId;
use super::kind::{Kind, Priority};
use super::refused::Refused;
use super::rules;
use super::state::Board;

/// A message to be posted, or a reply.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Priority, Query};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let post = Post::new(Kind::Proposal, " take the new parser ")
///     .tags(["parser", "parser", " v2"])
///     .priority(Priority::High)
///     .from(session.id());
/// let id = board.post(post).await?.id;
///
/// let shown = board.list(&Query::all().id(&id)).await?.messages.remove(0);
/// // Without the white space around them, and each tag once.
/// assert_eq!(shown.text.as_deref(), Some("take the new parser"));
/// assert_eq!(shown.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>(), ["parser", "v2"]);
/// assert_eq!(shown.message.from.as_deref(), Some(session.id().as_str()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Post {
    kind: Kind,
    text: String,
    tags: Vec<String>,
    priority: Priority,
    reply_to: Option<MessageId>,
    from: Option<SessionId>,
    requires_ack: bool,
    delivery: Option<(String, String)>,
}

/// What became of a post.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Options, Store};
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::board::BoardFold;
/// use sessile_workflow::board::{Kind, MessageBoard, Post, Posted};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let engine = Options::default().fold(Arc::new(BoardFold));
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let session = store.create(NewSession::new()).await?;
/// # let board = MessageBoard::of(&session);
/// let sender = "5e".repeat(32);
/// let post = || Post::new(Kind::Note, "it is in the parser").keyed(&sender, "call-7");
/// let first: Posted = board.post(post()).await?;
/// // The answer was lost on the way, and it is sent again.
/// let again = board.post(post()).await?;
/// assert!(again.replayed && !first.replayed);
/// assert_eq!(again.id, first.id);
/// assert_eq!(board.board().await?.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Posted {
    /// The message.
    pub id: MessageId,
    /// The change that it was, as long as none has followed.
    pub revision: u64,
    /// Whether it was there already, posted under the same delivery key.
    pub replayed: bool,
}

impl Post {
    /// A message of a kind with a text of 1 to 8,000 characters, white space around it aside.
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            tags: Vec::new(),
            priority: Priority::Normal,
            reply_to: None,
            from: None,
            requires_ack: false,
            delivery: None,
        }
    }

    /// A message that answers another.
    pub fn reply(to: impl Into<MessageId>, kind: Kind, text: impl Into<String>) -> Self {
        Self { reply_to: Some(to.into()), ..Self::new(kind, text) }
    }

    /// Files it under tags: at most 16, each of at most 64 characters.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// Says how urgent it is.
    #[must_use]
    pub const fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Says which session posts it.
    #[must_use]
    pub fn from(mut self, session: &SessionId) -> Self {
        self.from = Some(session.clone());
        self
    }

    /// Asks for being acknowledged.
    #[must_use]
    pub const fn requires_ack(mut self) -> Self {
        self.requires_ack = true;
        self
    }

    /// Makes it safe to be sent again: the same post under the same key is one message, for as
    /// long as that stands on the board. `scope` is the sender's fingerprint, 64 lower-case hex
    /// digits, and the key has 1 to 128 characters; only a digest of the two is kept.
    #[must_use]
    pub fn keyed(mut self, scope: impl Into<String>, key: impl Into<String>) -> Self {
        self.delivery = Some((scope.into(), key.into()));
        self
    }
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Post")
            .field("kind", &self.kind)
            .field("reply_to", &self.reply_to)
            .field("keyed", &self.delivery.is_some())
            .finish_non_exhaustive()
    }
}

impl Command for Post {
    type Answer = Posted;

    fn is_barrier(&self) -> bool {
        self.delivery.is_some()
    }

    fn decide(&self, board: &Board, setting: &Setting<'_>) -> Result<Decision<Posted>, Refused> {
        let bounds = setting.bounds;
        let text = rules::text(&self.text, bounds)?;
        let tags = rules::tags(&self.tags, bounds)?;
        if let Some(id) = &self.reply_to {
            decision::found(board, id)?;
        }
        let key = self.delivery.as_ref().map(|(scope, key)| {
            let key = rules::key(key, bounds)?;
            let rule = "a sender is named by 64 lower-case hex digits";
            let is_scope = rules::is_fingerprint(scope);
            is_scope.then(|| delivery::identity(scope, key)).ok_or(Refused::InvalidInput(rule))
        });
        let key = key.transpose()?;
        let content = delivery::content(text, tags.iter().copied());
        if let Some(known) = key.and_then(|key| board.deliveries.get(&key)) {
            let (reply_to, ack) = (self.reply_to.as_ref(), self.requires_ack);
            let payload = delivery::payload(self.kind, content, reply_to, self.priority, ack);
            let message = board.message(&known.message).filter(|_| known.payload == payload);
            let message = message.ok_or(Refused::DeliveryKeyConflict)?;
            let (id, revision) = (message.id.clone(), message.revision);
            return Ok(Decision::nothing(Posted { id, revision, replayed: true }));
        }
        let id = setting.draw(board)?;
        let revision = decision::revision(board, 1)?;
        let post = shape::Post {
            id: id.to_string(),
            key,
            kind: self.kind.name().to_owned(),
            priority: named(self.priority),
            reply_to: self.reply_to.as_ref().map(MessageId::to_string),
            from: self.from.as_ref().map(|from| from.as_str().into()),
            requires_ack: self.requires_ack,
            content,
            evicts: decision::make_room(board, bounds, |_| false)?,
            body: Some(decision::body(text, &tags)),
        };
        let drafts = vec![Draft::of(EntryType::Post, &post)?];
        Ok(Decision { drafts, answer: Posted { id, revision, replayed: false } })
    }
}

/// A priority as an entry names it.
pub(crate) fn named(priority: Priority) -> Option<String> {
    (priority != Priority::Normal).then(|| priority.name().to_owned())
}
