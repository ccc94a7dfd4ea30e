//! Recalling a commit by its id, however long ago it was.

use sessile_core::backend::Span;
use sessile_core::error::DamagePlace;
use sessile_core::fold::{Lookup, Recorded, Unread};
use sessile_core::{CommitId, Error, ErrorKind, StoredCommit};

use crate::resident::Resident;

/// What is known of a commit id, read from the journal as far as that takes; none if it is not
/// there, or damage hides it.
///
/// # Errors
/// *corrupt* where damage lies on the very commit; those of reading.
pub(crate) async fn recall(resident: &Resident, id: &CommitId) -> Result<Option<Recorded>, Error> {
    let mut read_whole = false;
    loop {
        let unread = match resident.folded().state().commits().look(id) {
            Lookup::Found(recorded) => return Ok(Some(recorded)),
            Lookup::Absent => return Ok(None),
            Lookup::Unread(unread) => unread,
        };
        let (learned, damage) = match read(resident, unread).await {
            Ok(Some(commit)) => (resident.folded_mut().learn(unread, &commit), None),
            Ok(None) => (false, None),
            Err(error) => match error.damage() {
                Some(place) => (false, Some(place)),
                None => return Err(error),
            },
        };
        match (learned, unread) {
            (true, _) => {}
            // The ids that a lost run held stand in the commits themselves.
            (false, Unread::Run(_)) if !read_whole => {
                resident.read_whole().await?;
                read_whole = true;
            }
            (false, _) => return Err(lost(damage, id).about(resident.key())),
        }
    }
}

/// Reads the commit that holds an entry, or the first one after it.
pub(crate) async fn read(
    resident: &Resident,
    unread: Unread,
) -> Result<Option<StoredCommit>, Error> {
    let opened = resident.opened();
    let mut commits = opened.read(resident.key(), Span::From(unread.seq())).await?;
    let next = opened.next(&mut commits).await;
    next.transpose().map_err(|error| error.about(resident.key()))
}

fn lost(damage: Option<DamagePlace>, id: &CommitId) -> Error {
    let reason = format!("whether commit {id} was there can't be told");
    match damage {
        Some(place) => Error::corrupt(place, reason),
        None => Error::new(ErrorKind::Corrupt, reason),
    }
}
