//! A session at one moment.

use std::fmt;

use sessile_core::entry::shape::{Header, Lost};
use sessile_core::fold::{Lifecycle, Meta};
use sessile_core::{Position, Seq, SessionId, UnixMillis};

use crate::folded::Folded;

/// A session as it was when it was last read.
#[derive(Clone)]
#[non_exhaustive]
pub struct Info {
    /// What it was created as.
    pub header: Header,
    /// Its metadata.
    pub meta: Meta,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Where its journal ends.
    pub position: Position,
    /// When a caller last added something; never falls.
    pub updated_at: UnixMillis,
    /// How many entries it has, its header included.
    pub entries: u64,
    /// How many messages it has in sight.
    pub messages: u64,
    /// How many events it has.
    pub events: u64,
    /// How many bytes its payloads have.
    pub payload_bytes: u64,
    /// The first entry that was kept when those before it were forgotten.
    pub forgotten: Option<Seq>,
    /// Whether acknowledged entries can't be read: the counts are lower bounds then.
    pub damaged: bool,
    /// What of that could not be read when it was forked, and so is not here.
    pub lost: Vec<Lost>,
}

impl Info {
    pub(crate) fn of(folded: &Folded) -> Self {
        let state = folded.state();
        Self {
            header: state.header().clone(),
            meta: state.meta().clone(),
            lifecycle: state.lifecycle(),
            position: state.position(),
            updated_at: state.updated_at(),
            entries: state.entries(),
            messages: state.messages(),
            events: state.events(),
            payload_bytes: state.payload_bytes(),
            forgotten: state.sight().forgotten(),
            damaged: !state.damage().is_empty(),
            lost: state.lost().to_vec(),
        }
    }

    /// The session's id.
    pub const fn id(&self) -> &SessionId {
        &self.header.id
    }

    /// Its title, if it has one.
    pub fn title(&self) -> Option<String> {
        self.meta.title()
    }

    /// Its tags.
    pub fn tags(&self) -> Vec<String> {
        self.meta.tags()
    }
}

impl fmt::Debug for Info {
    /// Tells ids and counts only: what a session holds is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Info")
            .field("id", &self.header.id)
            .field("lifecycle", &self.lifecycle)
            .field("position", &self.position)
            .field("entries", &self.entries)
            .field("messages", &self.messages)
            .field("damaged", &self.damaged)
            .finish_non_exhaustive()
    }
}
