//! Tests of folds beside the session's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::commit::StoredCommit;
use crate::digest::{Digest, Token};
use crate::entry::shape::Header;
use crate::entry::{Entry, EntryType, NewEntry};
use crate::error::{DamagePlace, ErrorKind};
use crate::payload::Payload;
use crate::position::{Position, Seq};
use crate::time::UnixMillis;

/// Counts events and posts by what they hold, and remembers the last number.
#[derive(Debug)]
struct Tallying {
    name: &'static str,
    version: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    counts: BTreeMap<String, u64>,
    last: u64,
}

impl Extension for Tallying {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn types(&self) -> &'static [&'static str] {
        &["post", "event"]
    }

    fn start(&self) -> Box<dyn Extended> {
        Box::<Tally>::default()
    }

    fn restore(&self, member: &str) -> Option<Box<dyn Extended>> {
        let (counts, last) = serde_json::from_str(member).ok()?;
        Some(Box::new(Tally { counts, last }))
    }
}

impl Extended for Tally {
    fn apply(&mut self, entry: &Entry) {
        *self.counts.entry(entry.data.as_str().to_owned()).or_default() += 1;
        self.last = entry.seq.number();
    }

    fn save(&self) -> String {
        serde_json::to_string(&(&self.counts, self.last)).unwrap()
    }

    fn copy(&self) -> Box<dyn Extended> {
        Box::new(self.clone())
    }
}

fn tallying(version: u32) -> Extensions {
    Extensions::default().with(Arc::new(Tallying { name: "tally", version }))
}

const HEADER: &str = r#"{"format":1,"id":"s","space":"default","created_at":1,"crc":"crc32c",
    "salt":"00000000","file":"00000000000000000000000000000000"}"#;

fn token(number: u64) -> Token {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Token::from_random(bytes)
}

/// A journal that is folded while it is written.
struct Journal {
    state: SessionState,
    commits: Vec<StoredCommit>,
}

impl Journal {
    fn new(extensions: &Extensions) -> Self {
        let first = commit(0, None, &[("session".to_owned(), HEADER.to_owned())]);
        let state = SessionState::start_with(&first, extensions).unwrap();
        Self { state, commits: vec![first] }
    }

    fn add(&mut self, entries: &[(String, String)]) {
        let next = commit(self.state.position().number(), self.state.tip().token, entries);
        self.state.apply(&next);
        self.commits.push(next);
    }

    /// Adds entries on which the state rides that somebody has who has folded this much.
    fn add_with_state(&mut self, of: &SessionState, entries: &[(String, String)]) {
        let data = of.to_snapshot().unwrap().unwrap().as_str().to_owned();
        let mut all = vec![("state".to_owned(), data)];
        all.extend(entries.iter().cloned());
        let first = self.state.position().number();
        let next = commit(first, self.state.tip().token, &all);
        let next = StoredCommit { state: Seq::new(first), ..next };
        self.state.apply(&next);
        self.commits.push(next);
    }
}

fn commit(first: u64, prev: Option<Token>, entries: &[(String, String)]) -> StoredCommit {
    let entry = |(number, (name, data)): (u64, &(String, String))| {
        let data = Payload::parse(data.clone()).unwrap();
        NewEntry::new(UnixMillis(1), EntryType::from_name(name), data)
            .numbered(Seq::new(number).unwrap())
    };
    StoredCommit {
        id: format!("c{first}").parse().unwrap(),
        token: token(first),
        prev,
        synced: Position::START,
        digest: Digest::of(b""),
        state: None,
        vacuumed: 0,
        entries: (first..).zip(entries).map(entry).collect(),
    }
}

/// Goes on from the state of a commit as a reader does, reading back for what it lacks.
fn resumed(journal: &Journal, at: usize, extensions: &Extensions) -> Option<SessionState> {
    let (before, from) = journal.commits.split_at(at);
    let header: Header = journal.state.header().clone();
    let mut state = SessionState::resume_with(header, &from[0], extensions).unwrap()?;
    from[1..].iter().for_each(|commit| state.apply(commit));
    if let Some(mut lag) = state.lag() {
        let _ = from.iter().rev().chain(before.iter().rev()).any(|commit| lag.look(commit));
        let begin = lag.begin();
        let rest = journal.commits.iter().filter(|commit| commit.first_seq() >= begin);
        rest.for_each(|commit| lag.take(commit));
        state.make_up(lag);
    }
    Some(state)
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn entries(&mut self) -> Vec<(String, String)> {
        let entry = |dice: &mut Self| {
            let names = ["event", "post", "message", "instruct"];
            let name = names[usize::try_from(dice.roll(4)).unwrap()];
            (name.to_owned(), format!("{}", dice.roll(3)))
        };
        (0..=self.roll(3)).map(|_| entry(self)).collect()
    }
}

