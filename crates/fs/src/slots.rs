//! The layout of a document's file that is changed in place: a head and two slots, of which one
//! holds the last value while the other takes the next.
//!
//! ```text
//! 0       {"format":2,"name":"n","slot":8192}, line ends, the mark
//! 4096    slot 0: {"number":6,"revisions":["…"],"bytes":4096}, the value, its digest
//! 12288   slot 1: the same of number 7
//! ```
//!
//! A slot holds one line of JSON, the value, and a digest over the head's line and both. Which of
//! two whole slots is the later is told by their numbers. The mark is the number of the last value
//! that is known to be durable, under this name. It is what tells a value that was torn, which
//! nobody was promised, from one that was damaged later: a slot that the mark names and that is
//! not whole is damage, and the other one does not stand in for it.

use std::cmp::Reverse;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sessile_core::backend::Document;
use sessile_core::digest::{Digest, Token};
use sessile_core::id::{Name, SessionId};
use sessile_core::revision::Revision;

/// The `format` of this layout.
pub(crate) const FORMAT: u32 = 2;

/// How long the head is: what is written by itself to a disk holds nothing of a slot beside it.
const HEAD: usize = 4 << 10;

/// A slot is so long, or twice that, and so on.
const LEAST_SLOT: usize = 4 << 10;

/// What needs a longer slot than this is not changed in place: the flush that is spared then
/// costs less than the bytes.
const MOST_SLOT: usize = 128 << 10;

/// How long a slot's first line may get: it holds up to 16 revisions and two numbers.
const MOST_LABEL: usize = 768;

/// Digits of a digest, and a line end.
const SEAL: usize = 65;

/// Digits of a number and of a token, and a line end.
const MARK: usize = 49;

/// Where the mark stands.
pub(crate) const MARK_AT: u64 = (4 << 10) - 49;

/// The first line of the file.
#[derive(Debug, Deserialize, Serialize)]
struct Head {
    format: u32,
    name: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    slot: usize,
}

/// The first line of a slot.
#[derive(Debug, Deserialize, Serialize)]
struct Label {
    number: u64,
    revisions: Vec<Revision>,
    bytes: usize,
}

/// What a file is to hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// The document's name within its collection.
    pub(crate) name: &'a Name,
    /// The document.
    pub(crate) document: &'a Document,
}

/// What the mark's bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// Nothing yet.
    Blank,
    /// That the value of this number is durable.
    Confirms(u64),
    /// Nothing that was ever written whole.
    Torn,
}

/// A file whose last value is whole.
#[derive(Debug)]
pub(crate) struct Slots {
    /// Its first line.
    head: Bytes,
    slot: usize,
    number: u64,
    mark: Mark,
}

/// A change of the file: what is written, and the mark that confirms it once it is durable.
#[derive(Debug)]
pub(crate) struct Change {
    /// Where the record goes.
    pub(crate) offset: u64,
    /// The record.
    pub(crate) record: Vec<u8>,
    /// What goes to [`MARK_AT`] after it.
    pub(crate) mark: Vec<u8>,
}

/// A new file of a value that has no number yet, and the mark for when its name is durable; none
/// if the value is too long for this layout.
pub(crate) fn file_of(entry: Entry<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let length = entry.document.bytes.len().checked_add(MOST_LABEL + SEAL)?;
    let slot = length.checked_next_power_of_two()?.max(LEAST_SLOT);
    if slot > MOST_SLOT {
        return None;
    }
    let mut file = head_of(entry, slot)?;
    if file.len() > HEAD - MARK {
        return None;
    }
    let record = record(&file, 0, entry.document)?;
    let mark = mark(&file, 0);
    file.resize(HEAD, b'\n');
    file.extend_from_slice(&record);
    file.resize(HEAD + 2 * slot, b'\n');
    Some((file, mark))
}

fn line(of: &impl Serialize) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(of).ok()?;
    line.push(b'\n');
    Some(line)
}

fn head_of(entry: Entry<'_>, slot: usize) -> Option<Vec<u8>> {
    let Entry { name, document } = entry;
    line(&Head { format: FORMAT, name: name.clone(), session: document.session.clone(), slot })
}

/// What stands in a slot.
fn record(head: &[u8], number: u64, document: &Document) -> Option<Vec<u8>> {
    let Document { bytes: value, recent, .. } = document;
    let label = line(&Label { number, revisions: recent.clone(), bytes: value.len() })?;
    let seal = Digest::of_parts([head, &*label, value]).to_string();
    Some([&*label, value, seal.as_bytes(), b"\n"].concat())
}

fn mark(head: &[u8], number: u64) -> Vec<u8> {
    let number = format!("{number:016x}");
    let check = Token::from_digest(Digest::of_parts([head, number.as_bytes()]));
    format!("{number}{check}\n").into_bytes()
}

