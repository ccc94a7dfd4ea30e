//! What is known of an id that somebody asks for.

use super::ended::Ended;
use crate::commit::StoredCommit;
use crate::digest::{Digest, Token};
use crate::entry::EntryType;
use crate::position::{Position, Seq};

/// What is remembered of a commit.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::{Lookup, Recorded};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let done = session.append(["hi"]).await?;
/// let state = session.state().await?;
/// let found = state.commits().look(&done.commit_id);
/// let Lookup::Found(recorded) = found else { panic!("it was done") };
/// // What a repeat is answered with.
/// let Recorded { first, position, .. } = recorded;
/// assert_eq!((first, position), (done.first, done.position));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The digest of what its caller asked for.
    pub digest: Digest,
    /// The token of the attempt that wrote it.
    pub token: Token,
    /// The number of its first entry, a `state` left out.
    pub first: Seq,
    /// Where the journal ended right after it.
    pub position: Position,
}

impl Recorded {
    pub(super) fn of(commit: &StoredCommit) -> Self {
        let callers = commit.entries.iter().find(|entry| entry.entry_type != EntryType::State);
        Self {
            digest: commit.digest,
            token: commit.token,
            first: callers.map_or_else(|| commit.first_seq(), |entry| entry.seq),
            position: commit.tip().position,
        }
    }
}

/// What is known of a commit id.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::Lookup;
/// use sessile_engine::Append;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let id = "turn-1".parse()?;
/// assert_eq!(session.state().await?.commits().look(&id), Lookup::Absent);
/// session.append_with(Append::at_end().commit_id(id.clone()), ["hi"]).await?;
/// assert!(matches!(session.state().await?.commits().look(&id), Lookup::Found(_)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// It is in the journal.
    Found(Recorded),
    /// It is not.
    Absent,
    /// It can't be told before this was read.
    Unread(Unread),
}

/// What is known of the end of a request.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::entry::shape::Contract;
/// use sessile_core::fold::RequestLookup;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let id = "req-1".parse()?;
/// let turn = session.admit(&id, "hi", &Contract::new()).await?.started()?;
/// // It is active, and has not ended.
/// assert_eq!(session.state().await?.commits().look_request(&id), RequestLookup::Absent);
/// turn.commit("hello").await?;
/// let state = session.state().await?;
/// assert!(matches!(state.commits().look_request(&id), RequestLookup::Found(_)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestLookup {
    /// It ended.
    Found(Ended),
    /// It did not, if damage does not hide that it did.
    Absent,
    /// It can't be told before this was read.
    Unread(Unread),
}

/// What must be read to be sure of an id.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// # use futures_util::TryStreamExt as _;
/// # use sessile_core::backend::{Backend as _, Span};
/// use sessile_core::StoredCommit;
/// use sessile_core::fold::{Lookup, SessionState, Unread};
/// use sessile_engine::{Append, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// # let options = Options::default().state_every(1, 1);
/// # let session = Store::with(Arc::new(place.clone()), options).open_session("ses_42").await?;
/// let id = "turn-1".parse()?;
/// # let append = Append::at_end().commit_id("turn-1".parse()?);
/// # session.append_with(append, ["hi"]).await?;
/// # session.append(["more"]).await?;
/// # session.append(["and more"]).await?;
/// # let header = session.info().header;
/// let commits: Vec<StoredCommit> = place.read(&key, Span::ALL).await?.try_collect().await?;
/// let last = commits.last().expect("there are some");
/// // Folded from the last state on, older ids are not at hand: first the run of ids that may have
/// // it is read, then the commit that the run names.
/// let mut state = SessionState::resume(header, last).expect("it is whole").expect("a state");
/// let mut read = Vec::new();
/// while let Lookup::Unread(unread) = state.commits().look(&id) {
///     let has = |commit: &&StoredCommit| commit.entries.iter().any(|it| it.seq == unread.seq());
///     assert!(state.learn(unread, commits.iter().find(has).expect("it is there")));
///     read.push(unread);
/// }
/// assert!(matches!(read[..], [Unread::Run(_), Unread::Commit(_)]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The run that the `state` with this number holds.
    Run(Seq),
    /// The commit that has this entry, which may have the id, or tell of the request of that id.
    Commit(Seq),
}

impl Unread {
    /// The entry whose commit must be read.
    pub const fn seq(self) -> Seq {
        match self {
            Self::Run(seq) | Self::Commit(seq) => seq,
        }
    }
}
