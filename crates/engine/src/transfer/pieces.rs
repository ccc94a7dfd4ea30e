//! The records of a source, cut into commits that keep the limits.

use std::iter::Peekable;

use sessile_core::digest::{Digest, Parts};
use sessile_core::{EntryType, Error, Limits, NewEntry, Payload, UnixMillis};
use sessile_interchange::{Iter, Record, Records, SourceIdentity, SourceSession};

use super::imported::Skipped;

/// Entries for one commit: the `import` entry and the records that it counts last.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) entries: Vec<NewEntry>,
    pub(super) records: u64,
    pub(super) skipped: Vec<Skipped>,
    /// The digest of all records up to here: it names the piece.
    pub(super) digest: Digest,
}

/// What a record must keep to be taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'a> {
    limits: &'a Limits,
    /// How many bytes a commit has for records, beside the longest `import` entry.
    room: usize,
}

impl<'a> Bounds<'a> {
    /// The bounds for the records of a session, beside the rest of what its source says.
    ///
    /// # Errors
    /// *refused* where not even the `import` entry keeps the limits.
    pub(super) fn of(
        identity: &SourceIdentity,
        rest: Option<&Payload>,
        limits: &'a Limits,
    ) -> Result<Self, Error> {
        let import = import(identity, u64::MAX, Digest::of(b""), rest)?.len();
        Limits::check("entry_bytes", limits.entry_bytes, import)?;
        Ok(Self { limits, room: limits.commit_bytes.saturating_sub(import) })
    }

    /// Refuses a record that can't be taken.
    pub(super) fn check(&self, record: &Record) -> Result<(), Error> {
        Limits::check("entry_bytes", self.limits.entry_bytes, record.data.len())?;
        Limits::check("nesting", self.limits.nesting, record.data.nesting())?;
        Limits::check("commit_bytes", self.room, record.data.len())
    }
}

/// What is left of a source's records.
pub(super) struct Pieces<'a> {
    identity: &'a SourceIdentity,
    bounds: Bounds<'a>,
    at: UnixMillis,
    records: Peekable<Iter<'a>>,
    /// What is told once, by the first of all pieces.
    rest: Option<&'a Payload>,
    taken: u64,
    digest: Parts,
}

impl<'a> Pieces<'a> {
    /// The records of a session after the first so many.
    pub(super) fn after(
        taken: usize,
        session: &'a SourceSession,
        identity: &'a SourceIdentity,
        bounds: Bounds<'a>,
        at: UnixMillis,
    ) -> Self {
        let mut pieces = Self {
            identity,
            bounds,
            at,
            records: session.records.iter().peekable(),
            rest: session.rest.as_ref().filter(|_| taken == 0),
            taken: 0,
            digest: Parts::default(),
        };
        for _ in 0..taken {
            pieces.take();
        }
        pieces
    }

    /// Whether records are left.
    pub(super) fn is_left(&mut self) -> bool {
        self.records.peek().is_some()
    }

    /// As many records as fit into a commit beside so many bytes of other payloads.
    pub(super) fn next(&mut self, beside: usize) -> Result<Piece, Error> {
        let room = self.bounds.room;
        let (mut entries, mut skipped) = (Vec::new(), Vec::new());
        let mut bytes = beside;
        while let Some(record) = self.records.peek().copied() {
            match self.bounds.check(record) {
                Err(error) => {
                    let reason = error.clause().to_owned();
                    skipped.push(Skipped { line: record.line, reason });
                }
                Ok(()) if record.data.len() > room.saturating_sub(bytes) => break,
                Ok(()) => {
                    bytes += record.data.len();
                    let (entry_type, data) = (record.entry_type.clone(), record.data.clone());
                    entries.push(NewEntry::new(self.at, entry_type, data));
                }
            }
            self.take();
        }
        let records = u64::try_from(entries.len()).unwrap_or(u64::MAX);
        let digest = self.digest.digest();
        let import = import(self.identity, self.taken, digest, self.rest.take())?;
        entries.insert(0, NewEntry::new(self.at, EntryType::Import, import));
        Ok(Piece { entries, records, skipped, digest })
    }

    fn take(&mut self) {
        if let Some(record) = self.records.next() {
            self.digest.push(record.data.as_str().as_bytes());
            self.taken += 1;
        }
    }
}

/// What an `import` entry says after so many records, and of what no record holds.
fn import(
    identity: &SourceIdentity,
    records: u64,
    digest: Digest,
    rest: Option<&Payload>,
) -> Result<Payload, Error> {
    let import = Payload::of(&identity.entry(records, digest))?;
    match (rest, import.as_str().strip_suffix('}')) {
        (Some(rest), Some(open)) => Payload::parse(format!("{open},\"rest\":{}}}", rest.as_str())),
        _ => Ok(import),
    }
}

/// The digest of the first so many records; none if there are fewer.
pub(super) fn digest_of_first(count: u64, records: &Records) -> Option<Digest> {
    let count = usize::try_from(count).ok().filter(|count| *count <= records.len())?;
    Some(Digest::of_parts(records.iter().take(count).map(|it| it.data.as_str().as_bytes())))
}
