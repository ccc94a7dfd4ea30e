//! The folded state of a session.

use crate::commit::{StoredCommit, Tip};
use crate::entry::shape::{Header, Import};
use crate::entry::{Entry, EntryType};
use crate::error::{DamagePlace, Error};
use crate::header;
use crate::position::{Ordinal, Position, Seq};
use crate::time::UnixMillis;

use super::commits::CommitIndex;
use super::meta::Meta;

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// It takes everything.
    Active,
    /// It takes events and metadata, but no more messages.
    Closed,
    /// Only its tombstone speaks for it.
    Deleted,
}

impl Lifecycle {
    /// The stable name in `--json` output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Closed => "closed",
            Self::Deleted => "deleted",
        }
    }
}

/// An entry that this version may read past but must not build upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The entry.
    pub seq: Seq,
    /// Its type.
    pub entry_type: EntryType,
}

/// What a session is, folded from its journal.
#[derive(Clone, Debug)]
pub struct SessionState {
    header: Header,
    tip: Tip,
    updated_at: UnixMillis,
    lifecycle: Lifecycle,
    meta: Meta,
    entries: u64,
    messages: u64,
    events: u64,
    payload_bytes: u64,
    commits: CommitIndex,
    import: Option<Import>,
    blocked: Option<Blocked>,
    damage: Vec<DamagePlace>,
    /// The greatest position that only bookkeeping has been added since.
    settled: Position,
}

impl SessionState {
    /// Folds the first commit of a journal, whose first entry is the header.
    ///
    /// # Errors
    /// *corrupt* without a header, *unknown version* for a format newer
    /// than this program's (both are named).
    pub fn start(first: &StoredCommit) -> Result<Self, Error> {
        let entry = first.entries.first().ok_or_else(|| header::corrupt("it has no entries"))?;
        let header = header::read(entry)?;
        let mut state = Self {
            header,
            tip: Tip::ABSENT,
            updated_at: UnixMillis::default(),
            lifecycle: Lifecycle::Active,
            meta: Meta::default(),
            entries: 0,
            messages: 0,
            events: 0,
            payload_bytes: 0,
            commits: CommitIndex::default(),
            import: None,
            blocked: None,
            damage: Vec::new(),
            settled: Position::START,
        };
        state.apply(first);
        Ok(state)
    }

    /// Folds the next commit.
    pub fn apply(&mut self, commit: &StoredCommit) {
        let mut callers = false;
        for entry in &commit.entries {
            self.apply_entry(entry);
            if !entry.entry_type.is_bookkeeping() {
                callers = true;
                // A clock that fell back does not make a session older.
                self.updated_at = self.updated_at.max(entry.at);
            }
        }
        self.commits.record(commit);
        self.tip = commit.tip();
        if callers {
            self.settled = self.tip.position;
        }
    }

    fn apply_entry(&mut self, entry: &Entry) {
        self.entries += 1;
        self.payload_bytes += u64::try_from(entry.data.len()).unwrap_or(u64::MAX);
        let understood = match &entry.entry_type {
            EntryType::Session => entry.seq == Seq::FIRST,
            EntryType::Message => {
                self.messages += 1;
                true
            }
            EntryType::Event => {
                self.events += 1;
                true
            }
            EntryType::Meta => self.meta.merge(&entry.data),
            EntryType::Close => {
                self.lifecycle = Lifecycle::Closed;
                true
            }
            EntryType::Delete => {
                self.lifecycle = Lifecycle::Deleted;
                true
            }
            EntryType::Import => match entry.data.decode() {
                Ok(import) => {
                    self.import = Some(import);
                    true
                }
                Err(_) => false,
            },
            EntryType::Forked | EntryType::Repaired | EntryType::Barrier | EntryType::State => true,
            // A type of a newer program says itself whether it may be built upon.
            EntryType::Other(_) => !entry.must,
            // Reserved, but what it changes is not folded by this version.
            _ => false,
        };
        if !understood && self.blocked.is_none() {
            let entry_type = entry.entry_type.clone();
            self.blocked = Some(Blocked { seq: entry.seq, entry_type });
        }
    }

    /// Notes that entries are missing from the fold, because their bytes can't be read.
    pub fn note_damage(&mut self, place: DamagePlace) {
        self.damage.push(place);
    }

    /// Takes over where the journal ends when damage follows the last commit that can be read: the
    /// numbers in it are used up, and whoever expected the journal to end before it has missed
    /// something.
    pub fn pass_damage(&mut self, end: Tip) {
        if end.token == self.tip.token && end.position > self.tip.position {
            self.tip = end;
            self.settled = end.position;
        }
    }

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
        self.lifecycle
    }

    /// Its metadata.
    pub const fn meta(&self) -> &Meta {
        &self.meta
    }

    /// How many entries it has, the header included.
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// How many messages it has.
    pub const fn messages(&self) -> u64 {
        self.messages
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
        Ordinal::new(self.messages)
    }

    /// The commits it has.
    pub const fn commits(&self) -> &CommitIndex {
        &self.commits
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
}
