//! How it is told what does not fit together in a transcript.

use serde::Serialize;
use sessile::lens::{Finding, Findings};
use sessile::{Misfits, Reach, Seq};

use crate::reading;

/// How many of a kind are named to people.
const NAMED: usize = 5;

/// What does not fit together, in `--json` output.
#[derive(Debug, Serialize)]
pub(crate) struct Told<'a> {
    calls: Counts,
    open_calls: Listed<'a>,
    orphan_results: Listed<'a>,
    second_results: Listed<'a>,
    unknown_parents: Listed<'a>,
    examined: Examined,
    #[serde(skip)]
    reach: Reach,
}

/// How many calls and results do not fit together.
#[derive(Clone, Copy, Debug, Serialize)]
struct Counts {
    /// Calls without a result.
    open: u64,
    /// Results without a call.
    orphan_results: u64,
    /// Further results of a call that has one.
    second_results: u64,
}

/// Those of one kind.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    /// How many there are; no more than a hundred are listed.
    count: u64,
    list: Vec<Listing<'a>>,
}

/// One that does not fit.
#[derive(Debug, Serialize)]
struct Listing<'a> {
    seq: Seq,
    /// The id of the call or of the parent; none where it is too long to be told.
    id: Option<&'a str>,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Serialize)]
struct Examined {
    /// The first entry.
    from: Seq,
    /// Whether that is all there is.
    whole: bool,
}

impl<'a> Told<'a> {
    /// What was found.
    pub(crate) fn of(misfits: &'a Misfits, reach: Reach) -> Self {
        Self {
            calls: Counts {
                open: misfits.open_calls.count,
                orphan_results: misfits.orphan_results.count,
                second_results: misfits.second_results.count,
            },
            open_calls: Listed::of(&misfits.open_calls),
            orphan_results: Listed::of(&misfits.orphan_results),
            second_results: Listed::of(&misfits.second_results),
            unknown_parents: Listed::of(&misfits.unknown_parents),
            examined: Examined { from: misfits.from, whole: misfits.whole },
            reach,
        }
    }

    /// The same for people: nothing where all is well and all was looked at.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String)> {
        let kinds = [
            ("open calls", &self.open_calls),
            ("orphan results", &self.orphan_results),
            ("second results", &self.second_results),
            ("unknown parents", &self.unknown_parents),
        ];
        let found = kinds.into_iter().filter(|(_, listed)| listed.count > 0);
        let mut rows: Vec<_> = found.map(|(name, listed)| (name, listed.text())).collect();
        let Examined { from, whole } = self.examined;
        if !whole {
            let why = match self.reach {
                Reach::Whole => "what stands before can't be examined",
                _ => "--whole examines all of it",
            };
            rows.push(("examined", format!("from entry {from} on for calls and parents; {why}")));
        }
        rows
    }
}

impl<'a> Listed<'a> {
    fn of(findings: &'a Findings) -> Self {
        let list = findings.first.iter();
        let list = list.map(|Finding { seq, id, .. }| Listing { seq: *seq, id: id.as_deref() });
        Self { count: findings.count, list: list.collect() }
    }

    fn text(&self) -> String {
        let named = self.list.iter().take(NAMED).map(|Listing { seq, id }| match id {
            Some(id) => format!("{} at {seq}", reading::visible(id)),
            None => format!("at {seq}"),
        });
        let named: Vec<String> = named.collect();
        let more = self.count > u64::try_from(named.len()).unwrap_or(u64::MAX);
        let more = if more { ", ..." } else { "" };
        format!("{}: {}{more}", self.count, named.join(", "))
    }
}
