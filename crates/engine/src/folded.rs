//! What a handle knows of a journal: the folded state, and how far it can be relied upon.

use sessile_core::backend::{Appended, SetAside};
use sessile_core::commit::Tip;
use sessile_core::entry::shape::{Header, Repaired};
use sessile_core::error::DamagePlace;
use sessile_core::fold::{Extensions, Hidden, Lag, PassedOver, SessionState, Unread};
use sessile_core::{
    Commit, Entry, EntryType, Error, ErrorKind, Position, Seq, SessionKey, StoredCommit,
};

use crate::findings::Findings;
use crate::ordinals::Ordinals;
use crate::recents::Recents;

/// What was folded of a journal.
#[derive(Debug)]
pub(crate) struct Folded {
    state: SessionState,
    ordinals: Ordinals,
    recents: Recents,
    /// Everything before it is known to be durable.
    proven: Position,
    /// What was set aside, by the entries that tell of it.
    repaired: Vec<(Seq, SetAside)>,
    /// A torn tail that the next append will set aside.
    tail: Option<SetAside>,
    /// Whether the last thing that was read is damage, so that the next commit continues nothing.
    gap: bool,
    /// Derived states that were not what they should be.
    passed_over: Vec<Seq>,
}

/// What became of a commit that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It was folded.
    Folded,
    /// It was folded before.
    Known,
    /// It continues another journal than the one that was folded.
    Elsewhere,
}

impl Folded {
    /// Folds the first commit of a journal.
    ///
    /// # Errors
    /// Those of [`SessionState::start`]; *corrupt* when its header names another session.
    pub(crate) fn start(
        key: &SessionKey,
        first: &StoredCommit,
        extensions: &Extensions,
    ) -> Result<Self, Error> {
        let state = SessionState::start_with(first, extensions)?;
        check_header(key, state.header())?;
        let mut ordinals = Ordinals::default();
        ordinals.take(first, true, &state);
        let mut recents = Recents::default();
        recents.take(first);
        Ok(Self {
            state,
            ordinals,
            recents,
            proven: first.synced,
            repaired: Vec::new(),
            tail: None,
            gap: false,
            passed_over: Vec::new(),
        })
    }

    /// Goes on from the state that a commit carries, and folds the commit; none if it carries
    /// none.
    ///
    /// # Errors
    /// Why its state is passed over.
    pub(crate) fn resume(
        header: Header,
        commit: &StoredCommit,
        extensions: &Extensions,
    ) -> Result<Option<Self>, PassedOver> {
        let Some(state) = SessionState::resume_with(header, commit, extensions)? else {
            return Ok(None);
        };
        let mut ordinals = Ordinals::resumed(commit, &state);
        state.uncounted().into_iter().for_each(|place| ordinals.break_at(place));
        let mut recents = Recents::default();
        recents.take(commit);
        let mut folded = Self {
            state,
            ordinals,
            recents,
            proven: commit.synced,
            repaired: Vec::new(),
            tail: None,
            gap: false,
            passed_over: Vec::new(),
        };
        folded.note_repairs(commit);
        Ok(Some(folded))
    }

    /// Folds the next commit, if it is the next.
    pub(crate) fn take(&mut self, commit: &StoredCommit) -> Taken {
        let tip = self.state.tip();
        let follows = commit.first_seq().number() >= tip.position.number();
        if !follows || !(self.gap || commit.prev == tip.token) {
            return if commit.tip().position <= tip.position {
                Taken::Known
            } else {
                Taken::Elsewhere
            };
        }
        let was_settled = self.state.sight().hidden().is_settled();
        self.state.apply(commit);
        self.ordinals.take(commit, was_settled, &self.state);
        self.recents.take(commit);
        // A commit may tell of damage that its writer met, or of what a fork could not take over.
        self.state.uncounted().into_iter().for_each(|place| self.ordinals.break_at(place));
        self.proven = self.proven.max(commit.synced);
        self.gap = false;
        self.note_repairs(commit);
        Taken::Folded
    }

    /// Folds a commit that this handle has appended at a tip, if nothing came between.
    pub(crate) fn take_own(&mut self, at: Tip, commit: &Commit, appended: &Appended) -> Taken {
        let stored = match stored(at, commit) {
            Some(stored) if stored.tip() == appended.tip => stored,
            _ => return Taken::Elsewhere,
        };
        let taken = self.take(&stored);
        if taken != Taken::Elsewhere {
            self.prove(appended.tip.position);
            self.tail = None;
        }
        taken
    }

    /// Notes that everything before a position is durable.
    pub(crate) fn prove(&mut self, position: Position) {
        self.proven = self.proven.max(position);
    }

