//! The folded state of a session.

use crate::commit::{StoredCommit, Tip};
use crate::entry::shape::{Forgotten, Forked, Header, Import, Lost, Rewind};
use crate::entry::{Entry, EntryType};
use crate::error::{DamagePlace, Error};
use crate::header;
use crate::position::{Position, Seq};
use crate::time::UnixMillis;

use super::admission::{Admission, Taken};
use super::blocked::Blocked;
use super::commits::CommitIndex;
use super::ended::Ended;
use super::extension::Extensions;
use super::foldings::Foldings;
use super::marks::{Mark, Marks};
use super::meta::Meta;
use super::sight::{Place, Sight};
use super::snapshot::{Since, Snapshot};

/// What a session is, folded from its journal.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_core::fold::SessionState;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let state: SessionState = session.state().await?;
/// assert_eq!((state.messages(), state.position()), (1, session.position()));
/// // What a caller may expect who has seen all of it.
/// assert!(state.holds(session.position()));
/// # Ok(())
/// # }
/// ```
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
    pub(super) admission: Admission,
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
    /// What the extensions of the store have made of it.
    pub(super) foldings: Foldings,
}

impl SessionState {
    /// Folds the first commit of a journal, whose first entry is the header.
    ///
    /// # Errors
    /// *corrupt* without a header, *unknown version* for a format newer
    /// than this program's (both are named).
    pub fn start(first: &StoredCommit) -> Result<Self, Error> {
        Self::start_with(first, &Extensions::default())
    }

