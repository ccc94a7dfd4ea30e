//! What later readers see of the messages: how many there are, which are hidden, which a summary
//! stands for, and which were forgotten.

use serde::{Deserialize, Serialize};

use super::hidden::Hidden;
use crate::entry::Entry;
use crate::entry::shape::{Compaction, Forgotten, Rewind};
use crate::position::{Ordinal, Seq};

/// The transcript as rewinds, compactions and forgetting have left it, without its payloads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight {
    messages: u64,
    hidden: Hidden,
    /// Those in sight, oldest first: a rewind brings the one before back.
    compactions: Vec<Compacted>,
    forgotten: Option<Seq>,
}

/// A compaction, without its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacted {
    /// The entry that holds the summary.
    pub seq: Seq,
    /// The first message that the summary does not stand for.
    pub keep_from: Ordinal,
}

impl Sight {
    /// How many messages are in sight.
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// The ordinal of the last message in sight.
    pub const fn last_ordinal(&self) -> Option<Ordinal> {
        Ordinal::new(self.messages)
    }

    /// Which messages and compactions are hidden.
    pub const fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// The compaction in force.
    pub fn compaction(&self) -> Option<Compacted> {
        self.compactions.last().copied()
    }

    /// The first entry that was kept when those before it were forgotten.
    pub const fn forgotten(&self) -> Option<Seq> {
        self.forgotten
    }

    /// Counts a message.
    pub(super) const fn add_message(&mut self) {
        self.messages += 1;
    }

    /// Takes a `rewind`; answers whether it was understood, as each of these does.
    pub(super) fn rewind(&mut self, entry: &Entry) -> bool {
        let Ok(Rewind { to, messages }) = entry.data.decode() else {
            return false;
        };
        self.hidden.rewind(to, entry.seq);
        self.compactions.retain(|compacted| compacted.seq <= to);
        // Where damage hides some, those that were counted are fewer than its writer knew of.
        self.messages = messages;
        true
    }

    /// Takes a `compaction`.
    pub(super) fn compact(&mut self, entry: &Entry) -> bool {
        let Ok(Compaction { keep_from, .. }) = entry.data.decode() else {
            return false;
        };
        self.compactions.push(Compacted { seq: entry.seq, keep_from });
        true
    }

    /// Takes a `forgotten`.
    pub(super) fn forget(&mut self, entry: &Entry) -> bool {
        let Ok(Forgotten { before }) = entry.data.decode() else {
            return false;
        };
        self.forgotten = self.forgotten.max(Some(before));
        true
    }
}
