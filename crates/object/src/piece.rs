//! A piece of a journal: the lines of one log object, or of several merged into a range.
//!
//! All log objects of a journal one after the other are the journal, line by line as in a file.

use bytes::Bytes;
use sessile_core::commit::{StoredCommit, Tip};
use sessile_core::digest::Salt;
use sessile_core::entry::Entry;
use sessile_core::error::DamagePlace;
use sessile_core::id::SessionKey;
use sessile_core::journal::{Failure, Found, Scanner};
use sessile_core::position::{Position, Seq};
use sessile_core::{Error, header, line};

/// How a journal begins, and no other piece of it but what is left when it was purged.
const BEGINNING: &[u8] = b"{\"seq\":0,";

/// How every line begins.
const LINE: &[u8] = b"{\"seq\":";

/// How many bytes of a piece are enough to tell its first number.
pub(crate) const START_BYTES: u64 = 32;

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
}

/// Whether bytes begin with a header.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINNING)
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

impl Piece {
    /// Reads a piece; where the commits before it end may not be known.
    pub(crate) fn read(bytes: Bytes, salt: Salt, before: Option<Tip>) -> Self {
        let mut scanner = if begins(&bytes) {
            Scanner::from_start(salt)
        } else {
            Scanner::of_piece(salt, before)
        };
        let mut found = Vec::new();
        scanner.feed(bytes, &mut found);
        scanner.finish(&mut found);
        let start = before.unwrap_or(Tip::ABSENT);
        // An object is there whole or not at all, so that nothing in it is torn: what can't be
        // read was acknowledged.
        let mut end = start;
        let mut damaged = found.is_empty();
        for found in &found {
            damaged = matches!(found, Found::Failure(_));
            if let Found::Commit(placed) = found {
                end = placed.commit.tip();
            }
        }
        if damaged {
            let highest = scanner.highest().map_or(Position::START, Seq::after);
            // At least one entry stood there, whatever it was.
            let one = end.position.seq().map_or(end.position, Seq::after);
            end.position = one.max(highest).max(scanner.synced());
        }
        Self { found, end }
    }

    /// Its whole commits.
    pub(crate) fn commits(&self) -> impl DoubleEndedIterator<Item = &StoredCommit> {
        self.found.iter().filter_map(|found| match found {
            Found::Commit(placed) => Some(&placed.commit),
            Found::Failure(_) => None,
        })
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

/// What a failure is to whoever reads.
pub(crate) fn damage(failure: &Failure) -> Error {
    Error::corrupt(DamagePlace { seq: failure.seq, offset: failure.offset }, failure.reason)
}
