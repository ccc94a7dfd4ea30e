//! Creating a journal: one commit where there is none.

use std::sync::Arc;

use sessile_core::commit::Tip;
use sessile_core::{Commit, Error, ErrorKind, NewEntry, SessionKey};

use crate::delivery;
use crate::folded::{self, Folded};
use crate::opened::Opened;
use crate::resident::Resident;

/// Appends a journal's first entries, the header foremost, whatever becomes of the caller.
///
/// # Errors
/// *exists* when there is a journal, *deleted* when there was one; *refused* above a limit; those
/// of the backend's append.
pub(crate) async fn create(
    opened: &Arc<Opened>,
    key: SessionKey,
    entries: Vec<NewEntry>,
) -> Result<Resident, Error> {
    let about = key.clone();
    let creating = async {
        let (id, token) = (opened.commit_id()?, opened.token());
        let commit = Commit::new(id, token, entries, opened.limits())?;
        opened.carry(Box::pin(append_first(Arc::clone(opened), key, commit))).await
    };
    creating.await.map_err(|error| error.about(about))
}

async fn append_first(
    opened: Arc<Opened>,
    key: SessionKey,
    commit: Commit,
) -> Result<Resident, Error> {
    let deadline = opened.deadline();
    let created = delivery::deliver(&opened, &key, Tip::ABSENT, &commit, deadline).await;
    let appended = created.map_err(|error| match error.kind() {
        ErrorKind::Conflict => Error::new(ErrorKind::Exists, "it exists already")
            .with_hint("open it, or choose another id")
            .with_source(error),
        _ => error,
    })?;
    match folded::stored(Tip::ABSENT, &commit) {
        Some(first) if first.tip() == appended.tip => {
            let mut folded = Folded::start(&key, &first, &opened.options().folds)?;
            folded.prove(appended.tip.position);
            let resident = Resident::new(opened, key, folded);
            resident.note_gist();
            Ok(resident)
        }
        // The backend has put something of its own before or after it.
        _ => Resident::load(opened, key).await,
    }
}
