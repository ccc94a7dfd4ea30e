//! What can be told of a journal without reading its transcript.

use std::sync::Arc;

use crate::commit::Tip;
use crate::entry::Entry;
use crate::error::Error;
use crate::fold::Lifecycle;
use crate::id::SessionId;
use crate::time::UnixMillis;

use super::gist::Gist;

/// Says whether a journal has changed; compared for equality only.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, ChangeToken};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// let seen: ChangeToken = place.head(&key).await?.change;
/// assert_eq!(place.head(&key).await?.change, seen);
/// session.append(["hi"]).await?;
/// // Nothing is read to find out that somebody has added to it.
/// assert_ne!(place.head(&key).await?.change, seen);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangeToken(pub String);

/// Bytes that are not served as part of a journal, and why.
///
/// # Examples
/// ```
/// use sessile_core::backend::SetAside;
///
/// // What a backend tells of a tail that a crash has torn, before a repair has cut it off.
/// let reason = "the line does not end in a checksum".to_owned();
/// let torn = SetAside { offset: 4_096, bytes: 31, reason, kept_at: None };
/// let told = |it: &SetAside| match &it.kept_at {
///     None => format!("{} bytes at {} are torn", it.bytes, it.offset),
///     Some(file) => format!("{} bytes are kept at {file}", it.bytes),
/// };
/// assert_eq!(told(&torn), "31 bytes at 4096 are torn");
/// // And afterwards.
/// let kept = SetAside { kept_at: Some("set-aside/ses_42/4096-1".into()), ..torn };
/// assert_eq!(told(&kept), "31 bytes are kept at set-aside/ses_42/4096-1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Where in the journal they began.
    pub offset: u64,
    /// How many there are.
    pub bytes: u64,
    /// What is wrong with the first of them.
    pub reason: String,
    /// What keeps them beside the journal; none while they still stand at its end.
    pub kept_at: Option<String>,
}

/// A journal seen from outside.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Head};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// session.append(["hi", "are you there?"]).await?;
/// // No message is read for it.
/// let head: Head = place.head(&key).await?;
/// assert_eq!(head.tip.position, session.position());
/// assert_eq!(head.header.seq.number(), 0);
/// assert!(!head.deleted && head.tail.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Head {
    /// Where it ends.
    pub tip: Tip,
    /// Its first entry.
    pub header: Entry,
    /// Changes whenever the journal does.
    pub change: ChangeToken,
    /// How many bytes it takes, padding left out.
    pub bytes: u64,
    /// When a caller last added something to it, as far as its last commits tell.
    pub updated_at: UnixMillis,
    /// Whether its tombstone is its last word.
    pub deleted: bool,
    /// A torn tail that the next append will set aside.
    pub tail: Option<SetAside>,
}

/// The place of a session in the order of [`recent`](super::Backend::recent).
///
/// # Examples
/// ```
/// use sessile_core::UnixMillis;
/// use sessile_core::backend::Recency;
///
/// let newest = Recency { updated_at: UnixMillis(9), id: "ses_c".parse()? };
/// let older = Recency { updated_at: UnixMillis(7), id: "ses_a".parse()? };
/// // Newest first, and by id where times are equal.
/// let equal = Recency { updated_at: UnixMillis(7), id: "ses_b".parse()? };
/// assert!(older.is_after(&newest) && equal.is_after(&older));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recency {
    /// When a caller last added something to it.
    pub updated_at: UnixMillis,
    /// Its id, which orders sessions of one time.
    pub id: SessionId,
}

impl Recency {
    /// Whether this stands after another: older, or as old and later by id.
    pub fn is_after(&self, other: &Self) -> bool {
        (other.updated_at, &self.id) > (self.updated_at, &other.id)
    }
}

/// A row of [`recent`](super::Backend::recent).
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Recent, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// store.create_as("ses_43", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let first: Vec<Recent> = place.recent(&key.space, &Scope::ALL, None, 1).await?;
/// let last = first.last().map(|row| &row.recency);
/// // The next page begins behind the last row of this one.
/// let next = place.recent(&key.space, &Scope::ALL, last, 1).await?;
/// let ids = first.iter().chain(&next).map(|row| row.recency.id.as_str());
/// assert!(ids.eq(["ses_42", "ses_43"]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Recent {
    /// Where it stands in the order; a journal that can't be read stands where it last did, as far
    /// as that is known, or else at time 0.
    pub recency: Recency,
    /// What was seen of it, or why it can't be read: a damaged journal is listed, never hidden.
    pub seen: Result<Seen, Error>,
}

/// What a backend saw of a journal that it lists.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::backend::{Backend as _, Scope, Seen};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let place = MemoryBackend::new();
/// # let store = Store::on(Arc::new(place.clone()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// # let id = session.id().clone();
/// # let key = sessile_core::SessionKey { space: session.space().clone(), id };
/// session.append(["hi"]).await?;
/// session.delete().await?;
/// let mut rows = place.recent(&key.space, &Scope::ALL, None, 10).await?;
/// let seen: Seen = rows.remove(0).seen?;
/// // Whether it was looked at or told by a note, both say this.
/// assert!(seen.is_deleted());
/// assert_eq!(seen.tip().position, session.position());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Seen {
    /// It was looked at.
    Head(Box<Head>),
    /// It did not have to be: it ends where this was made.
    Gist(Arc<Gist>),
}

impl Seen {
    /// Where the journal ends.
    pub fn tip(&self) -> Tip {
        match self {
            Self::Head(head) => head.tip,
            Self::Gist(gist) => gist.tip,
        }
    }

    /// Whether its tombstone is its last word.
    pub fn is_deleted(&self) -> bool {
        match self {
            Self::Head(head) => head.deleted,
            Self::Gist(gist) => gist.lifecycle == Lifecycle::Deleted,
        }
    }

    /// The head, if it was looked at.
    pub fn into_head(self) -> Option<Head> {
        match self {
            Self::Head(head) => Some(*head),
            Self::Gist(_) => None,
        }
    }
}

impl From<Head> for Seen {
    fn from(head: Head) -> Self {
        Self::Head(Box::new(head))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_stands_first_and_ids_break_ties() {
        let recency =
            |at, id: &str| Recency { updated_at: UnixMillis(at), id: id.parse().unwrap() };
        assert!(recency(1, "a").is_after(&recency(2, "b")));
        assert!(recency(2, "b").is_after(&recency(2, "a")));
        assert!(!recency(2, "a").is_after(&recency(2, "a")));
        assert!(!recency(3, "z").is_after(&recency(2, "a")));
    }
}