/// A slot's first line, with its end, if it is one; that does not say that the slot is whole.
fn label(slot: &[u8]) -> Option<(Label, usize)> {
    let end = memchr::memchr(b'\n', slot)? + 1;
    serde_json::from_slice(slot.get(..end)?).ok().map(|label| (label, end))
}

/// The value of a slot with such a first line, if it is whole.
fn value(head: &[u8], slot: &Bytes, label: &Label, begin: usize) -> Option<Bytes> {
    let end = begin.checked_add(label.bytes)?;
    let seal = slot.get(end..end.checked_add(SEAL)?)?;
    let value = slot.slice(begin..end);
    let expected = Digest::of_parts([head, slot.get(..begin)?, &*value]).to_string();
    let (digits, last) = seal.split_at_checked(SEAL - 1)?;
    (digits == expected.as_bytes() && last == b"\n").then_some(value)
}

/// Which of the two slots a number's value stands in.
fn index_of(number: u64) -> usize {
    usize::from(number % 2 == 1)
}

fn offset_of(number: u64, slot: usize) -> usize {
    HEAD + index_of(number) * slot
}

impl Mark {
    fn read(head: &[u8], stands: &[u8]) -> Self {
        if stands.iter().all(|byte| *byte == b'\n') {
            return Self::Blank;
        }
        let digits = stands.get(..16).and_then(|digits| std::str::from_utf8(digits).ok());
        let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        match number {
            Some(number) if mark(head, number) == stands => Self::Confirms(number),
            _ => Self::Torn,
        }
    }
}

/// Reads a file of this layout.
///
/// # Errors
/// The reason why it holds no value.
pub(crate) fn decode(bytes: &Bytes) -> Result<(Slots, Document), &'static str> {
    let end = memchr::memchr(b'\n', bytes).ok_or("its first line has no end")? + 1;
    let head = bytes.slice(..end);
    let Head { session, slot, .. } =
        serde_json::from_slice(&head).map_err(|_| "its first line is no head of slots")?;
    let is_slot = (LEAST_SLOT..=MOST_SLOT).contains(&slot) && slot.is_power_of_two();
    if !is_slot || end > HEAD - MARK || bytes.len() != HEAD + 2 * slot {
        return Err("it is not as long as its first line says");
    }
    let mut slots: Vec<_> = [0, 1]
        .into_iter()
        .filter_map(|number| {
            let from = offset_of(number, slot);
            let bytes = bytes.slice(from..from + slot);
            let (label, begin) = label(&bytes)?;
            (offset_of(label.number, slot) == from).then_some((label, begin, bytes))
        })
        .collect();
    // The digest of the one before the last is not looked at unless it counts.
    slots.sort_by_key(|(label, ..)| Reverse(label.number));
    let whole = slots.into_iter().find_map(|(label, begin, bytes)| {
        let value = value(&head, &bytes, &label, begin)?;
        Some((label, value))
    });
    let mark = Mark::read(&head, bytes.get(HEAD - MARK..HEAD).unwrap_or_default());
    let (Label { number, revisions, .. }, value) = whole.ok_or("neither of its slots is whole")?;
    if matches!(mark, Mark::Confirms(confirmed) if confirmed > number) {
        return Err("its value is not what its digest says");
    }
    let revision = revisions.first().copied().ok_or("its value has no revision")?;
    let document = Document { bytes: value, revision, recent: revisions, session };
    Ok((Slots { head, slot, number, mark }, document))
}

