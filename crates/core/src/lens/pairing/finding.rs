//! What does not fit together, and where.

use std::fmt;

use crate::position::Seq;

/// How many places of each kind are named.
pub(super) const MOST_NAMED: usize = 100;

/// How long an id is at most, in bytes, that is kept to be named.
const LONGEST_ID: usize = 128;

/// One that does not fit.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The entry that holds it.
    pub seq: Seq,
    /// The id of the call, or of the parent; none where it is too long to be kept, or too many
    /// others were.
    pub id: Option<String>,
}

/// How many there are, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// How many.
    pub count: u64,
    /// The first hundred of them, in the order of the transcript.
    pub first: Vec<Finding>,
}

impl Finding {
    pub(super) fn new(seq: Seq, id: &str) -> Self {
        Self { seq, id: short(id).map(str::to_owned) }
    }
}

impl fmt::Debug for Finding {
    /// Tells the place only: ids are of the payload, which never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}", self.seq)
    }
}

impl Findings {
    /// Notes the next one.
    pub(super) fn note(&mut self, finding: impl FnOnce() -> Finding) {
        self.count += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push(finding());
        }
    }

    /// Sorts what was found in no order: places, and how many stand at each.
    pub(super) fn sorted(found: impl Iterator<Item = (u64, Finding)>) -> Self {
        let mut all = Self::default();
        for (count, finding) in found {
            all.count += count;
            all.first.push(finding);
            // Sorted now and then, so that no more are held than are named.
            if all.first.len() > 2 * MOST_NAMED {
                all.cut();
            }
        }
        all.cut();
        all
    }

    /// Each that is named, the first with how many there are.
    pub(super) fn counted(&self) -> impl Iterator<Item = (u64, Finding)> {
        let counts = std::iter::once(self.count).chain(std::iter::repeat(0));
        counts.zip(self.first.iter().cloned())
    }

    fn cut(&mut self) {
        self.first.sort_by_key(|finding| finding.seq);
        self.first.truncate(MOST_NAMED);
    }
}

/// An id that is short enough to be named.
pub(super) fn short(id: &str) -> Option<&str> {
    (id.len() <= LONGEST_ID).then_some(id)
}
