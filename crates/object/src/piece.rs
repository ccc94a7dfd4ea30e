//! A piece of a journal: the lines of one log object, or of several merged into a range.
//!
//! All log objects of a journal one after the other are the journal, line by line as in a file.

use bytes::Bytes;
use sessile_core::commit::{StoredCommit, Tip};
use sessile_core::digest::Salt;
use sessile_core::entry::Entry;
use sessile_core::error::DamagePlace;
use sessile_core::id::SessionKey;
use sessile_core::journal::{Failure, Found, LastWord, Reason, Scanner};
use sessile_core::position::{Position, Seq};
use sessile_core::{Error, header, line};

/// How a journal begins, and no other piece of it but what is left when it was purged.
const BEGINNING: &[u8] = b"{\"seq\":0,";

/// How every line begins.
const LINE: &[u8] = b"{\"seq\":";

/// How many bytes of a piece are enough to tell its first number.
pub(crate) const START_BYTES: u64 = 32;

/// What a log object holds that tells of a removal: padding, and nothing of the journal.
pub(crate) const NOTICE: &[u8] = b"\n";

/// A header that belongs to its key.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub(crate) entry: Entry,
    pub(crate) salt: Salt,
}

/// What a piece holds, in order.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) found: Vec<Found>,
    /// Where it ends: the tip after its last commit, or after the damage that follows it.
    pub(crate) end: Tip,
    /// Whether it ends with damage, so that what its last commit is can't be told.
    pub(crate) damaged: bool,
}

/// Whether bytes begin with a header.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINNING)
}

/// Whether a log object is a notice, behind which nothing that was read before is served any more
/// without asking what was removed. Notices are told from damage by being just that: a commit is
/// never as short.
pub(crate) fn is_notice(bytes: &[u8]) -> bool {
    bytes == NOTICE
}

/// The number of the first entry in bytes, if they begin with a line.
pub(crate) fn first_seq(bytes: &[u8]) -> Option<Seq> {
    let rest = bytes.strip_prefix(LINE)?;
    let digits: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).collect();
    Seq::new(std::str::from_utf8(&digits).ok()?.parse().ok()?)
}

/// Reads the header that bytes begin with.
///
/// # Errors
/// *corrupt* where it is damaged or names another session, *unknown version* for a newer format.
pub(crate) fn begun(bytes: &Bytes, key: &SessionKey) -> Result<Begun, Error> {
    let length = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let decoded = line::decode_line(&bytes.slice(..length), None)
        .map_err(|bad| header::corrupt(format_args!("the header is damaged: {bad}")))?;
    let header = header::read(&decoded.entry)?;
    if header.id != key.id || header.space != key.space {
        let names = SessionKey { space: header.space, id: header.id };
        return Err(header::corrupt(format_args!("its header names {names}"))
            .with_hint("its objects were copied here by hand: put them back under their names"));
    }
    Ok(Begun { entry: decoded.entry, salt: header.salt })
}

/// Whether bytes are what is left of a purged session: the header and the tombstone that says so.
pub(crate) fn is_left_over(bytes: &Bytes, key: &SessionKey) -> bool {
    let Some(begun) = Some(bytes).filter(|it| begins(it)).and_then(|it| begun(it, key).ok()) else {
        return false;
    };
    let piece = Piece::read(bytes.clone(), begun.salt, None);
    piece.commits().rev().find_map(LastWord::of).is_some_and(|word| word.purged)
}

impl Piece {
    /// Reads a piece; where the commits before it end may not be known.
    pub(crate) fn read(bytes: Bytes, salt: Salt, before: Option<Tip>) -> Self {
        let mut scanner = if begins(&bytes) {
            Scanner::from_start(salt)
        } else {
            Scanner::of_piece(salt, before)
        };
        let mut found = Vec::new();
        let lines = lines_of(&bytes);
        scanner.feed(bytes, &mut found);
        scanner.finish(&mut found);
        let start = before.unwrap_or(Tip::ABSENT);
        if found.is_empty() {
            // No object was ever written without a commit.
            let (position, seq) = (start.position, start.position.seq().unwrap_or(Seq::FIRST));
            let reason = Reason::LinesMissing;
            found.push(Found::Failure(Failure { position, seq, from: 0, offset: 0, reason }));
        }
        // An object is there whole or not at all, so that nothing in it is torn: what can't be
        // read was acknowledged.
        let mut end = start;
        let mut damaged = false;
        for found in &found {
            damaged = matches!(found, Found::Failure(_));
            if let Found::Commit(placed) = found {
                end = placed.commit.tip();
            }
        }
        if damaged {
            let highest = scanner.highest().map_or(Position::START, Seq::after);
            // At least one entry stood there, whatever it was, and one in each line.
            let one = end.position.seq().map_or(end.position, Seq::after);
            let counted = Position::new(start.position.number().saturating_add(lines));
            end.position = one.max(highest).max(counted.unwrap_or(one)).max(scanner.synced());
        }
        Self { found, end, damaged }
    }

    /// Whether all of it is commits that continue each other.
    pub(crate) fn is_whole(&self) -> bool {
        !self.found.is_empty() && self.found.iter().all(|found| matches!(found, Found::Commit(_)))
    }

    /// Its whole commits.
    pub(crate) fn commits(&self) -> impl DoubleEndedIterator<Item = &StoredCommit> {
        self.found.iter().filter_map(|found| match found {
            Found::Commit(placed) => Some(&placed.commit),
            Found::Failure(_) => None,
        })
    }

    /// How many bytes its whole commits count for whoever reads back.
    pub(crate) fn span_bytes(&self) -> u64 {
        self.commits().map(StoredCommit::span_bytes).sum()
    }

    /// Whether its first commit names the last one before a tip as the one before it; none where
    /// that commit can't be read.
    pub(crate) fn follows(&self, before: Tip) -> Option<bool> {
        match self.found.first() {
            Some(Found::Commit(placed)) => Some(placed.commit.prev == before.token),
            _ => None,
        }
    }
}

/// How many payload bytes a commit has.
pub(crate) fn payload_bytes(commit: &StoredCommit) -> u64 {
    let bytes: usize = commit.entries.iter().map(|entry| entry.data.len()).sum();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// How many lines bytes have.
fn lines_of(bytes: &[u8]) -> u64 {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    u64::try_from(lines.count()).unwrap_or(u64::MAX)
}

/// What a failure is to whoever reads.
pub(crate) fn damage(failure: &Failure) -> Error {
    Error::corrupt(DamagePlace { seq: failure.seq, offset: failure.offset }, failure.reason)
}