#[test]
fn folding_from_any_state_is_folding_from_the_start_whoever_wrote_the_states() {
    for seed in 1..200_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let with = tallying(1);
        let mut journal = Journal::new(&with);
        // Without the fold, and with an older one of it.
        let mut others =
            [Journal::new(&Extensions::default()).state, Journal::new(&tallying(0)).state];
        for _ in 0..30 {
            let entries = dice.entries();
            match dice.roll(6) {
                0 => {
                    let own = journal.state.clone();
                    journal.add_with_state(&own, &entries);
                }
                1 => journal.add_with_state(&others[0], &entries),
                2 => journal.add_with_state(&others[1], &entries),
                _ => journal.add(&entries),
            }
            let last = journal.commits.last().unwrap().clone();
            for other in &mut others {
                other.apply(&last);
            }
            assert!(
                others.iter().all(|other| other.lag().is_none()),
                "they have folded everything"
            );
        }
        let whole = journal.state.extended::<Tally>().unwrap().clone();
        let mut taken_up = 0;
        for at in 0..journal.commits.len() {
            let Some(state) = resumed(&journal, at, &with) else { continue };
            taken_up += 1;
            assert_eq!(*state.extended::<Tally>().unwrap(), whole, "seed {seed} at {at}");
            let snapshots = [&state, &journal.state].map(|it| it.foldings.to_members());
            assert_eq!(snapshots[0], snapshots[1], "seed {seed} at {at}");
        }
        assert!(taken_up > 3, "seed {seed}: {taken_up}");
    }
}

#[test]
fn a_state_that_tells_another_story_of_an_extension_does_not_agree() {
    let (with, entries) = (tallying(1), [("post".to_owned(), "1".to_owned())]);
    let mut journal = Journal::new(&with);
    journal.add(&entries);
    let own = journal.state.clone();
    let mut lies = own.clone();
    lies.foldings.take(&journal.commits[1].entries[0]);
    for (state, agrees) in [(&own, Some(true)), (&lies, Some(false))] {
        let mut next = Journal { state: own.clone(), commits: Vec::new() };
        next.add_with_state(state, &entries);
        assert_eq!(own.agrees_with(&next.commits[0]), Ok(agrees));
        // Who does not have the fold can't tell.
        let mut without = Journal::new(&Extensions::default()).state;
        without.apply(&journal.commits[1]);
        assert_eq!(without.agrees_with(&next.commits[0]), Ok(Some(true)));
    }
}

#[test]
fn behind_damage_an_extension_is_answered_with_it_until_a_state_has_it() {
    let with = tallying(1);
    let mut journal = Journal::new(&with);
    let whole = journal.state.clone();
    let place = DamagePlace { seq: Seq::new(1).unwrap(), offset: 9 };
    journal.state.note_damage(place);
    journal.add(&[("post".to_owned(), "1".to_owned())]);
    let error = journal.state.extended::<Tally>().unwrap_err();
    assert_eq!((error.kind(), error.damage()), (ErrorKind::Corrupt, Some(place)));
    assert!(journal.state.foldings.to_members().is_empty(), "what is not whole is not kept");
    // Somebody who has read what is damaged here has kept it.
    let mut theirs = Journal { state: whole, commits: Vec::new() };
    theirs.add(&[("post".to_owned(), "1".to_owned())]);
    let kept = theirs.state.clone();
    journal.add_with_state(&kept, &[]);
    assert_eq!(journal.state.extended::<Tally>().unwrap(), kept.extended::<Tally>().unwrap());
}

#[test]
fn what_is_not_registered_is_unsupported_and_stands_in_nobodys_way() {
    let mut journal = Journal::new(&Extensions::default());
    journal.add(&[("post".to_owned(), "{}".to_owned()), ("context".to_owned(), "{}".to_owned())]);
    let error = journal.state.extended::<Tally>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(journal.state.accepts(&EntryType::Message).is_ok());
    assert!(journal.state.to_snapshot().unwrap().is_some());
}

#[test]
fn copies_of_a_state_do_not_share_what_they_take_later() {
    let mut journal = Journal::new(&tallying(1));
    let copy = journal.state.clone();
    journal.add(&[("post".to_owned(), "1".to_owned())]);
    assert_eq!(copy.extended::<Tally>().unwrap().last, 0);
    assert_eq!(journal.state.extended::<Tally>().unwrap().last, 1);
}

#[test]
fn a_fold_named_like_one_of_the_sessions_own_is_never_kept() {
    let with = Extensions::default().with(Arc::new(Tallying { name: "session", version: 1 }));
    let mut journal = Journal::new(&with);
    let own = journal.state.clone();
    journal.add_with_state(&own, &[("post".to_owned(), "1".to_owned())]);
    let state = resumed(&journal, 1, &with).unwrap();
    assert_eq!(state.extended::<Tally>().unwrap().last, 2);
}
