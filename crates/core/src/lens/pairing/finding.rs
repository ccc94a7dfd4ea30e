//! What does not fit together, and where.

use std::fmt;

use crate::position::Seq;

/// How many places of each kind are named.
pub(super) const MOST_NAMED: usize = 100;

/// How long an id is at most, in bytes, that is kept to be named.
const LONGEST_ID: usize = 128;

/// One that does not fit.
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::lens::{self, Finding, Pairing};
/// use sessile_core::{Payload, Seq};
///
/// let result = Payload::parse(r#"{"role":"tool","tool_call_id":"c7","content":"done"}"#)?;
/// let mut pairing = Pairing::default();
/// pairing.message(Seq::FIRST, &lens::read(Dialect::Openai, &result));
/// // No call has that id: it is named, with the entry that holds it.
/// let report = pairing.report();
/// let finding: &Finding = &report.orphan_results.first[0];
/// assert_eq!((finding.seq, finding.id.as_deref()), (Seq::FIRST, Some("c7")));
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
///
/// # Examples
/// ```
/// use sessile_core::entry::shape::Dialect;
/// use sessile_core::lens::{self, Findings, Pairing};
/// use sessile_core::{Payload, Seq};
///
/// let result = Payload::parse(r#"{"role":"tool","tool_call_id":"c7","content":"done"}"#)?;
/// let mut pairing = Pairing::default();
/// for number in 0..250 {
///     let seq = Seq::new(number).expect("it is small");
///     pairing.message(seq, &lens::read(Dialect::Openai, &result));
/// }
/// // All are counted, and as many named as a person may want to look at.
/// let orphans: Findings = pairing.report().orphan_results;
/// assert_eq!((orphans.count, orphans.first.len()), (250, 100));
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
