//! Which message stands where: places from which messages can be counted without reading all.

use sessile_core::error::DamagePlace;
use sessile_core::fold::{Mark, SessionState};
use sessile_core::{EntryType, Position, Seq, StoredCommit};

/// A mark is set after at least this many messages, so that finding one reads little.
const SPACING: u64 = 128;

/// Counts the messages of a journal up to its first damage: what stands behind it has no ordinal
/// that can be known, and so everybody who knows an ordinal knows the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordinals {
    marks: Vec<Mark>,
    counted: u64,
    /// The number after the last entry that was looked at.
    reached: u64,
    broken: Option<Break>,
}

/// Damage that ended a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Break {
    /// Where it lies.
    pub(crate) place: DamagePlace,
    /// How many messages stand before it; none where only reading can tell.
    pub(crate) before: Option<u64>,
}

impl Ordinals {
    /// About how many bytes of memory it takes outside itself.
    pub(crate) const fn weight(&self) -> usize {
        self.marks.capacity() * size_of::<Mark>()
    }

    /// Goes on counting from the state of a journal that was taken up within it, at a commit.
    pub(crate) fn resumed(commit: &StoredCommit, state: &SessionState) -> Self {
        // The commit itself may lead back to before it.
        let stands =
            |seq: Seq| Some(seq) == commit.state && !state.sight().hidden().is_rewound(seq);
        let at = state.marks().iter().next().filter(|mark| stands(mark.seq));
        let (counted, reached) = (state.messages(), commit.tip().position.number());
        Self { marks: at.into_iter().collect(), counted, reached, broken: None }
    }

    /// Counts the next commit, which has changed the state before it to the one after it.
    ///
    /// A mark is set only where no message pends: one that is adopted later stands before what
    /// was counted by then.
    pub(crate) fn take(&mut self, commit: &StoredCommit, was_settled: bool, state: &SessionState) {
        let last = self.marks.last().copied().unwrap_or(Mark::START);
        let is_far = self.counted.saturating_sub(last.before) >= SPACING;
        if self.broken.is_none() && was_settled && is_far {
            self.marks.push(Mark { seq: commit.first_seq(), before: self.counted });
        }
        if commit.has(&EntryType::Rewind) {
            let hidden = state.sight().hidden();
            self.marks.retain(|mark| !hidden.is_rewound(mark.seq));
            // One that leads to before the damage goes on counting from there.
            self.broken = self.broken.filter(|_| state.uncounted().is_some());
        }
        if self.broken.is_none() {
            self.counted = state.messages();
        }
        self.reached = commit.tip().position.number();
    }

    /// Ends the count at damage, also at one that was passed before it was known.
    pub(crate) fn break_at(&mut self, place: DamagePlace) {
        if self.broken.is_some_and(|broken| broken.place.seq <= place.seq) {
            return;
        }
        let is_passed = self.broken.is_some() || place.seq.number() < self.reached;
        self.broken = Some(Break { place, before: (!is_passed).then_some(self.counted) });
        self.marks.retain(|mark| mark.seq <= place.seq);
    }

    /// Where the count ended, if it did.
    pub(crate) const fn broken(&self) -> Option<Break> {
        self.broken
    }

    /// How many messages were counted.
    pub(crate) const fn counted(&self) -> u64 {
        self.counted
    }

    /// The last mark at or before a seq, or the beginning where it stands before all that was
    /// counted; none where the count ended before it.
    pub(crate) fn before_seq(&self, seq: Seq) -> Option<Mark> {
        if self.broken.is_some_and(|broken| broken.place.seq <= seq) {
            return None;
        }
        let marks = self.marks.partition_point(|mark| mark.seq <= seq);
        Some(self.mark(marks))
    }

    /// The last mark before the message of an ordinal, or the beginning where that stands before
    /// all that was counted, of a journal that ended at a position.
    pub(crate) fn before_ordinal(&self, ordinal: u64, end: Position) -> Mark {
        let is_before = |mark: &Mark| mark.before < ordinal && mark.seq.number() < end.number();
        let marks = self.marks.partition_point(is_before);
        self.mark(marks)
    }