impl Slots {
    /// Whether the value is known to be durable, under this name: only then may the slot of the
    /// one before it be written over.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.mark == Mark::Confirms(self.number)
    }

    /// Whether the file may have been read while its mark was being written.
    pub(crate) fn has_torn_mark(&self) -> bool {
        self.mark == Mark::Torn
    }

    /// How the file is changed to hold the next value; none where that is not safe, or it does not
    /// fit.
    pub(crate) fn next(&self, entry: Entry<'_>) -> Option<Change> {
        if !self.is_confirmed() || *head_of(entry, self.slot)? != *self.head {
            return None;
        }
        let number = self.number.checked_add(1)?;
        let record = record(&self.head, number, entry.document)?;
        let offset = u64::try_from(offset_of(number, self.slot)).ok()?;
        let mark = mark(&self.head, number);
        (record.len() <= self.slot).then_some(Change { offset, record, mark })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(number: u64) -> Revision {
        Revision::new(Token::from_digest(Digest::of(&number.to_le_bytes())))
    }

    fn document(number: u64, value: &str) -> Document {
        let recent: Vec<_> = (0..=number).rev().take(16).map(revision).collect();
        let (bytes, revision) = (Bytes::from(value.to_owned()), recent[0]);
        Document { bytes, revision, recent, session: None }
    }

    fn written(file: &[u8], offset: u64, bytes: &[u8]) -> Vec<u8> {
        let offset = usize::try_from(offset).unwrap();
        let mut file = file.to_vec();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        file
    }

    /// A file with the values of numbers up to one, each confirmed before the next.
    fn file(values: &[&str]) -> Vec<u8> {
        let name = "n".parse().unwrap();
        let first = document(0, values[0]);
        let (file, mark) = file_of(Entry { name: &name, document: &first }).unwrap();
        let mut file = written(&file, MARK_AT, &mark);
        for (number, value) in (1..).zip(&values[1..]) {
            let change = change(&file, number, value);
            file = written(&file, change.offset, &change.record);
            file = written(&file, MARK_AT, &change.mark);
        }
        file
    }

    fn change(file: &[u8], number: u64, value: &str) -> Change {
        let (slots, _) = decode(&Bytes::copy_from_slice(file)).unwrap();
        let (name, document) = ("n".parse().unwrap(), document(number, value));
        slots.next(Entry { name: &name, document: &document }).unwrap()
    }

    fn held(file: &[u8]) -> Result<(Bytes, bool), &'static str> {
        let (slots, document) = decode(&Bytes::copy_from_slice(file))?;
        Ok((document.bytes, slots.is_confirmed()))
    }

    #[test]
    fn the_mark_ends_the_head() {
        assert_eq!(MARK_AT, u64::try_from(HEAD - MARK).unwrap());
        assert_eq!(mark(b"", 7).len(), MARK);
    }

    #[test]
    fn the_last_value_is_served_and_confirmed_by_its_own_mark_only() {
        for values in [&["a"][..], &["a", "b"], &["a", "b", "c"]] {
            let last = Bytes::copy_from_slice(values[values.len() - 1].as_bytes());
            assert_eq!(held(&file(values)), Ok((last, true)));
        }
        let old = file(&["a", "b"]);
        let Change { offset, record, .. } = change(&old, 2, "c");
        let unmarked = written(&old, offset, &record);
        assert_eq!(held(&unmarked), Ok((Bytes::from("c"), false)));
        let (slots, document) = decode(&Bytes::from(unmarked)).unwrap();
        let name = "n".parse().unwrap();
        assert!(slots.next(Entry { name: &name, document: &document }).is_none());
    }

    #[test]
    fn a_write_that_was_torn_at_any_byte_leaves_the_one_or_the_other_value() {
        let old = file(&["old a", "old b"]);
        let Change { offset, record, mark } = change(&old, 2, "another");
        for at in 0..=record.len() {
            let end = offset + u64::try_from(at).unwrap();
            for torn in [written(&old, offset, &record[..at]), written(&old, end, &record[at..])] {
                let (value, is_confirmed) = held(&torn).unwrap();
                assert!(value == "another" || value == "old b", "{at}: {value:?}");
                assert_eq!(is_confirmed, value == "old b", "{at}: {value:?}");
            }
        }
        let new = written(&old, offset, &record);
        for at in 0..=mark.len() {
            let torn = written(&new, MARK_AT, &mark[..at]);
            assert_eq!(held(&torn).unwrap().0, "another", "the mark at {at}");
        }
    }

    #[test]
    fn of_a_file_with_any_byte_altered_the_last_value_is_served_or_none() {
        let whole = file(&["old a", "old b", "last"]);
        let mut damaged = 0;
        for at in 0..whole.len() {
            let mut altered = whole.clone();
            altered[at] ^= 1;
            match held(&altered) {
                Ok((value, _)) => assert_eq!(value, "last", "byte {at}"),
                Err(_) => damaged += 1,
            }
        }
        assert!(damaged > 200, "{damaged} bytes count");
        for length in (0..whole.len()).step_by(100) {
            assert!(held(&whole[..length]).is_err(), "cut to {length}");
        }
    }

    #[test]
    fn what_fits_no_slot_has_no_such_file() {
        let name = "n".parse().unwrap();
        let of = |length: usize, name: &Name| {
            let document = document(0, &"x".repeat(length));
            file_of(Entry { name, document: &document }).map(|(file, _)| file.len())
        };
        assert_eq!(of(0, &name), Some(HEAD + 2 * LEAST_SLOT));
        assert_eq!(of(4 << 10, &name), Some(HEAD + 2 * (8 << 10)));
        assert_eq!(of(MOST_SLOT - MOST_LABEL - SEAL, &name), Some(HEAD + 2 * MOST_SLOT));
        assert_eq!(of(MOST_SLOT - MOST_LABEL - SEAL + 1, &name), None);
        // Each of these takes six bytes in JSON.
        assert_eq!(of(0, &"\u{1}".repeat(1_000).parse().unwrap()), None);
    }
}
