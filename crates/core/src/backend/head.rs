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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangeToken(pub String);

/// Bytes that are not served as part of a journal, and why.
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
#[derive(Debug)]
pub struct Recent {
    /// Where it stands in the order; a journal that can't be read stands where it last did, as far
    /// as that is known, or else at time 0.
    pub recency: Recency,
    /// What was seen of it, or why it can't be read: a damaged journal is listed, never hidden.
    pub seen: Result<Seen, Error>,
}

/// What a backend saw of a journal that it lists.
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