    /// The last of so many marks.
    fn mark(&self, marks: usize) -> Mark {
        let last = marks.checked_sub(1).and_then(|last| self.marks.get(last));
        last.copied().unwrap_or(Mark::START)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sessile_core::digest::{Digest, Token};
    use sessile_core::{NewEntry, Payload, UnixMillis};

    const HEADER: &str = r#"{"format":1,"id":"a","space":"default","created_at":1,"crc":"crc32c",
        "salt":"00000000","file":"00000000000000000000000000000000"}"#;

    /// A commit of an event, or of the header where it is the first, and three messages.
    fn commit(first: u64) -> StoredCommit {
        let names = [if first == 0 { "session" } else { "event" }, "message", "message", "message"];
        let entry = |(number, name): (u64, &str)| {
            let payload = Payload::parse(if name == "session" { HEADER } else { "1" }).unwrap();
            NewEntry::new(UnixMillis(1), EntryType::from_name(name), payload)
                .numbered(Seq::new(number).unwrap())
        };
        StoredCommit {
            id: "c".parse().unwrap(),
            token: Token::from_random([0; 16]),
            prev: None,
            synced: Position::START,
            digest: Digest::of(b""),
            state: None,
            vacuumed: 0,
            entries: (first..).zip(names).map(entry).collect(),
        }
    }

    fn take(ordinals: &mut Ordinals, state: &mut SessionState, commit: &StoredCommit) {
        let was_settled = state.sight().hidden().is_settled();
        state.apply(commit);
        ordinals.take(commit, was_settled, state);
    }

    fn folded(commits: u64) -> (Ordinals, SessionState) {
        let mut ordinals = Ordinals::default();
        let mut state = SessionState::start(&commit(0)).unwrap();
        ordinals.take(&commit(0), true, &state);
        (1..commits).for_each(|number| take(&mut ordinals, &mut state, &commit(number * 4)));
        (ordinals, state)
    }

    fn counted(commits: u64) -> Ordinals {
        folded(commits).0
    }

    #[test]
    fn marks_lead_close_before_what_is_looked_for() {
        let ordinals = counted(1_000);
        assert_eq!(ordinals.counted(), 3_000);
        for ordinal in [1, 2, 128, 129, 130, 1_500, 3_000] {
            let mark = ordinals.before_ordinal(ordinal, Position::new(4_000).unwrap());
            assert!(mark.before < ordinal && ordinal - mark.before <= SPACING + 3);
            assert_eq!(mark.before, mark.seq.number() / 4 * 3);
        }
        for seq in [0, 3, 4, 171, 172, 2_000, 3_999] {
            let mark = ordinals.before_seq(Seq::new(seq).unwrap()).unwrap();
            assert!(mark.seq.number() <= seq && seq - mark.seq.number() <= 176);
        }
    }

    fn place(seq: u64) -> DamagePlace {
        DamagePlace { seq: Seq::new(seq).unwrap(), offset: 9 }
    }

    #[test]
    fn nothing_is_counted_behind_damage_that_was_passed() {
        let mut ordinals = counted(100);
        ordinals.break_at(place(200));
        assert_eq!(ordinals.broken(), Some(Break { place: place(200), before: None }));
        assert_eq!(ordinals.before_seq(Seq::new(200).unwrap()), None);
        let mark = ordinals.before_ordinal(300, Position::new(400).unwrap());
        assert!(mark.seq.number() <= 200 && mark.before == mark.seq.number() / 4 * 3);
        // Damage behind it changes nothing, and before it all the more.
        ordinals.break_at(place(300));
        assert_eq!(ordinals.broken().map(|broken| broken.place), Some(place(200)));
        ordinals.break_at(place(100));
        assert_eq!(ordinals.before_seq(Seq::new(150).unwrap()), None);
    }

    #[test]
    fn nothing_is_counted_behind_damage() {
        let (mut ordinals, mut state) = folded(100);
        state.note_damage(place(400));
        ordinals.break_at(place(400));
        take(&mut ordinals, &mut state, &commit(420));
        assert_eq!(ordinals.broken().and_then(|broken| broken.before), Some(300));
        assert_eq!(ordinals.counted(), 300);
        assert_eq!(ordinals.before_seq(Seq::new(420).unwrap()), None);
        assert!(ordinals.before_seq(Seq::new(399).unwrap()).is_some());
    }
}
