//! What was taken of a source before, and whether more may follow it.

use std::sync::Arc;

use sessile_core::backend::Span;
use sessile_core::entry::shape::Import;
use sessile_core::{EntryType, Error, ErrorKind, Position, Seq, SessionKey};
use sessile_interchange::{Records, SourceIdentity};

use super::pieces::Bounds;
use crate::opened::Opened;
use crate::resident::Resident;

/// The first stretch that is looked at before the end, in bytes.
const FIRST_STRETCH: u64 = 64 << 10;

/// What lies under an id.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing, and nothing ever did.
    Free,
    /// Something else.
    Taken,
    /// A session of this source, as its last `import` entry has it.
    Known(Box<Resident>, Import),
}

/// Looks what lies under an id.
pub(super) async fn look(
    opened: &Arc<Opened>,
    key: SessionKey,
    identity: &SourceIdentity,
) -> Result<Found, Error> {
    let resident = match Resident::load(Arc::clone(opened), key).await {
        Ok(resident) => resident,
        Err(error) if error.kind() == ErrorKind::Missing => return Ok(Found::Free),
        Err(error) if error.kind() == ErrorKind::Deleted => return Ok(Found::Taken),
        Err(error) => return Err(error),
    };
    if resident.refuse_deleted().is_err() {
        return Ok(Found::Taken);
    }
    let import = resident.folded().state().import().filter(|it| identity.is_of(it)).cloned();
    Ok(import.map_or(Found::Taken, |import| Found::Known(Box::new(resident), import)))
}

/// What the first import of a session has taken, or of a large source the first part of it; none
/// where that is not what created the session.
///
/// # Errors
/// *corrupt* where damage hides it; those of reading.
pub(super) async fn first_import(resident: &Resident) -> Result<Option<Import>, Error> {
    let (opened, key) = (resident.opened(), resident.key());
    let mut commits = opened.read(key, Span::ALL).await?;
    let Some(first) = opened.next(&mut commits).await else {
        return Ok(None);
    };
    let first = first.map_err(|error| error.about(key))?;
    let import = first.entries.iter().find(|entry| entry.entry_type == EntryType::Import);
    Ok(import.and_then(|entry| entry.data.decode().ok()))
}

/// Refuses to add records of some types to a session that may have them already, or has gone
/// another way.
///
/// # Errors
/// *corrupt* where damage may hide what was taken; *closed*; *conflict* when somebody else has
/// added a message since the last import.
pub(super) async fn may_grow(resident: &Resident, types: &[EntryType]) -> Result<(), Error> {
    {
        let folded = resident.folded();
        let state = folded.state();
        if let Some(place) = state.damage().first() {
            let reason = "what was imported before can't be told";
            return Err(Error::corrupt(*place, reason).about(resident.key()));
        }
        state.takes(types, None)?;
    }
    if has_other_messages(resident).await? {
        let clause = "messages were added to it since the last import";
        return Err(Error::new(ErrorKind::Conflict, clause)
            .with_hint("import the file under a new id: --as NEW")
            .about(resident.key()));
    }
    Ok(())
}

/// Whether a message stands behind the last commit that an import made.
async fn has_other_messages(resident: &Resident) -> Result<bool, Error> {
    let (opened, key) = (resident.opened(), resident.key());
    let mut before = resident.folded().state().position();
    let mut stretch = FIRST_STRETCH;
    let mut found = false;
    loop {
        let span = Span::Back { before, max_bytes: stretch };
        let mut commits = opened.read(key, span).await?;
        let mut first = None;
        let (mut imported, mut messages) = (false, false);
        while let Some(item) = opened.next(&mut commits).await {
            let commit = item.map_err(|error| error.about(key))?;
            first = first.or_else(|| Some(commit.first_seq()));
            if commit.has(&EntryType::Import) {
                (imported, messages) = (true, false);
            } else {
                messages |= commit.has(&EntryType::Message);
            }
        }
        found |= messages;
        match first.and_then(|first: Seq| Position::new(first.number())) {
            Some(position) if !imported && position > Position::START => before = position,
            _ => return Ok(found),
        }
        stretch = stretch.saturating_mul(4);
    }
}

/// The number of the entry that holds the last of the first so many records of a source; none
/// where they are not all there.
///
/// Entries of others may stand between them.
pub(super) async fn seq_of_record(
    resident: &Resident,
    records: &Records,
    count: usize,
    bounds: &Bounds<'_>,
) -> Result<Option<Seq>, Error> {
    let (opened, key) = (resident.opened(), resident.key());
    let mut taken = records.iter().take(count);
    let mut next = || taken.find(|record| bounds.check(record).is_ok());
    let mut wanted = next();
    let mut last = Seq::FIRST;
    let mut commits = opened.read(key, Span::ALL).await?;
    while wanted.is_some() {
        let Some(item) = opened.next(&mut commits).await else {
            return Ok(None);
        };
        for entry in item.map_err(|error| error.about(key))?.entries {
            if wanted.is_some_and(|record| record.data == entry.data) {
                last = entry.seq;
                wanted = next();
            }
        }
    }
    Ok(Some(last))
}
