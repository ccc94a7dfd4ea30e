//! Where an append goes, what it answers, and which part of a journal is read.

use std::pin::Pin;

use futures_core::Stream;

use crate::commit::{StoredCommit, Tip};
use crate::error::Error;
use crate::position::{Position, Seq};

/// Where the writer thinks that the journal ends.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Expected};
/// use sessile_core::digest::Token;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, UnixMillis};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// let seen = place.head(&key).await?.tip;
/// session.append(["somebody was faster"]).await?;
///
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// let token = Token::from_random([1; 16]);
/// let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// let error = place.append(&key, Expected::At(seen), vec![commit.clone()]).await.unwrap_err();
/// assert_eq!(error.actual_position(), Some(session.position()));
/// // At the end it goes wherever that is.
/// place.append(&key, Expected::End, vec![commit]).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exactly here; [`Tip::ABSENT`] creates the journal.
    At(Tip),
    /// Wherever: only for minted commit ids and entries without numbers.
    End,
}

/// What became of one commit of an append.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Appended, Backend as _, Expected};
/// use sessile_core::digest::Token;
/// use sessile_core::{Commit, EntryType, Limits, NewEntry, Payload, UnixMillis};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// let at = Expected::At(place.head(&key).await?.tip);
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// let token = Token::from_random([1; 16]);
/// let commit = Commit::new("c1".parse()?, token, vec![entry], &Limits::default())?;
/// let done: Appended = place.append(&key, at, vec![commit.clone()]).await?[0];
/// assert_eq!((done.first.after(), done.replayed), (done.tip.position, false));
/// // The answer was lost? The same attempt is answered with what it did.
/// let again = place.append(&key, at, vec![commit]).await?[0];
/// assert_eq!(again, Appended { replayed: true, ..done });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The number of its first entry.
    pub first: Seq,
    /// The tip of the journal right after it.
    pub tip: Tip,
    /// Whether its own token was there already.
    pub replayed: bool,
}

/// Which commits of a journal are read.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::TryStreamExt as _;
/// use sessile_core::backend::{Backend as _, Span};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// session.append(["one"]).await?;
/// let last = session.append(["two"]).await?;
/// // However little fits, it is one commit at least.
/// let back = Span::Back { before: session.position(), max_bytes: 0 };
/// let commits: Vec<_> = place.read(&key, back).await?.try_collect().await?;
/// assert_eq!((commits.len(), &commits[0].id), (1, &last.commit_id));
/// let all: Vec<_> = place.read(&key, Span::ALL).await?.try_collect().await?;
/// assert_eq!(all.len(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// From the commit that holds this seq or the first one after it, to the end.
    From(Seq),
    /// The last commits that end at or before a position, in order: as many as fit into a number
    /// of bytes, but at least one. Of an entry its payload counts, and
    /// [`FRAME_BYTES`](crate::commit::FRAME_BYTES) beside.
    Back {
        /// The position.
        before: Position,
        /// The number of bytes.
        max_bytes: u64,
    },
}

impl Span {
    /// The whole journal.
    pub const ALL: Self = Self::From(Seq::FIRST);
}

/// Whole commits, in order, read as they are asked for.
///
/// Where acknowledged bytes are damaged, the stream has an [error](crate::ErrorKind::Corrupt)
/// that names the first entry it can't serve, and goes on with the next whole commit: what to
/// make of a gap is the caller's policy. A torn tail ends the stream; the head tells of it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use futures_util::TryStreamExt as _;
/// use sessile_core::backend::{Backend as _, Commits, Span};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// session.append(["one", "two"]).await?;
/// let mut commits: Commits = place.read(&key, Span::ALL).await?;
/// let mut entries = 0;
/// // An item is a whole commit, or damage that hides some; what is behind that still comes.
/// while let Some(commit) = commits.try_next().await? {
///     entries += commit.entries.len();
/// }
/// assert_eq!(entries, 3);
/// # Ok(())
/// # }
/// ```
pub type Commits = Pin<Box<dyn Stream<Item = Result<StoredCommit, Error>> + Send>>;
