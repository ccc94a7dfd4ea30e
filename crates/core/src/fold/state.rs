//! The folded state of a session.

use crate::commit::{StoredCommit, Tip};
use crate::entry::shape::{Forked, Header, Import, Lost, Rewind};
use crate::entry::{Entry, EntryType};
use crate::error::{DamagePlace, Error};
use crate::header;
use crate::position::{Ordinal, Position, Seq};
use crate::time::UnixMillis;

use super::commits::CommitIndex;
use super::marks::{Mark, Marks};
use super::meta::Meta;
use super::sight::Sight;
use super::snapshot::Snapshot;

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

/// How much was folded since the last state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// How many entries.
    pub entries: u64,
    /// How many bytes of payload.
    pub bytes: u64,
}

/// What a session is, folded from its journal.
#[derive(Clone, Debug)]
pub struct SessionState {
    pub(super) header: Header,
    pub(super) tip: Tip,
    pub(super) updated_at: UnixMillis,
    pub(super) closed: bool,
    pub(super) deleted: bool,
    pub(super) meta: Meta,
    pub(super) entries: u64,
    pub(super) sight: Sight,
    pub(super) events: u64,
    pub(super) payload_bytes: u64,
    pub(super) commits: CommitIndex,
    pub(super) import: Option<Import>,
    pub(super) blocked: Option<Blocked>,
    pub(super) damage: Vec<DamagePlace>,
    /// The first of those that no later rewind has hidden.
    pub(super) uncounted: Option<DamagePlace>,
    /// What of them was lost before the journal was made.
    pub(super) lost: Vec<Lost>,
    /// Whether what a fork took over is all there.
    pub(super) forked: bool,
    /// The greatest position that only bookkeeping has been added since.
    pub(super) settled: Position,
    /// What was folded since the last state that was.
    pub(super) since: Since,
    /// Where the states stand.
    pub(super) marks: Marks,
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
            closed: false,
            deleted: false,
            meta: Meta::default(),
            entries: 0,
            sight: Sight::default(),
            events: 0,
            payload_bytes: 0,
            commits: CommitIndex::default(),
            import: None,
            blocked: None,
            damage: Vec::new(),
            uncounted: None,
            lost: Vec::new(),
            forked: false,
            settled: Position::START,
            since: Since::default(),
            marks: Marks::default(),
        };
        state.apply(first);
        Ok(state)
    }

    /// Folds the next commit.
    pub fn apply(&mut self, commit: &StoredCommit) {
        self.take_snapshot(commit);
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
        // What is derived counts for nothing: it may be damaged without any loss.
        if entry.entry_type == EntryType::State {
            return;
        }
        let bytes = u64::try_from(entry.data.len()).unwrap_or(u64::MAX);
        self.entries += 1;
        self.payload_bytes += bytes;
        self.since.entries += 1;
        self.since.bytes += bytes;
        let understood = match &entry.entry_type {
            EntryType::Session => entry.seq == Seq::FIRST,
            EntryType::Message => {
                self.sight.add_message();
                true
            }
            EntryType::Event => {
                self.events += 1;
                true
            }
            EntryType::Meta => self.meta.merge(&entry.data),
            EntryType::Close => {
                self.closed = true;
                true
            }
            EntryType::Delete => {
                self.deleted = true;
                true
            }
            EntryType::Undelete => {
                self.deleted = false;
                true
            }
            EntryType::Rewind => self.apply_rewind(entry),
            EntryType::Compaction => self.sight.compact(entry),
            EntryType::Forgotten => self.sight.forget(entry),
            EntryType::Import => match entry.data.decode() {
                Ok(import) => {
                    self.import = Some(import);
                    true
                }
                Err(_) => false,
            },
            EntryType::Forked => self.apply_forked(entry),
            EntryType::Redacted => {
                self.sight.redact(entry);
                true
            }
            EntryType::Repaired | EntryType::Barrier | EntryType::State => true,
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

    /// Takes a `rewind`; answers whether it was understood.
    fn apply_rewind(&mut self, entry: &Entry) -> bool {
        let Ok(rewind) = entry.data.decode::<Rewind>() else {
            return false;
        };
        self.sight.rewind(&rewind, entry.seq);
        // All damage that was met stands before the rewind.
        self.uncounted = self.uncounted.filter(|place| place.seq <= rewind.to);
        // What its writer could not read is damaged for everybody.
        rewind.damage.into_iter().for_each(|place| self.note_damage(place));
        true
    }

    /// Takes a `forked`, the fork's own or one that it took over; answers whether it was
    /// understood.
    fn apply_forked(&mut self, entry: &Entry) -> bool {
        let Ok(Forked { lost }) = entry.data.decode() else {
            return false;
        };
        let cut = self.header.forked_from.as_ref();
        self.forked |= cut.is_some_and(|cut| cut.seq < entry.seq);
        for lost in lost {
            self.note_damage(DamagePlace { seq: lost.from, offset: 0 });
            if !self.lost.contains(&lost) {
                self.lost.push(lost);
                self.lost.sort_unstable_by_key(|lost| lost.from);
            }
        }
        true
    }

    /// Takes the state that a commit carries, if it is of what was folded: older ids stand in
    /// runs from there on.
    fn take_snapshot(&mut self, commit: &StoredCommit) {
        let Ok(Some(snapshot)) = Snapshot::of(commit) else { return };
        // A copy may lack bookkeeping that stood between. Where damage stands that the state does
        // not tell of, this fold lacks what the state has.
        let tells =
            |place: &DamagePlace| snapshot.session.damage.iter().any(|it| it.seq == place.seq);
        let continues = snapshot.position >= self.tip.position && self.damage.iter().all(tells);
        let Some(seq) = commit.state.filter(|_| continues) else {
            return;
        };
        if self.commits.rest_on(seq, &snapshot.ids) {
            self.since = Since::default();
            self.marks.push(Mark { seq, before: self.messages() });
        }
    }

    /// Notes that entries are missing from the fold, because their bytes can't be read.
    pub fn note_damage(&mut self, place: DamagePlace) {
        if self.uncounted.is_none_or(|first| place.seq < first.seq) {
            self.uncounted = Some(place);
        }
        if !self.damage.iter().any(|known| known.seq == place.seq) {
            self.damage.push(place);
        }
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

    /// Whether it is a copy of which not everything is there yet; a deleted one never is, since
    /// nothing more is to come.
    pub fn is_incomplete(&self) -> bool {
        let cut = self.header.forked_from.as_ref();
        let is_deleted = self.lifecycle() == Lifecycle::Deleted;
        cut.is_some_and(|cut| cut.copied) && !self.forked && !is_deleted
    }
}