    /// Notes where entries are missing.
    pub(crate) fn note_damage(&mut self, place: DamagePlace) {
        self.state.note_damage(place);
        self.ordinals.break_at(place);
        self.recents.clear();
        self.gap |= place.seq.number() >= self.state.position().number();
    }

    /// Notes derived states that are not what they should be; nothing is lost by that.
    pub(crate) fn note_passed_over(&mut self, states: &[Seq]) {
        self.passed_over.extend(states);
        self.passed_over.sort_unstable();
        self.passed_over.dedup();
    }

    /// Takes what was read for extensions from before what was folded, up to its end.
    pub(crate) fn make_up(&mut self, lag: Lag) {
        self.state.make_up(lag);
    }

    /// Learns what had to be read to be sure of a commit id; answers whether that was there.
    pub(crate) fn learn(&mut self, unread: Unread, commit: &StoredCommit) -> bool {
        self.state.learn(unread, commit)
    }

    /// Whether a torn tail stands at the end, as far as was looked.
    pub(crate) const fn is_torn(&self) -> bool {
        self.tail.is_some()
    }

    /// Notes what a look at the journal said of its end, if that is the end that was folded.
    pub(crate) fn note_end(&mut self, end: Tip, tail: Option<SetAside>) {
        if self.gap {
            self.state.pass_damage(end);
        }
        if self.state.tip() == end {
            self.tail = tail;
        }
    }

    fn note_repairs(&mut self, commit: &StoredCommit) {
        let repairs = commit.entries.iter().filter(|e| e.entry_type == EntryType::Repaired);
        for entry in repairs {
            let Ok(repaired) = entry.data.decode::<Repaired>() else { continue };
            let aside = SetAside {
                offset: repaired.offset,
                bytes: repaired.bytes,
                reason: repaired.reason,
                kept_at: Some(repaired.kept_at),
            };
            self.repaired.push((entry.seq, aside));
        }
    }

    /// The folded state.
    pub(crate) const fn state(&self) -> &SessionState {
        &self.state
    }

    /// Where the messages stand.
    pub(crate) const fn ordinals(&self) -> &Ordinals {
        &self.ordinals
    }

    /// The last messages in sight.
    pub(crate) const fn recents(&self) -> &Recents {
        &self.recents
    }

    /// Takes what was read of the end of a journal that ended at a tip, for the last messages in sight
    /// from a number on.
    pub(crate) fn note_recents(&mut self, tip: Tip, end: &[StoredCommit], first: Seq) {
        let hidden = self.state.sight().hidden();
        if self.state.tip() == tip {
            self.recents.fill(end, |it| it.seq >= first && shows(hidden, it));
        }
    }

    /// Takes what was read of what stands right before the state that it was taken up from.
    pub(crate) fn note_before(&mut self, commits: &[StoredCommit]) {
        let hidden = self.state.sight().hidden();
        self.recents.precede(commits, |it| shows(hidden, it));
    }

    /// Whether everything before a position is known to be durable.
    ///
    /// What was read proves nothing of it: a process may have died between its write and its
    /// sync, and a power cut may still take the write back.
    pub(crate) fn is_proven(&self, position: Position) -> bool {
        position <= self.proven
    }

    /// What there is to tell of entries that are not served; none if there is nothing.
    pub(crate) fn findings(&self) -> Option<Findings> {
        let lost = self.state.lost();
        let was_lost = |place: &DamagePlace| lost.iter().any(|lost| lost.from == place.seq);
        let damage = self.state.damage().iter().filter(|place| !was_lost(place));
        let findings = Findings {
            entries: self.state.entries(),
            position: self.state.position(),
            repaired: self.repaired.clone(),
            tail: self.tail.clone(),
            damage: damage.copied().collect(),
            lost: lost.to_vec(),
            passed_over: self.passed_over.clone(),
        };
        (!findings.is_empty()).then_some(findings)
    }

    /// Remembers what an earlier fold of the journal has found to be set aside: this one may begin
    /// behind it.
    pub(crate) fn remember(&mut self, repaired: &[(Seq, SetAside)]) {
        let end = self.state.position().number();
        let is_new = |(seq, _): &&(Seq, SetAside)| {
            seq.number() < end && !self.repaired.iter().any(|(known, _)| known == seq)
        };
        let more: Vec<_> = repaired.iter().filter(is_new).cloned().collect();
        self.repaired.extend(more);
        self.repaired.sort_by_key(|(seq, _)| *seq);
    }

