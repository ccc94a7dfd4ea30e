//! What the processes noted, and what may be there by it.

use std::collections::{BTreeMap, BTreeSet};

/// What was asked for and told of one journal or document, in an order that never contradicts time.
#[derive(Debug, Default)]
struct Of {
    /// How many had been told when each was asked for.
    asked: BTreeMap<String, usize>,
    told: Vec<String>,
}

/// All notes.
#[derive(Debug, Default)]
pub(super) struct Notes {
    of: BTreeMap<String, Of>,
    /// How far each session got that was made and removed by one process.
    sessions: BTreeMap<String, Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Makes,
    Made,
    Removes,
    Removed,
}

impl Notes {
    /// Reads them; what a killed process wrote half of is no line of these.
    pub(super) fn read(lines: &str) -> Self {
        let mut notes = Self::default();
        for line in lines.lines() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["asks", what, id] => {
                    let of = notes.of.entry(what.to_owned()).or_default();
                    of.asked.insert(id.to_owned(), of.told.len());
                }
                ["told", what, id] => {
                    notes.of.entry(what.to_owned()).or_default().told.push(id.to_owned());
                }
                [word, id] => {
                    let step = match word {
                        "makes" => Step::Makes,
                        "made" => Step::Made,
                        "removes" => Step::Removes,
                        "removed" => Step::Removed,
                        _ => continue,
                    };
                    notes.sessions.insert(id.to_owned(), step);
                }
                _ => {}
            }
        }
        notes
    }

    /// How many commits and values were told.
    pub(super) fn told(&self) -> usize {
        self.of.values().map(|of| of.told.len()).sum()
    }

    /// The sessions that somebody began to make.
    pub(super) fn made(&self) -> impl Iterator<Item = &str> {
        self.sessions.keys().map(String::as_str)
    }

    /// Whether a journal with these commits may be the one of that name.
    pub(super) fn check_journal(&self, name: &str, stands: &[String]) -> Result<(), String> {
        let Some(of) = self.of.get(name) else { return Ok(()) };
        let mut places = BTreeMap::new();
        for (at, id) in stands.iter().enumerate() {
            if places.insert(id.as_str(), at).is_some() {
                return Err(format!("{id} stands twice in {name}"));
            }
        }
        for id in &of.told {
            if !places.contains_key(id.as_str()) {
                return Err(format!("{id} was told and is not in {name}"));
            }
        }
        // No commit stands before one that had been told when it was asked for.
        let mut last = vec![None];
        for id in &of.told {
            let before = last.last().copied().flatten();
            last.push(before.max(places.get(id.as_str()).copied()));
        }
        for (id, told_by_then) in &of.asked {
            let Some(at) = places.remove(id.as_str()) else { continue };
            if last[*told_by_then].is_some_and(|last| at <= last) {
                return Err(format!("{id} stands in {name} before what was told"));
            }
        }
        // What is left is the header, and what repairs have noted.
        let unasked: BTreeSet<_> = places.keys().filter(|id| id.starts_with('w')).collect();
        if unasked.is_empty() { Ok(()) } else { Err(format!("nobody asked for {unasked:?}")) }
    }

    /// Whether a document may hold a value: the last one that was told, or one asked for since.
    pub(super) fn check_document(&self, name: &str, held: Option<&str>) -> Result<(), String> {
        let Some(of) = self.of.get(name) else { return Ok(()) };
        let last = of.told.last().map(String::as_str);
        let is_last = held == last;
        let is_later = held.and_then(|held| of.asked.get(held));
        if is_last || is_later.is_some_and(|told_by_then| *told_by_then == of.told.len()) {
            Ok(())
        } else {
            Err(format!("{name} holds {held:?}, and was told to hold {last:?}"))
        }
    }

    /// Whether a session may be there, deleted or not; none where it is missing.
    pub(super) fn check_session(&self, id: &str, is_deleted: Option<bool>) -> Result<(), String> {
        let may = match self.sessions.get(id) {
            None => false,
            Some(Step::Makes) => is_deleted != Some(true),
            Some(Step::Made) => is_deleted == Some(false),
            Some(Step::Removes) => is_deleted.is_some(),
            Some(Step::Removed) => is_deleted == Some(true),
        };
        if may { Ok(()) } else { Err(format!("{id} is deleted: {is_deleted:?}")) }
    }
}

#[test]
fn what_nobody_may_find_is_noticed() {
    let notes = Notes::read(
        "asks s w0\ntold s w0\nasks s w1\nasks s w2\ntold s w2\nasks d a\ntold d a\nasks d b\n\
         makes m\nmakes n\nmade n\nremoves n\nremoved n\nmakes o\nmade o\nask",
    );
    let journal = |ids: &[&str]| {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        notes.check_journal("s", &ids)
    };
    for may in [&["header", "w0", "w2"][..], &["header", "w0", "w1", "w2"], &["w0", "w2", "w1"]] {
        assert_eq!(journal(may), Ok(()));
    }
    for never in [&["w0"][..], &["w0", "w2", "w2"], &["w1", "w0", "w2"], &["w0", "w2", "w9"]] {
        assert!(journal(never).is_err(), "{never:?}");
    }
    for (held, may) in [(Some("a"), true), (Some("b"), true), (Some("c"), false), (None, false)] {
        assert_eq!(notes.check_document("d", held).is_ok(), may, "{held:?}");
    }
    let found = [None, Some(false), Some(true)];
    for (id, may) in [
        ("m", [true, true, false]),
        ("n", [false, false, true]),
        ("o", [false, true, false]),
        ("p", [false; 3]),
    ] {
        assert_eq!(found.map(|found| notes.check_session(id, found).is_ok()), may, "{id}");
    }
    assert_eq!(notes.told(), 3);
}
