//! What becomes of each session, and why.

use sessile_core::error::Occupant;
use sessile_core::{Error, SessionId, UnixMillis};

/// What a pruning did, or would do.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Pruned, Retention};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let pruned: Pruned = store.prune(&Retention::new().keep_last(9), false).await?;
/// assert_eq!(pruned.removed().count(), 0);
/// assert!(pruned.failure().is_none());
/// # drop(session);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Pruned {
    /// Every session that was looked at, newest first; those of which nothing can be read last.
    pub sessions: Vec<Judged>,
}

impl Pruned {
    /// Those that were removed, or would be.
    pub fn removed(&self) -> impl Iterator<Item = &SessionId> {
        let removed = self.sessions.iter().filter(|it| matches!(it.verdict, Verdict::Removed));
        removed.map(|it| &it.id)
    }

    /// Why a session could not be judged or removed; the first reason of all.
    pub fn failure(&self) -> Option<&Error> {
        self.sessions.iter().find_map(|it| match &it.verdict {
            Verdict::Kept(KeptBack::Unreadable(error) | KeptBack::Failed(error)) => Some(error),
            Verdict::Kept(_) | Verdict::Removed => None,
        })
    }
}

/// A session, and what became of it.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Judged, Retention};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let pruned = store.prune(&Retention::new().keep_last(9), true).await?;
/// let judged: &Judged = &pruned.sessions[0];
/// assert_eq!((&judged.id, judged.updated_at.is_some()), (session.id(), true));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judged {
    /// Its id.
    pub id: SessionId,
    /// When a caller last added something to it, as its journal says; none if that can't be read.
    pub updated_at: Option<UnixMillis>,
    /// What became of it.
    pub verdict: Verdict,
}

/// What becomes of a session.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{NewSession, Retention, Verdict};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// store.create_as("ses_43", NewSession::new()).await?.append(["hi"]).await?;
/// let pruned = store.prune(&Retention::new().keep_last(1), true).await?;
/// let removed = pruned.sessions.iter().filter(|it| matches!(it.verdict, Verdict::Removed));
/// assert_eq!(removed.count(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It is deleted: a tombstone is its last word, and until it is purged that can be taken back.
    Removed,
    /// It stays as it is.
    Kept(KeptBack),
}

/// Why a session is not removed.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_core::entry::shape::Contract;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use std::time::Duration;
///
/// use sessile_engine::{KeptBack, Retention, Verdict};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let admission = session.admit(&"req-1".parse()?, "hi", &Contract::new()).await?;
/// # let turn = admission.started()?;
/// drop(turn);
/// let pruned = store.prune(&Retention::new().older_than(Duration::from_nanos(1)), true).await?;
/// let Verdict::Kept(why) = &pruned.sessions[0].verdict else { panic!("a request holds it") };
/// assert!(matches!(why, KeptBack::Held(_) | KeptBack::Recent), "{}", why.name());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum KeptBack {
    /// Nothing is to be removed: no age and no number was given.
    Off,
    /// A caller added something to it within the time that is kept.
    Recent,
    /// It is one of the last so many.
    AmongTheLast,
    /// A request holds it; none is named where its claim can't be read.
    Held(Option<Occupant>),
    /// Something of it can't be read.
    Damaged,
    /// It is a fork that was cut short, which whoever made it may still complete.
    Incomplete,
    /// Nobody can say how old it is, or whose: it can't be read or reached, or a newer version wrote
    /// it.
    Unreadable(Error),
    /// Somebody added something to it meanwhile.
    Changed,
    /// Removing it was tried, and failed.
    Failed(Error),
    /// Removing it was not tried, since removing others failed one after the other.
    NotTried,
}

impl KeptBack {
    /// The stable name in `--json` output.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Recent => "recent",
            Self::AmongTheLast => "among-the-last",
            Self::Held(_) => "held",
            Self::Damaged => "damaged",
            Self::Incomplete => "incomplete",
            Self::Unreadable(_) => "unreadable",
            Self::Changed => "changed",
            Self::Failed(_) => "failed",
            Self::NotTried => "not-tried",
        }
    }
}

/// What an erasure did, or would do.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Erased, Erasure, NewSession, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// store.create_as("ses_42", NewSession::new().owner("ann")).await?;
/// let erasure = Erasure::of(Scope::owner("ann")).confirmed_by("ann");
/// let erased: Erased = store.erase(&erasure, false).await?;
/// assert_eq!((erased.sessions.len(), erased.left.len()), (1, 0));
/// assert!(store.open_session("ses_42").await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Erased {
    /// The sessions of which nothing is left but their tombstones, those erased before included.
    pub sessions: Vec<SessionId>,
    /// What is still there, and why.
    pub left: Vec<Left>,
    /// How many documents were deleted beside those that went with their sessions.
    pub documents: u64,
}

/// A session that was not erased, or not wholly.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::{Erasure, Left, NewSession, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// store.create_as("ses_42", NewSession::new().owner("ann")).await?;
/// let erasure = Erasure::of(Scope::owner("ann")).confirmed_by("ann");
/// for left in store.erase(&erasure, false).await?.left {
///     let left: Left = left;
///     panic!("{} is still there: {}", left.id, left.why);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Left {
    /// Its id.
    pub id: SessionId,
    /// Whether it is deleted at least, so that only purging it is left to do.
    pub deleted: bool,
    /// Why it is there: it can't be read, so that nobody can say whose it is, or erasing it failed.
    pub why: Error,
}
