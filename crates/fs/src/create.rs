//! Making a journal: whole under its name, or not there at all.

use sessile_core::backend::Appended;
use sessile_core::commit::{Commit, Tip};
use sessile_core::digest::Salt;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::id::SessionKey;
use sessile_core::line;
use sessile_core::position::Position;

use crate::failure;
use crate::padding;
use crate::root::{self, Root, SESSIONS};
use crate::whole::{Stopped, WholeFile};

/// A journal's first bytes, and what appending them answers.
#[derive(Debug)]
pub(crate) struct FirstBytes {
    bytes: Vec<u8>,
    appended: Vec<Appended>,
}

impl FirstBytes {
    /// Encodes the commits of a new journal, the first of which begins with its header.
    ///
    /// # Errors
    /// *refused* where there is no header, or where it names another session.
    pub(crate) fn of(key: &SessionKey, commits: &[Commit]) -> Result<Self, Error> {
        let refused = |clause: &'static str| Error::new(ErrorKind::Refused, clause);
        let entry = match commits.first() {
            Some(first) => first.numbered_from(Position::START)?.into_iter().next(),
            None => None,
        };
        let entry = entry.ok_or_else(|| refused("a journal begins with a header"))?;
        let header = header::read(&entry)
            .map_err(|error| refused("a journal begins with a header").with_source(error))?;
        if header.id != key.id || header.space != key.space {
            return Err(refused("the header names another session"));
        }
        Self::encode(commits, header.salt)
    }

    fn encode(commits: &[Commit], salt: Salt) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        let mut tip = Tip::ABSENT;
        let mut appended = Vec::with_capacity(commits.len());
        for commit in commits {
            let stored = commit.stored_at(tip, Position::START)?;
            line::encode_commit(&mut bytes, &stored, salt);
            tip = stored.tip();
            appended.push(Appended { first: stored.first_seq(), tip, replayed: false });
        }
        // A journal is made to be appended to: the first append then changes no size.
        padding::pad(&mut bytes, 0, 0);
        Ok(Self { bytes, appended })
    }
}

/// Makes a journal with its first commits; none if its name is taken.
pub(crate) fn create(
    root: &Root,
    key: &SessionKey,
    first: FirstBytes,
) -> Result<Option<Vec<Appended>>, Error> {
    let folder = root.durable_folder(&key.space, SESSIONS)?;
    let whole = WholeFile::of(&folder, &first.bytes)
        .map_err(|error| failure::unavailable("the journal can't be made", error))?;
    match whole.put_in_free_place(&root::journal_name(key)) {
        Ok(created) => Ok(created.then_some(first.appended)),
        Err(Stopped { error, named }) => {
            let failed = failure::unavailable("the journal can't be made", error);
            Err(if named { failed.outcome_unknown() } else { failed })
        }
    }
}

/// Whether a journal's name is taken.
pub(crate) fn is_taken(root: &Root, key: &SessionKey) -> Result<bool, Error> {
    let Some(folder) = root.folder(&key.space, SESSIONS)? else {
        return Ok(false);
    };
    match folder.look(&root::journal_name(key)) {
        Ok(_) => Ok(true),
        Err(error) if failure::is_missing(&error) => Ok(false),
        Err(error) => Err(failure::unavailable("the journal can't be looked for", error)),
    }
}
