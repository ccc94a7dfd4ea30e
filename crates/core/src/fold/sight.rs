//! What later readers see of the messages: how many there are, which are hidden, which a summary
//! stands for, and which were forgotten.

use serde::{Deserialize, Serialize};

use super::hidden::Hidden;
use crate::entry::Entry;
use crate::entry::shape::{Compaction, Forgotten, Kept, Redacted, Rewind};
use crate::position::{Ordinal, Seq};

/// The transcript as rewinds, compactions and forgetting have left it, without its payloads.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::Sight;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["one"]).await?;
/// let two = session.append(["two"]).await?;
/// session.append(["three"]).await?;
/// session.rewind(two.first).await?;
/// let sight: Sight = session.state().await?.sight().clone();
/// // What a rewind hides has no ordinal any more: the next message is the third.
/// assert_eq!((sight.messages(), sight.last_ordinal().map(|it| it.number())), (2, Some(2)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight {
    messages: u64,
    hidden: Hidden,
    /// Those in sight, oldest first: a rewind brings the one before back.
    compactions: Vec<Compacted>,
    forgotten: Option<Seq>,
}

/// What a message is to those who read the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is in sight.
    Stable,
    /// A turn has written it, and may adopt it.
    Pending,
    /// A turn has written it that can't adopt it any more.
    Left,
}

/// A compaction, without its summary.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::Compacted;
/// use sessile_engine::From;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["one", "two", "three"]).await?;
/// let done = session.compact(From::last(1), ["one and two"]).await?;
/// let state = session.state().await?;
/// let compacted: Compacted = state.sight().compaction().expect("there is one in force");
/// // Where the summary stands, and the first message that it does not stand for.
/// assert_eq!(compacted.seq, done.first);
/// assert_eq!(compacted.keep_from.map(|ordinal| ordinal.number()), Some(3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacted {
    /// The entry that holds the summary.
    pub seq: Seq,
    /// The first message that the summary does not stand for; none where that was not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_from: Option<Ordinal>,
    /// From which number on messages are kept; none where only the ordinal was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_seq: Option<Seq>,
}

/// A compaction without its summary, as a redaction keeps it.
#[derive(Deserialize)]
struct InForce {
    keep_from: Option<Ordinal>,
    keep_seq: Option<Seq>,
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

    /// Which messages are not in sight.
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

    /// Takes a message of this number, the last there is.
    pub(super) fn add_message(&mut self, seq: Seq, place: Place) {
        match place {
            Place::Stable => {
                self.messages += 1;
                self.hidden.show(seq);
            }
            Place::Pending => self.hidden.hold(seq),
            Place::Left => self.hidden.leave(seq),
        }
    }

    /// Takes the messages that pend from one number to another into sight, and leaves the others.
    pub(super) fn adopt(&mut self, adopted: Option<(Seq, Seq)>) {
        self.messages += self.hidden.adopt(adopted);
    }

    /// Takes a `rewind` that stands at a number.
    pub(super) fn rewind(&mut self, rewind: &Rewind, seq: Seq) {
        self.hidden.rewind(rewind.to, seq);
        self.compactions.retain(|compacted| compacted.seq <= rewind.to);
        // Where damage hides some, those that were counted are fewer than its writer knew of.
        self.messages = rewind.messages;
    }

    /// Takes a `compaction`; answers whether it was understood.
    pub(super) fn compact(&mut self, entry: &Entry) -> bool {
        if entry.is_redacted() {
            // What of it stays in force the entry says that had it redacted.
            self.compactions.push(Compacted { seq: entry.seq, keep_from: None, keep_seq: None });
            return true;
        }
        let Ok(Compaction { keep_from, keep_seq, .. }) = entry.data.decode() else {
            return false;
        };
        self.compactions.push(Compacted { seq: entry.seq, keep_from, keep_seq });
        keep_from.is_some() || keep_seq.is_some()
    }

    /// Takes what a `redacted` says of compactions in sight.
    pub(super) fn redact(&mut self, entry: &Entry) {
        let Ok(Redacted { kept, .. }) = entry.data.decode() else { return };
        for Kept { seq, data } in kept {
            let compacted = self.compactions.iter_mut().find(|compacted| compacted.seq == seq);
            if let (Some(compacted), Ok(in_force)) = (compacted, data.decode::<InForce>()) {
                compacted.keep_from = compacted.keep_from.or(in_force.keep_from);
                compacted.keep_seq = compacted.keep_seq.or(in_force.keep_seq);
            }
        }
    }

    /// Takes a `forgotten`; answers whether it was understood.
    pub(super) fn forget(&mut self, entry: &Entry) -> bool {
        let Ok(Forgotten { before }) = entry.data.decode() else {
            return false;
        };
        self.forgotten = self.forgotten.max(Some(before));
        true
    }
}
