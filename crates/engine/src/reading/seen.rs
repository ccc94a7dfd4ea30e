//! What a journal was at one moment, for a read that shows just that.

use futures_util::future::join;
use sessile_core::commit::Tip;
use sessile_core::error::DamagePlace;
use sessile_core::fold::Sight;
use sessile_core::{Entry, EntryType, Error, Ordinal, Position, Seq, SessionKey};

use super::stretch::{Ahead, Item};
use crate::ordinals::Break;
use crate::resident::Resident;

/// What stood in a journal, without its payloads.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    tip: Tip,
    sight: Sight,
    /// How many messages in sight could be counted.
    counted: u64,
    /// The damage that ended the count.
    broken: Option<Break>,
    /// What was read of its end on the way.
    ahead: Ahead,
}

impl Seen {
    /// Looks at the journal.
    ///
    /// # Errors
    /// Those of reading what others have added.
    pub(crate) async fn now(resident: &Resident) -> Result<Self, Error> {
        resident.catch_up().await?;
        Ok(Self::known(resident, Ahead::default()))
    }

    /// What is known of the journal without a look at it, for whoever finds out what was added when
    /// adding to it.
    pub(crate) fn at_hand(resident: &Resident) -> Self {
        Self::known(resident, Ahead::default())
    }

    /// Looks at the journal for a read of so many bytes before its end, and reads that at the same time:
    /// mostly nobody has added anything.
    ///
    /// # Errors
    /// Those of [`now`](Self::now).
    pub(super) async fn with_end(resident: &Resident, max_bytes: u64) -> Result<Self, Error> {
        let before = resident.folded().state().position();
        let ahead = Ahead::of(resident, before, max_bytes);
        // Large as a future, both together.
        let (caught_up, ahead) = Box::pin(join(resident.catch_up(), ahead)).await;
        caught_up?;
        Ok(Self::known(resident, ahead))
    }

    fn known(resident: &Resident, ahead: Ahead) -> Self {
        let folded = resident.folded();
        Self {
            tip: folded.state().tip(),
            sight: folded.state().sight().clone(),
            counted: folded.ordinals().counted(),
            broken: folded.ordinals().broken(),
            ahead,
        }
    }

    /// The commits before its end, if they were read on the way and nobody took them.
    pub(super) fn take_end(&self, before: Position) -> Option<Vec<Item>> {
        self.ahead.take(before)
    }

    /// Where the journal ended.
    pub(crate) const fn tip(&self) -> Tip {
        self.tip
    }

    /// The position of its end.
    pub(crate) const fn until(&self) -> Position {
        self.tip.position
    }

    /// What was in sight.
    pub(crate) const fn sight(&self) -> &Sight {
        &self.sight
    }

    /// Whether an entry is a message in sight.
    pub(crate) fn shows(&self, entry: &Entry) -> bool {
        entry.entry_type == EntryType::Message && !self.sight.hidden().hides(entry.seq)
    }

    /// How many messages were in sight; none where damage hides it.
    pub(crate) fn counted(&self) -> Option<u64> {
        self.broken.is_none().then_some(self.counted)
    }

    /// The damage that hides how many messages were in sight.
    pub(crate) fn hiding(&self) -> Option<DamagePlace> {
        self.broken.map(|broken| broken.place)
    }

    /// Whether it is known how many messages in sight stand before an entry.
    pub(crate) fn counts_before(&self, seq: Seq) -> bool {
        self.broken.is_none_or(|broken| seq <= broken.place.seq)
    }

    /// Refuses a message that is known to stand behind damage; where that is not known, whoever
    /// reads up to it meets the damage.
    ///
    /// # Errors
    /// *corrupt*, naming the damage.
    pub(crate) fn check_countable(&self, ordinal: Ordinal, key: &SessionKey) -> Result<(), Error> {
        match self.broken {
            Some(Break { place, before: Some(before) }) if before < ordinal.number() => {
                let reason = format!("and message {ordinal} stands behind it");
                Err(Error::corrupt(place, reason)
                    .about(key)
                    .with_hint("behind damage messages have no ordinals: name it by its number"))
            }
            _ => Ok(()),
        }
    }
}
