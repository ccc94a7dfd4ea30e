//! What an import will do, decided before it does anything.

use std::sync::Arc;

use sessile_core::{EntryType, Error, ErrorKind, SessionId, SessionKey, Space};
use sessile_interchange::{Source, SourceIdentity, SourceSession};

use super::known::{self, Found};
use super::pieces;
use crate::opened::Opened;
use crate::resident::Resident;

/// What is to be done for one session of a source.
#[derive(Debug)]
pub(super) enum Step {
    /// It is new.
    Create(SessionKey),
    /// It is known, and so many of its records were taken.
    Grow(Box<Resident>, usize),
}

/// Decides on each session of a source.
///
/// # Errors
/// *conflict* where a known source has changed or its session has gone another way; *exists*
/// where the chosen id, or every id, is something else's; *closed*; *corrupt*; those of reading.
pub(super) async fn plan(
    opened: &Arc<Opened>,
    space: &Space,
    source: &Source,
    chosen: Option<&SessionId>,
) -> Result<Vec<(SourceIdentity, Step)>, Error> {
    let mut steps = Vec::new();
    for session in &source.sessions {
        let identity = SourceIdentity::of(source.format, session);
        let step = decide(opened, space, session, &identity, chosen).await?;
        steps.push((identity, step));
    }
    Ok(steps)
}

/// Decides on one session of a source.
///
/// # Errors
/// Those of [`plan`].
pub(super) async fn decide(
    opened: &Arc<Opened>,
    space: &Space,
    session: &SourceSession,
    identity: &SourceIdentity,
    chosen: Option<&SessionId>,
) -> Result<Step, Error> {
    let step = step(opened, space, session, identity, chosen).await?;
    if let Step::Grow(resident, taken) = &step
        && *taken < session.records.len()
    {
        let left = session.records.iter().skip(*taken);
        let types: Vec<EntryType> = left.map(|record| record.entry_type.clone()).collect();
        known::may_grow(resident, &types).await?;
    }
    Ok(step)
}

async fn step(
    opened: &Arc<Opened>,
    space: &Space,
    session: &SourceSession,
    identity: &SourceIdentity,
    chosen: Option<&SessionId>,
) -> Result<Step, Error> {
    let mut free = None;
    let mut known: Option<(Box<Resident>, usize)> = None;
    let mut parted = None;
    for id in identity.ids(chosen) {
        let key = SessionKey { space: space.clone(), id: id? };
        match known::look(opened, key.clone(), identity).await? {
            Found::Taken => {}
            Found::Free => {
                free = free.or(Some(key));
                if !identity.is_named() {
                    // Of those that begin alike none has got further.
                    break;
                }
            }
            Found::Known(resident, import) if identity.has_changed(&import) => {
                return Err(changed(&resident));
            }
            Found::Known(resident, import) => {
                let digest = pieces::digest_of_first(import.records, &session.records);
                if digest == Some(import.records_digest) {
                    let taken = usize::try_from(import.records).unwrap_or(usize::MAX);
                    // Of those that begin alike it is the one that goes along the furthest.
                    if known.as_ref().is_none_or(|(_, most)| *most < taken) {
                        known = Some((resident, taken));
                    }
                } else if identity.is_named() || chosen.is_some() {
                    return Err(changed(&resident));
                } else if begins_as_imported(&resident, session).await? {
                    parted = parted.or_else(|| Some(changed(&resident)));
                }
            }
        }
    }
    match (known, parted, free) {
        (Some((resident, taken)), _, _) => Ok(Step::Grow(resident, taken)),
        (None, Some(changed), _) => Err(changed),
        (None, None, Some(key)) => Ok(Step::Create(key)),
        (None, None, None) => Err(Error::new(ErrorKind::Exists, "its id is another session's")
            .with_hint("import the file under a new id: --as NEW")),
    }
}

/// Whether a source without an id begins with what the first import of a session has taken: then
/// it is that session's, whatever became of it since.
async fn begins_as_imported(resident: &Resident, session: &SourceSession) -> Result<bool, Error> {
    let first = known::first_import(resident).await?;
    Ok(first.is_some_and(|first| {
        let digest = pieces::digest_of_first(first.records, &session.records);
        digest == Some(first.records_digest)
    }))
}

fn changed(resident: &Resident) -> Error {
    let clause = "the source does not begin any more with what was imported of it";
    Error::new(ErrorKind::Conflict, clause)
        .with_hint("import the file under a new id: --as NEW")
        .about(resident.key())
}
