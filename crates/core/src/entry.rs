//! The entry: one record of a journal.

use std::collections::BTreeMap;

use bytes::Bytes;
use bytestring::ByteString;

use crate::error::Error;
use crate::limits::Limits;
use crate::payload::Payload;
use crate::position::Seq;
use crate::time::UnixMillis;

mod kind;
pub mod shape;

pub use kind::EntryType;

/// A member of a line that this version does not know; carried, never dropped.
///
/// # Examples
/// ```
/// use sessile_core::entry::Member;
/// use sessile_core::{EntryType, NewEntry, Payload, Seq, UnixMillis};
///
/// let mut entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("hi")?);
/// entry.extra.push(Member { name: "mood".into(), value: Payload::of("good")? });
/// // What a newer program has written beside the data is carried, and goes with it.
/// let mut entry = entry.numbered(Seq::FIRST);
/// assert_eq!(&*entry.extra[0].name, "mood");
/// entry.redact()?;
/// assert!(entry.extra.is_empty());
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name, unescaped.
    pub name: ByteString,
    /// Its value.
    pub value: Payload,
}

/// One record of a journal, as it stands there.
///
/// # Examples
/// ```
/// use sessile_core::{Entry, EntryType, NewEntry, Payload, Seq, UnixMillis};
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let entry = NewEntry::new(UnixMillis(0), EntryType::Message, Payload::of("a password")?);
/// let mut entry: Entry = entry.numbered(Seq::FIRST);
/// entry.redact()?;
/// assert!(entry.is_redacted());
/// assert_eq!(entry.data.as_str(), r#"{"redacted":true}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the journal.
    pub seq: Seq,
    /// When its writer made it, by the writer's clock.
    pub at: UnixMillis,
    /// What it is.
    pub entry_type: EntryType,
    /// Whether a program that does not know the type must not build upon it.
    pub must: bool,
    /// The claim under which a turn wrote it.
    pub claim: Option<Seq>,
    /// What it holds.
    pub data: Payload,
    /// Members of the line that this version does not know.
    pub extra: Vec<Member>,
}

/// What stands in place of data that was removed.
const REDACTED: &str = r#"{"redacted":true}"#;

/// The data of an entry that holds nothing any more: the same memory for all of them.
const fn nothing() -> Payload {
    Payload::from_checked_line(Bytes::from_static(REDACTED.as_bytes()))
}

impl Entry {
    /// Removes what it holds; number, type and time stay. An outcome keeps how its request ended:
    /// what it has adopted goes on standing in the transcript. An entry of the board keeps all but
    /// its body: what others did with its message goes on being of it.
    ///
    /// # Errors
    /// None of its own: those of making a payload.
    pub fn redact(&mut self) -> Result<(), Error> {
        self.extra.clear();
        self.data = match self.outcome() {
            Some(outcome) => {
                let (redacted, result, reason) = (true, None, None);
                Payload::of(&shape::Outcome { redacted, result, reason, ..outcome })?
            }
            None if self.entry_type.is_of_board() => self.without_body()?,
            None => nothing(),
        };
        Ok(())
    }

    /// What stays of an entry of the board.
    fn without_body(&self) -> Result<Payload, Error> {
        let kept = self.entry_type.kept_when_redacted().unwrap_or_default();
        let Ok(mut members) = self.data.decode::<BTreeMap<String, Payload>>() else {
            return Ok(nothing());
        };
        members.retain(|name, _| kept.contains(&name.as_str()));
        members.insert("redacted".to_owned(), Payload::parse("true")?);
        Payload::of(&members)
    }

    /// Whether what it held was removed.
    pub fn is_redacted(&self) -> bool {
        let is_emptied = |outcome: shape::Outcome| outcome.redacted;
        self.extra.is_empty()
            && (self.data.as_bytes() == REDACTED.as_bytes()
                || self.outcome().is_some_and(is_emptied)
                || self.lacks_its_body())
    }

