//! Removing what entries hold, whoever appends meanwhile.

use sessile_core::backend::{Capability, Span};
use sessile_core::{Error, ErrorKind, Seq};

use crate::deadline::Backoff;
use crate::delivery;
use crate::removal::{self, Removals};
use crate::resident::Resident;

/// Completes what was recorded to be removed and was cut short; answers whether there was any.
///
/// # Errors
/// Those of reading; *unsupported* where there is some and the backend can't; those of
/// [`mask`].
pub(crate) async fn complete(resident: &Resident) -> Result<bool, Error> {
    let (opened, key) = (resident.opened(), resident.key());
    let mut removals = Removals::default();
    let mut commits = opened.read(key, Span::ALL).await?;
    while let Some(commit) = removal::readable(opened, &mut commits).await? {
        removals.take(&commit);
    }
    let unfinished = removals.unfinished(opened, key).await?;
    if unfinished.is_empty() {
        return Ok(false);
    }
    opened.requires(Capability::Mask)?;
    let seqs: Vec<Seq> = unfinished.into_iter().map(|unfinished| unfinished.seq).collect();
    mask(resident, &seqs).await?;
    Ok(true)
}

/// Removes the data of entries, as it is recorded already that it is to be.
///
/// Masking does not touch what others append, so after a conflict it is asked for again at the
/// new end.
///
/// # Errors
/// Those of the backend; the outcome is unknown then, and asking again completes it.
pub(crate) async fn mask(resident: &Resident, seqs: &[Seq]) -> Result<(), Error> {
    if seqs.is_empty() {
        return Ok(());
    }
    let (opened, key) = (resident.opened(), resident.key());
    let (deadline, mut backoff) = (opened.deadline(), Backoff::new());
    let patience = deadline.into();
    loop {
        let tip = resident.folded().state().tip();
        let mask = || opened.backend().mask(key, tip, seqs.to_vec());
        let error = match delivery::repeat(opened, &patience, mask).await {
            Ok(()) => {
                // The backend has dropped what it had; nothing that a gist tells can be masked.
                resident.note_gist();
                return Ok(());
            }
            Err(error) => error,
        };
        let moved = error.kind() == ErrorKind::Conflict;
        if !moved || !backoff.wait(opened.entropy(), deadline).await {
            return Err(error
                .outcome_unknown()
                .with_hint("what is to be removed is recorded; the same call completes it"));
        }
        resident.catch_up().await.map_err(Error::outcome_unknown)?;
    }
}
