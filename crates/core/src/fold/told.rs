//! What a folded session tells.

use super::admission::Admission;
use super::blocked::Blocked;
use super::commits::CommitIndex;
use super::extension::Extended;
use super::lifecycle::Lifecycle;
use super::marks::Marks;
use super::meta::Meta;
use super::sight::Sight;
use super::snapshot::Since;
use super::state::SessionState;
use crate::commit::Tip;
use crate::entry::shape::{Header, Import, Lost};
use crate::error::{DamagePlace, Error};
use crate::position::{Ordinal, Position};
use crate::time::UnixMillis;

impl SessionState {
    /// The header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Where the journal ends.
    pub const fn tip(&self) -> Tip {
        self.tip
    }

    /// The position of the journal's end.
    pub const fn position(&self) -> Position {
        self.tip.position
    }

    /// Whether a position holds that a caller expects: it is the end, or only repairs, barriers
    /// and derived state came after it.
    pub fn holds(&self, expected: Position) -> bool {
        expected == self.position() || (self.settled..self.position()).contains(&expected)
    }

    /// When a caller last added something; never falls.
    pub const fn updated_at(&self) -> UnixMillis {
        self.updated_at
    }

    /// Where it is in its life.
    pub const fn lifecycle(&self) -> Lifecycle {
        match (self.deleted, self.closed) {
            (true, _) => Lifecycle::Deleted,
            (false, true) => Lifecycle::Closed,
            (false, false) => Lifecycle::Active,
        }
    }

    /// Its metadata.
    pub const fn meta(&self) -> &Meta {
        &self.meta
    }

    /// How many entries it has, the header included and derived states left out.
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// How many messages it has in sight.
    pub const fn messages(&self) -> u64 {
        self.sight.messages()
    }

    /// What later readers see of its messages.
    pub const fn sight(&self) -> &Sight {
        &self.sight
    }

    /// How many events it has.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// How many bytes its payloads have.
    pub const fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// The ordinal of the last message.
    pub const fn last_ordinal(&self) -> Option<Ordinal> {
        self.sight.last_ordinal()
    }

    /// The commits it has.
    pub const fn commits(&self) -> &CommitIndex {
        &self.commits
    }

    /// Which request holds it.
    pub const fn admission(&self) -> &Admission {
        &self.admission
    }

    /// How much was folded since the last state.
    pub const fn since_state(&self) -> Since {
        self.since
    }

    /// Where the states stand, from the last one back.
    pub const fn marks(&self) -> &Marks {
        &self.marks
    }

    /// What it was imported from, as its last `import` entry has it.
    pub const fn import(&self) -> Option<&Import> {
        self.import.as_ref()
    }

    /// The first entry that this version must not build upon.
    pub const fn blocked(&self) -> Option<&Blocked> {
        self.blocked.as_ref()
    }

    /// Where entries are missing from the fold: counts are then lower bounds.
    pub fn damage(&self) -> &[DamagePlace] {
        &self.damage
    }

    /// The first damage that no rewind hides: behind it nobody can tell how many messages there
    /// are.
    pub const fn uncounted(&self) -> Option<DamagePlace> {
        self.uncounted
    }

    /// Which entries were lost before the journal was made, in order.
    pub fn lost(&self) -> &[Lost] {
        &self.lost
    }

    /// What an extension of the store has made of the session.
    ///
    /// # Errors
    /// *unsupported* where none that makes this type is registered; *corrupt* where entries that it
    /// may have folded can't be read.
    pub fn extended<T: Extended>(&self) -> Result<&T, Error> {
        let subject = format_args!("session {}", self.header().id);
        self.foldings.of_type().map_err(|error| error.about(subject))
    }

    /// Whether it is a copy of which not everything is there yet; a deleted one never is, since
    /// nothing more is to come.
    pub fn is_incomplete(&self) -> bool {
        let cut = self.header.forked_from.as_ref();
        let is_deleted = self.lifecycle() == Lifecycle::Deleted;
        cut.is_some_and(|cut| cut.copied) && !self.forked && !is_deleted
    }

    /// Where the source of a copy from another store ended when it was begun, as long as the copy has
    /// not come so far: it was cut short, or goes on.
    pub fn unreached(&self) -> Option<Position> {
        let end = self.header.copied_to.filter(|end| self.position() < *end);
        end.filter(|_| self.lifecycle() != Lifecycle::Deleted)
    }
}
