//! Recalling a commit or a request by its id, however long ago it was.

use sessile_core::backend::Span;
use sessile_core::error::DamagePlace;
use sessile_core::fold::{CommitIndex, Ended, Lookup, Recorded, RequestLookup, Unread};
use sessile_core::{CommitId, Error, ErrorKind, RequestId, StoredCommit};

use crate::resident::Resident;

/// What is known of a commit id, read from the journal as far as that takes; none if it is not
/// there, or damage hides it.
///
/// # Errors
/// *corrupt* where damage lies on the very commit; those of reading.
pub(crate) async fn recall(resident: &Resident, id: &CommitId) -> Result<Option<Recorded>, Error> {
    let look = |commits: &CommitIndex| match commits.look(id) {
        Lookup::Found(recorded) => Ok(Some(recorded)),
        Lookup::Absent => Ok(None),
        Lookup::Unread(unread) => Err(unread),
    };
    find(resident, look, &format!("commit {id} was there")).await
}

/// What is known of the end of a request, read from the journal as far as that takes; none if it
/// did not end, or damage hides that it did.
///
/// # Errors
/// Those of [`recall`].
pub(crate) async fn recall_request(
    resident: &Resident,
    id: &RequestId,
) -> Result<Option<Ended>, Error> {
    let look = |commits: &CommitIndex| match commits.look_request(id) {
        RequestLookup::Found(ended) => Ok(Some(ended)),
        RequestLookup::Absent => Ok(None),
        RequestLookup::Unread(unread) => Err(unread),
    };
    find(resident, look, &format!("request {id} ended")).await
}

/// Looks until nothing is unread that may tell.
async fn find<T>(
    resident: &Resident,
    look: impl Fn(&CommitIndex) -> Result<Option<T>, Unread>,
    what: &str,
) -> Result<Option<T>, Error> {
    let mut read_whole = false;
    loop {
        let looked = look(resident.folded().state().commits());
        let unread = match looked {
            Ok(found) => return Ok(found),
            Err(unread) => unread,
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
            (false, _) => return Err(lost(damage, what).about(resident.key())),
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

fn lost(damage: Option<DamagePlace>, what: &str) -> Error {
    let reason = format!("whether {what} can't be told");
    match damage {
        Some(place) => Error::corrupt(place, reason),
        None => Error::new(ErrorKind::Corrupt, reason),
    }
}
