//! The entry: one record of a journal.

use bytestring::ByteString;

use crate::error::Error;
use crate::payload::Payload;
use crate::position::Seq;
use crate::time::UnixMillis;

mod kind;
pub mod shape;

pub use kind::EntryType;

/// A member of a line that this version does not know; carried, never dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name, unescaped.
    pub name: ByteString,
    /// Its value.
    pub value: Payload,
}

/// One record of a journal, as it stands there.
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

impl Entry {
    /// Removes what it holds; number, type and time stay. An outcome keeps how its request ended:
    /// what it has adopted goes on standing in the transcript.
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
            None => Payload::parse(REDACTED)?,
        };
        Ok(())
    }

    /// Whether what it held was removed.
    pub fn is_redacted(&self) -> bool {
        let is_emptied = |outcome: shape::Outcome| outcome.redacted;
        self.extra.is_empty()
            && (self.data.as_str() == REDACTED || self.outcome().is_some_and(is_emptied))
    }

    fn outcome(&self) -> Option<shape::Outcome> {
        let is_outcome = self.entry_type == EntryType::Outcome;
        is_outcome.then(|| self.data.decode().ok()).flatten()
    }
}

/// An entry that is to be appended.
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
