//! What writers asked for and were told, held against what stands in the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::StreamExt as _;
use sessile_core::backend::Commits;
use sessile_core::entry::{Entry, EntryType};
use sessile_core::position::Seq;

/// What a commit is called, and where its caller's first entry stands.
pub(super) type Standing = Vec<(String, Seq)>;

/// What happened, in one order that never contradicts time.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    has_ended: bool,
    unknown: u64,
    /// The last entry that anybody had been told of when a commit was asked for first.
    asked: BTreeMap<String, Option<Seq>>,
    stands: BTreeMap<String, Seq>,
    never: BTreeSet<String>,
}

impl History {
    fn told_so_far(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap()
    }

    pub(super) fn ends(&self) {
        self.told_so_far().has_ended = true;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.told_so_far().has_ended
    }

    /// A commit is asked for, for the first time or again.
    pub(super) fn asks(&self, id: &str) {
        let mut told = self.told_so_far();
        let last = told.stands.values().max().copied();
        told.asked.entry(id.to_owned()).or_insert(last);
    }

    /// It was told that a commit stands, and where.
    pub(super) fn told(&self, id: &str, first: Seq) {
        let before = self.told_so_far().stands.insert(id.to_owned(), first);
        assert_eq!(before, None, "{id} was told twice");
    }

    /// It was told that a commit stands nowhere, and never will.
    pub(super) fn never(&self, id: &str) {
        self.told_so_far().never.insert(id.to_owned());
    }

    pub(super) fn unknown(&self) {
        self.told_so_far().unknown += 1;
    }

    /// How many commits were told, and how often an outcome was unknown.
    pub(super) fn counts(&self) -> (u64, u64) {
        let told = self.told_so_far();
        (told.stands.len().try_into().unwrap(), told.unknown)
    }

    /// Whether what stands can be what was told.
    pub(super) fn check(&self, stands: &Standing) -> Result<(), String> {
        let told = self.told_so_far();
        let mut places = BTreeMap::new();
        for (id, first) in stands {
            if places.insert(id, *first).is_some() {
                return Err(format!("{id} stands twice"));
            }
            if told.never.contains(id) {
                return Err(format!("{id} was told to stand nowhere and stands at {first}"));
            }
            if let Some(Some(last)) = told.asked.get(id)
                && first <= last
            {
                return Err(format!("{id} stands at {first}, before what was told: {last}"));
            }
        }
        for (id, first) in &told.stands {
            match places.get(id) {
                Some(stands) if stands == first => {}
                Some(stands) => return Err(format!("{id} was told at {first}, is at {stands}")),
                None => return Err(format!("{id} was told and stands nowhere")),
            }
        }
        Ok(())
    }
}

/// What stands, if each commit follows the one before it.
pub(super) async fn standing(mut commits: Commits) -> Result<Standing, String> {
    let (mut stands, mut prev) = (Standing::new(), None);
    while let Some(commit) = commits.next().await {
        let commit = commit.map_err(|error| error.to_string())?;
        if commit.prev != prev {
            return Err(format!("{} does not follow the one before it", commit.id));
        }
        prev = Some(commit.token);
        // A state may ride in front of what a caller appended.
        let of_caller = |entry: &&Entry| entry.entry_type != EntryType::State;
        let first = commit.entries.iter().find(of_caller).map(|entry| entry.seq);
        stands.push((commit.id.to_string(), first.unwrap_or_else(|| commit.first_seq())));
    }
    Ok(stands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seq(number: u64) -> Seq {
        Seq::new(number).unwrap()
    }

    fn history() -> History {
        let history = History::default();
        history.asks("a");
        history.told("a", seq(1));
        history.asks("b");
        history.asks("c");
        history.never("c");
        history
    }

    #[test]
    fn what_stands_is_checked_against_all_that_was_told() {
        let check = |stands: &[(&str, u64)]| {
            let stands = stands.iter().map(|(id, at)| ((*id).to_owned(), seq(*at)));
            history().check(&stands.collect())
        };
        assert_eq!(check(&[("a", 1)]), Ok(()));
        assert_eq!(check(&[("a", 1), ("b", 2)]), Ok(()));
        for (stands, wrong) in [
            (&[("b", 2)][..], "a was told and stands nowhere"),
            (&[("a", 2)], "a was told at 1, is at 2"),
            (&[("b", 1), ("a", 2)], "b stands at 1, before what was told: 1"),
            (&[("a", 1), ("b", 2), ("b", 3)], "b stands twice"),
            (&[("a", 1), ("c", 2)], "c was told to stand nowhere and stands at 2"),
        ] {
            assert_eq!(check(stands), Err(wrong.to_owned()));
        }
    }
}