    /// Folds the first commit of a journal, for extensions too.
    ///
    /// # Errors
    /// Those of [`start`](Self::start).
    pub fn start_with(first: &StoredCommit, extensions: &Extensions) -> Result<Self, Error> {
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
            admission: Admission::default(),
            import: None,
            blocked: None,
            damage: Vec::new(),
            uncounted: None,
            lost: Vec::new(),
            forked: false,
            settled: Position::START,
            since: Since::default(),
            marks: Marks::default(),
            foldings: Foldings::start(extensions),
        };
        state.apply(first);
        Ok(state)
    }

    /// Folds the next commit.
    pub fn apply(&mut self, commit: &StoredCommit) {
        self.apply_with(commit, Snapshot::of(commit).ok().flatten());
    }

    /// Folds the next commit, whose state was read, if it carries one that can be.
    pub(super) fn apply_with(&mut self, commit: &StoredCommit, snapshot: Option<Snapshot>) {
        if let Some(snapshot) = snapshot {
            self.take_snapshot(commit, &snapshot);
        }
        let mut callers = false;
        for entry in &commit.entries {
            self.apply_entry(entry, commit.tip().position);
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

    /// Folds an entry of a commit that ends at a position.
    fn apply_entry(&mut self, entry: &Entry, end: Position) {
        // What is derived counts for nothing: it may be damaged without any loss.
        if entry.entry_type == EntryType::State {
            return;
        }
        let bytes = u64::try_from(entry.data.len()).unwrap_or(u64::MAX);
        self.entries += 1;
        self.payload_bytes += bytes;
        self.since.entries += 1;
        self.since.bytes += bytes;
        self.foldings.take(entry);
        let understood = match &entry.entry_type {
            EntryType::Session => entry.seq == Seq::FIRST,
            EntryType::Event => {
                self.events += 1;
                true
            }
            EntryType::Meta => self.meta.merge(&entry.data),
            EntryType::Close => {
                self.closed = true;
                true
            }
            EntryType::Delete => self.apply_delete(end),
            EntryType::Undelete => {
                self.deleted = false;
                true
            }
            EntryType::Forgotten => self.apply_forgotten(entry),
            EntryType::Import => match entry.data.decode() {
                Ok(import) => {
                    self.import = Some(import);
                    true
                }
                Err(_) => false,
            },
            EntryType::Forked => self.apply_forked(entry),
            EntryType::Redacted => self.apply_redacted(entry),
            EntryType::Decision => self.admission.take_decision(entry) != Taken::Unreadable,
            EntryType::Claim => self.apply_claim(entry),
            EntryType::Message
            | EntryType::Rewind
            | EntryType::Compaction
            | EntryType::Checkpoint
            | EntryType::Intent
            | EntryType::Completion
            | EntryType::Approval
            | EntryType::Outcome => self.apply_of_holder(entry, end),
            // A type of a newer program says itself whether it may be built upon.
            EntryType::Other(_) => !entry.must,
            // They change nothing of what is folded here, though extensions may fold some of them.
            EntryType::Repaired
            | EntryType::Barrier
            | EntryType::State
            | EntryType::Post
            | EntryType::Resolve
            | EntryType::Withdraw
            | EntryType::Replace
            | EntryType::Ack
            | EntryType::Complete
            | EntryType::Instruct
            | EntryType::Context => true,
            // Reserved, but what it changes is not folded by this version.
            _ => false,
        };
        if !understood && self.blocked.is_none() {
            let entry_type = entry.entry_type.clone();
            self.blocked = Some(Blocked { seq: entry.seq, entry_type });
        }
    }

    /// Takes an entry of a type that only the holder of a claim writes, or anybody where there is
    /// none; answers whether it was understood. Under a claim that does not stand it changes
    /// nothing.
    fn apply_of_holder(&mut self, entry: &Entry, end: Position) -> bool {
        let stands = self.admission.stands(entry, &self.damage);
        let is_turns_own = !matches!(
            entry.entry_type,
            EntryType::Message | EntryType::Rewind | EntryType::Compaction
        );
        let is_stray = !stands && (is_turns_own || entry.claim.is_some());
        if is_stray {
            self.admission.stray(entry.seq);
        }
        match entry.entry_type {
            EntryType::Message => {
                let place = match entry.claim {
                    None => Place::Stable,
                    Some(_) if stands => Place::Pending,
                    Some(_) => Place::Left,
                };
                self.sight.add_message(entry.seq, place);
                true
            }
            _ if is_stray => true,
            EntryType::Rewind => self.apply_rewind(entry),
            EntryType::Compaction => self.sight.compact(entry),
            _ => match self.admission.take(entry) {
                Taken::Ends(active, outcome) => {
                    self.sight.adopt(outcome.adopts);
                    let mut ended = Ended::of(entry, end, *outcome);
                    if let Some(active) = active {
                        ended.input.get_or_insert(active.input);
                        ended.contract.get_or_insert(active.contract);
                    }
                    self.commits.end(ended);
                    true
                }
                taken => taken != Taken::Unreadable,
            },
        }
    }

    /// Takes a `claim`; answers whether it was understood.
    fn apply_claim(&mut self, entry: &Entry) -> bool {
        let messages = self.sight.messages();
        match self.admission.take_claim(entry, messages, &self.damage) {
            Taken::StartsAnew => {
                self.sight.adopt(None);
                true
            }
            taken => taken != Taken::Unreadable,
        }
    }

    /// Takes the tombstone, which ends what was active.
    fn apply_delete(&mut self, end: Position) -> bool {
        self.deleted = true;
        self.sight.adopt(None);
        if let Some(active) = self.admission.take_deletion() {
            let terms = (active.input, active.contract);
            self.commits.end(Ended::by_deletion(active.request, active.claim, end, terms));
        }
        true
    }

    /// Takes a `redacted`.
    fn apply_redacted(&mut self, entry: &Entry) -> bool {
        self.sight.redact(entry);
        if let Ok(redacted) = entry.data.decode() {
            self.commits.expire(&redacted);
        }
        true
    }

    /// Takes a `forgotten`; answers whether it was understood.
    fn apply_forgotten(&mut self, entry: &Entry) -> bool {
        if let Ok(Forgotten { before }) = entry.data.decode() {
            self.commits.expire_before(before);
        }
        self.sight.forget(entry)
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
        let is_own = cut.is_some_and(|cut| cut.seq < entry.seq);
        if is_own && !self.forked {
            // What was asked of the session before is none of this one's.
            self.forked = true;
            self.admission.inherit();
            self.commits.forget_requests();
            self.sight.adopt(None);
        }
        for lost in lost {
            self.note_place(DamagePlace { seq: lost.from, offset: 0 });
            if !self.lost.contains(&lost) {
                self.lost.push(lost);
                self.lost.sort_unstable_by_key(|lost| lost.from);
            }
        }
        true
    }

    /// Takes the state that a commit carries, if it is of what was folded: older ids stand in
    /// runs from there on.
    fn take_snapshot(&mut self, commit: &StoredCommit, snapshot: &Snapshot) {
        self.foldings.take_up(&snapshot.members);
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
            // What pends may come to stand before it.
            if self.sight.hidden().is_settled() {
                self.marks.push(Mark { seq, before: self.sight.messages() });
            }
        }
    }

    /// Notes that entries are missing from the fold, because their bytes can't be read.
    pub fn note_damage(&mut self, place: DamagePlace) {
        self.foldings.break_at(place);
        self.note_place(place);
    }

    /// Notes where entries are missing: what was lost before the journal was made is nothing of
    /// it, and breaks no fold of it.
    fn note_place(&mut self, place: DamagePlace) {
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
}