    /// Whether it is an entry of the board that holds what stays of one only.
    fn lacks_its_body(&self) -> bool {
        self.entry_type.is_of_board()
            && self.data.decode::<BTreeMap<String, Payload>>().is_ok_and(|members| {
                members.contains_key("redacted") && !members.contains_key("body")
            })
    }

    fn outcome(&self) -> Option<shape::Outcome> {
        let is_outcome = self.entry_type == EntryType::Outcome;
        is_outcome.then(|| self.data.decode().ok()).flatten()
    }
}

/// An entry that is to be appended.
///
/// # Examples
/// ```
/// use sessile_core::{EntryType, Limits, NewEntry, Payload, Seq, UnixMillis};
///
/// let new = NewEntry::new(UnixMillis(7), EntryType::Message, Payload::of("hello")?);
/// let mut limits = Limits::default();
/// limits.entry_bytes = 4;
/// let error = new.check(&limits).unwrap_err();
/// assert!(error.to_string().contains("entry_bytes"));
/// // A copy of an entry keeps its number; what is new gets the next.
/// let copied = NewEntry::from(new.clone().numbered(Seq::FIRST));
/// assert_eq!((new.seq, copied.seq), (None, Some(Seq::FIRST)));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntry {
    /// The number it must have; without one it gets the next.
    ///
    /// Only copies name it, so that an entry has the same number everywhere.
    pub seq: Option<Seq>,
    /// When it was made, by the writer's clock.
    pub at: UnixMillis,
    /// What it is.
    pub entry_type: EntryType,
    /// Whether a program that does not know the type must not build upon it.
    pub must: bool,
    /// The claim under which a turn writes it.
    pub claim: Option<Seq>,
    /// What it holds.
    pub data: Payload,
    /// Members of the line beyond those of this version.
    pub extra: Vec<Member>,
}

impl NewEntry {
    /// An entry with the next number, outside a turn.
    pub const fn new(at: UnixMillis, entry_type: EntryType, data: Payload) -> Self {
        Self { seq: None, at, entry_type, must: false, claim: None, data, extra: Vec::new() }
    }

    /// Refuses what is larger or nests deeper than is allowed.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused), naming the limit.
    pub fn check(&self, limits: &Limits) -> Result<(), Error> {
        Limits::check("entry_bytes", limits.entry_bytes, self.data.len())?;
        match self.data.nesting_above(limits.nesting) {
            Some(nesting) => Limits::check("nesting", limits.nesting, nesting),
            None => Ok(()),
        }
    }

    /// The same entry with the number that it got.
    pub fn numbered(self, seq: Seq) -> Entry {
        let Self { seq: _, at, entry_type, must, claim, data, extra } = self;
        Entry { seq, at, entry_type, must, claim, data, extra }
    }
}

impl From<Entry> for NewEntry {
    fn from(entry: Entry) -> Self {
        let Entry { seq, at, entry_type, must, claim, data, extra } = entry;
        Self { seq: Some(seq), at, entry_type, must, claim, data, extra }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(entry_type: EntryType, data: &str) -> Entry {
        let data = Payload::parse(data.to_owned()).unwrap();
        NewEntry::new(UnixMillis(1), entry_type, data).numbered(Seq::FIRST)
    }

    #[test]
    fn a_redacted_entry_of_the_board_keeps_all_but_its_body() {
        let mut post = entry(
            EntryType::Post,
            r#"{"id":"m1","kind":"todo","body":{"text":"secret"},"reply_to":"m0","more":"secret"}"#,
        );
        assert!(!post.is_redacted());
        post.redact().unwrap();
        let kept = r#"{"id":"m1","kind":"todo","redacted":true,"reply_to":"m0"}"#;
        assert_eq!((post.is_redacted(), post.data.as_str()), (true, kept));
        let mut malformed = entry(EntryType::Post, r#""secret""#);
        malformed.redact().unwrap();
        assert_eq!((malformed.is_redacted(), malformed.data.as_str()), (true, REDACTED));
    }
}
