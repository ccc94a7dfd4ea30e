//! What a listing shows of a session, so that it need not open it.

use std::fmt;
use std::sync::Arc;

use bytestring::ByteString;

use crate::commit::Tip;
use crate::digest::Digest;
use crate::error::Occupant;
use crate::fold::Lifecycle;
use crate::id::{Name, SessionId};
use crate::time::UnixMillis;

/// What somebody who had folded a journal found worth showing of it in a listing.
///
/// It is derived, and good for the tip that it was made at only: a backend that keeps it serves it
/// as long as the journal ends there, and may lose it at any time.
#[derive(Clone, PartialEq, Eq)]
pub struct Gist {
    /// Where the journal ended.
    pub tip: Tip,
    /// The project of its header.
    pub project: Option<Name>,
    /// The fingerprint of the owner in its header.
    pub owner: Option<Digest>,
    /// The session that its header says has started it.
    pub parent: Option<SessionId>,
    /// When its header says it was created.
    pub created_at: UnixMillis,
    /// When a caller had last added something.
    pub updated_at: UnixMillis,
    /// Its title; it may be a part of more text, which it keeps in memory.
    pub title: Option<ByteString>,
    /// Its tags.
    pub tags: Arc<[String]>,
    /// Where it was in its life.
    pub lifecycle: Lifecycle,
    /// Whether some of it could not be read.
    pub damaged: bool,
    /// Whether it is a copy that was cut short.
    pub incomplete: bool,
    /// How many messages were in sight, of those that could be read.
    pub messages: u64,
    /// Who held it.
    pub occupant: Option<Occupant>,
}

impl fmt::Debug for Gist {
    /// Tells places, states and counts only: titles are not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gist")
            .field("tip", &self.tip)
            .field("updated_at", &self.updated_at)
            .field("lifecycle", &self.lifecycle)
            .field("damaged", &self.damaged)
            .field("incomplete", &self.incomplete)
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}
