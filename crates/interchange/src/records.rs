//! Records, and the sessions' shares in them.

use std::iter::Flatten;
use std::sync::Arc;
use std::vec;

use sessile_core::{EntryType, Payload, UnixMillis};

/// One line of the source.
///
/// # Examples
/// ```
/// use sessile_core::EntryType;
/// use sessile_interchange::{Format, Record, parse};
///
/// let file = "{\"role\":\"user\",\"content\":\"hi\"}\n\n{\"note\": 1.0}\n";
/// let source = parse(Format::Jsonl, file.into())?;
/// let last: &Record = source.sessions[0].records.iter().last().expect("it has two");
/// // Its line is counted as people count, and it is kept whole, whatever it is.
/// assert_eq!((last.line, &last.entry_type), (3, &EntryType::Event));
/// assert_eq!(last.data.as_str(), r#"{"note": 1.0}"#);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number in the file, from 1.
    pub line: u64,
    /// [`EntryType::Message`] or [`EntryType::Event`].
    pub entry_type: EntryType,
    /// The whole line, verbatim; it shares the file's buffer.
    pub data: Payload,
    /// When the source says that it was made.
    pub at: Option<UnixMillis>,
}

/// The records of one session, in the order of the file: first what it shares with the session
/// that it was cut from, then its own.
///
/// What is shared is held once, however many forks there are, so that a file with many branches
/// does not take memory for each of their histories.
///
/// # Examples
/// ```
/// use sessile_interchange::{Format, Records, parse};
///
/// // An answer that was asked for twice: two branches of one conversation.
/// let file = r#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"Hello?"}}
/// {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"content":"Hi."}}
/// {"type":"assistant","uuid":"a2","parentUuid":"u1","message":{"content":"Good day."}}"#;
/// let source = parse(Format::ClaudeCode, file.into())?;
/// let counts = |it: &Records| (it.len(), it.shared_count(), it.own().len());
/// // The question is in both, and held once.
/// let of = |at: usize| counts(&source.sessions[at].records);
/// assert_eq!((of(0), of(1)), ((2, 0, 2), (2, 1, 1)));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Records {
    strands: Arc<[Strand]>,
    index: usize,
}

/// A session's own records, and where what comes before them is found.
#[derive(Debug)]
pub(crate) struct Strand {
    pub(crate) shared: Option<Shared>,
    pub(crate) own: Vec<Record>,
}

/// The first records of another strand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    /// The other strand.
    pub(crate) with: usize,
    /// How many.
    pub(crate) count: usize,
}

impl Strand {
    pub(crate) fn shared_count(&self) -> usize {
        self.shared.map_or(0, |shared| shared.count)
    }
}

impl Records {
    /// The records of each strand; a strand shares only with one that stands before it.
    pub(crate) fn of_strands(strands: Vec<Strand>) -> Vec<Self> {
        let strands: Arc<[Strand]> = strands.into();
        (0..strands.len()).map(|index| Self { strands: Arc::clone(&strands), index }).collect()
    }

    /// How many there are, shared ones included.
    pub fn len(&self) -> usize {
        self.shared_count() + self.own().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of them, from the first on, belong to the session that this one was cut from.
    pub fn shared_count(&self) -> usize {
        self.strands.get(self.index).map_or(0, Strand::shared_count)
    }

    /// The records that are in no session before this one.
    pub fn own(&self) -> &[Record] {
        self.strands.get(self.index).map_or(&[], |strand| strand.own.as_slice())
    }

    /// All of them, in order.
    pub fn iter(&self) -> Iter<'_> {
        let mut pieces = Vec::new();
        let (mut next, mut wanted) = (Some(self.index), usize::MAX);
        while let Some(strand) = next.and_then(|index| self.strands.get(index)) {
            let own = wanted.saturating_sub(strand.shared_count());
            pieces.push(strand.own.get(..own).unwrap_or(&strand.own));
            wanted = wanted.min(strand.shared_count());
            next = strand.shared.map(|shared| shared.with);
        }
        pieces.reverse();
        Iter(pieces.into_iter().flatten())
    }
}

impl<'a> IntoIterator for &'a Records {
    type Item = &'a Record;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The records of one session, in order.
///
/// # Examples
/// ```
/// use sessile_interchange::{Format, Iter, parse};
///
/// let file = r#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"content":"Hello?"}}
/// {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"content":"Hi."}}
/// {"type":"assistant","uuid":"a2","parentUuid":"u1","message":{"content":"Good day."}}"#;
/// let source = parse(Format::ClaudeCode, file.into())?;
/// // Those of a branch begin with what it shares with another one.
/// let lines = |records: Iter<'_>| records.map(|record| record.line).collect::<Vec<_>>();
/// let mut branches: Vec<_> = source.sessions.iter().map(|it| lines(it.records.iter())).collect();
/// branches.sort();
/// assert_eq!(branches, [[1, 2], [1, 3]]);
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Iter<'a>(Flatten<vec::IntoIter<&'a [Record]>>);

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Record;

    fn next(&mut self) -> Option<&'a Record> {
        self.0.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strand(shared: Option<(usize, usize)>, lines: &[u64]) -> Strand {
        let record = |line: &u64| Record {
            line: *line,
            entry_type: EntryType::Event,
            data: Payload::parse("1").unwrap(),
            at: None,
        };
        Strand {
            shared: shared.map(|(with, count)| Shared { with, count }),
            own: lines.iter().map(record).collect(),
        }
    }

    #[test]
    fn a_fork_begins_with_what_it_shares() {
        let records = Records::of_strands(vec![
            strand(None, &[1, 2, 5, 9]),
            strand(Some((0, 2)), &[3, 4]),
            strand(Some((1, 3)), &[6]),
            strand(Some((1, 1)), &[7]),
            strand(Some((0, 0)), &[]),
        ]);
        let lines =
            |index: usize| -> Vec<u64> { records[index].iter().map(|it| it.line).collect() };
        assert_eq!(lines(0), [1, 2, 5, 9]);
        assert_eq!(lines(1), [1, 2, 3, 4]);
        assert_eq!(lines(2), [1, 2, 3, 6]);
        assert_eq!(lines(3), [1, 7]);
        assert!(records[4].is_empty());
        for session in &records {
            assert_eq!(session.len(), session.into_iter().count());
        }
        assert_eq!(records[2].own().len(), 1);
    }
}