    /// What was set aside, by the entries that tell of it.
    pub(crate) fn repaired(&self) -> &[(Seq, SetAside)] {
        &self.repaired
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn weight(&self) -> usize {
        let parts = self.state.weight() + self.ordinals.weight() + self.recents.weight();
        parts + size_of::<Self>()
    }
}

/// Whether an entry is a message in sight.
fn shows(hidden: &Hidden, entry: &Entry) -> bool {
    entry.entry_type == EntryType::Message && !hidden.hides(entry.seq)
}

/// Refuses a header of another session.
///
/// # Errors
/// *corrupt*, naming what it is of.
pub(crate) fn check_header(key: &SessionKey, header: &Header) -> Result<(), Error> {
    if header.id == key.id && header.space == key.space {
        return Ok(());
    }
    let clause = format!("its header names session {} in space {}", header.id, header.space);
    Err(Error::new(ErrorKind::Corrupt, clause)
        .with_hint("a journal was copied or moved by hand; put it back under its own name"))
}

/// A commit as it stands in a journal that ended at a tip; none where it can't stand there.
pub(crate) fn stored(at: Tip, commit: &Commit) -> Option<StoredCommit> {
    commit.stored_at(at, Position::START).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sessile_core::digest::{Digest, Token};
    use sessile_core::{NewEntry, Payload, Space, UnixMillis};

    fn key(id: &str) -> SessionKey {
        SessionKey { space: Space::default(), id: id.parse().unwrap() }
    }

    /// A commit of one entry with a number, after the one with another.
    fn commit(seq: u64, prev: Option<u8>, name: &str, data: &str) -> StoredCommit {
        let token = |number: u8| Token::from_random([number; 16]);
        let data = Payload::parse(data.to_owned()).unwrap();
        let entry = NewEntry::new(UnixMillis(1), EntryType::from_name(name), data);
        StoredCommit {
            id: format!("c{seq}").parse().unwrap(),
            token: token(u8::try_from(seq).unwrap()),
            prev: prev.map(token),
            synced: Position::START,
            digest: Digest::of(b""),
            state: None,
            vacuumed: 0,
            entries: vec![entry.numbered(Seq::new(seq).unwrap())],
        }
    }

    fn header() -> StoredCommit {
        let data = r#"{"format":1,"id":"a","space":"default","created_at":1,"crc":"crc32c",
            "salt":"00000000","file":"00000000000000000000000000000000"}"#;
        commit(0, None, "session", data)
    }

    #[test]
    fn a_journal_under_another_name_is_corrupt() {
        assert!(Folded::start(&key("a"), &header(), &Extensions::default()).is_ok());
        let error = Folded::start(&key("b"), &header(), &Extensions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let elsewhere = SessionKey { space: "other".parse().unwrap(), ..key("a") };
        assert_eq!(
            Folded::start(&elsewhere, &header(), &Extensions::default()).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }

    #[test]
    fn only_the_next_commit_is_folded() {
        let mut folded = Folded::start(&key("a"), &header(), &Extensions::default()).unwrap();
        let (one, two) = (commit(1, Some(0), "event", "1"), commit(2, Some(1), "event", "2"));
        assert_eq!(folded.take(&two), Taken::Elsewhere);
        assert_eq!(folded.take(&one), Taken::Folded);
        assert_eq!(folded.take(&one), Taken::Known);
        assert_eq!(folded.take(&two), Taken::Folded);
        assert_eq!(folded.state().events(), 2);
    }

    #[test]
    fn behind_damage_another_commit_may_follow() {
        let mut folded = Folded::start(&key("a"), &header(), &Extensions::default()).unwrap();
        let place = DamagePlace { seq: Seq::new(1).unwrap(), offset: 9 };
        folded.note_damage(place);
        folded.note_damage(place);
        assert_eq!(folded.take(&commit(3, Some(2), "event", "1")), Taken::Folded);
        assert_eq!(folded.take(&commit(9, Some(8), "event", "1")), Taken::Elsewhere);
        assert_eq!(folded.findings().unwrap().damage, [place]);
    }

    #[test]
    fn repairs_are_news_from_where_the_journal_was_opened() {
        let repaired = r#"{"bytes":7,"offset":9,"reason":"torn","kept_at":"x"}"#;
        let mut folded = Folded::start(&key("a"), &header(), &Extensions::default()).unwrap();
        folded.take(&commit(1, Some(0), "repaired", repaired));
        let (id, opened_at) = (key("a").id, folded.state().position());
        assert_eq!(folded.findings().unwrap().receipt(&id, opened_at), None);
        folded.take(&commit(4, Some(1), "repaired", repaired));
        let receipt = folded.findings().unwrap().receipt(&id, opened_at).unwrap();
        assert_eq!(receipt.set_aside.len(), 1);
        // One that begins behind both remembers what was found before.
        let mut anew = Folded::start(&key("a"), &header(), &Extensions::default()).unwrap();
        anew.take(&commit(1, Some(0), "event", "1"));
        anew.take(&commit(4, Some(1), "event", "1"));
        anew.remember(folded.repaired());
        assert_eq!(anew.findings().unwrap().receipt(&id, opened_at), Some(receipt));
    }
}
