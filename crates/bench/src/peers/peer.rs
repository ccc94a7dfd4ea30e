//! What is asked of every peer.

use std::ops::Range;

use anyhow::{Result, bail};

use crate::messages::{Message, Messages};

/// A row of a listing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) session: u64,
    pub(crate) title: String,
    pub(crate) updated: u64,
}

/// Whether a change is on the disk when it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    Durable,
    Buffered,
}

/// Sessions by number, their messages, and a document.
///
/// What a peer has no way for is refused, and no workload asks it of that peer.
pub(crate) trait Peer: Send {
    /// Makes sessions, each with a title and the same few messages; all at once, for listings.
    fn fill(&mut self, sessions: Range<u64>, messages: &[Message]) -> Result<()>;

    /// Appends messages as one change, and moves the session to the front of listings.
    fn append(&mut self, session: u64, messages: &[&Message], sync: Sync) -> Result<()>;

    /// Appends to several sessions as one change, durably.
    fn append_group(&mut self, changes: &[(u64, &Message)]) -> Result<()> {
        bail!("no change of {} sessions at once", changes.len())
    }

    /// Reads all messages.
    fn load(&mut self, session: u64) -> Result<Vec<Message>>;

    /// Reads the last messages, oldest first.
    fn last(&mut self, session: u64, count: usize) -> Result<Vec<Message>>;

    /// Lists the newest sessions.
    fn page(&mut self, count: usize) -> Result<Vec<Row>> {
        bail!("no page of {count}: it would read every session")
    }

    /// Changes a title, durably.
    fn rename(&mut self, session: u64, title: &str) -> Result<()>;

    /// Replaces the document if it has this revision; the next one is one more. Durable.
    fn swap(&mut self, revision: u64, body: &[u8]) -> Result<()> {
        bail!("no document at {revision} of {} bytes", body.len())
    }

    /// Puts a summary in the place of all messages but the last, durably.
    fn compact(&mut self, session: u64, keep: usize, summary: &Message) -> Result<()>;
}

/// Appends many messages, buffered, a thousand at a time.
pub(crate) fn bulk(
    peer: &mut dyn Peer,
    session: u64,
    messages: &Messages,
    count: usize,
) -> Result<()> {
    for first in (0..count).step_by(1_000) {
        let batch: Vec<&Message> = messages.some(first, 1_000.min(count - first)).collect();
        peer.append(session, &batch, Sync::Buffered)?;
    }
    Ok(())
}
