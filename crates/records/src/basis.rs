//! What a checkpoint was built on: a position of a session's journal.

use sessile_core::backend::Head;
use sessile_core::{Error, ErrorKind, Revision, SessionId, SessionKey};

use crate::checkpoint::Checkpoint;
use crate::patience::Patience;
use crate::shelf::Shelf;

/// Looks at a session's journal.
async fn head(shelf: &Shelf, session: &SessionId, patience: &Patience) -> Result<Head, Error> {
    let key = SessionKey { space: shelf.space().clone(), id: session.clone() };
    let head = patience.bound(shelf.backend().head(&key)).await.flatten();
    head.map_err(|error| error.about(&key))
}

fn deleted(session: &SessionId) -> Error {
    Error::new(ErrorKind::Deleted, "the session of the checkpoint was deleted")
        .about(format_args!("session {session}"))
}

/// Refuses a record that goes with a session which was deleted, or which is not there.
///
/// It is a check and no fence: the session may be deleted right after it.
///
/// # Errors
/// *missing* and *deleted* of the session, and those of looking at it.
pub(crate) async fn check_session(
    shelf: &Shelf,
    session: &SessionId,
    patience: &Patience,
) -> Result<(), Error> {
    if head(shelf, session, patience).await?.deleted {
        return Err(Error::new(ErrorKind::Deleted, "the session was deleted")
            .about(format_args!("session {session}")));
    }
    Ok(())
}

/// Refuses a checkpoint that is about to be put where its session does not hold what it was built
/// on.
///
/// It is a check and no fence: the session may be deleted right after it.
///
/// # Errors
/// *refused* for a position of no session, *missing* and *deleted* of the session, *conflict* with
/// the position where its journal ends.
pub(crate) async fn check_before_put(
    shelf: &Shelf,
    checkpoint: &Checkpoint,
    patience: &Patience,
) -> Result<(), Error> {
    let Some(session) = &checkpoint.session else {
        return match checkpoint.built_on {
            Some(_) => {
                Err(Error::new(ErrorKind::Refused, "a position is of a session, and none is named"))
            }
            None => Ok(()),
        };
    };
    let head = head(shelf, session, patience).await?;
    if head.deleted {
        return Err(deleted(session));
    }
    let end = head.tip.position;
    match checkpoint.built_on {
        Some(position) if position > end => Err(Error::conflict(position, end)),
        _ => Ok(()),
    }
}

/// Refuses a stored checkpoint whose session does not hold what it was built on.
///
/// # Errors
/// *corrupt* with the document's revision, naming both positions; *deleted* of the session; those
/// of looking at it.
pub(crate) async fn check_stored(
    shelf: &Shelf,
    checkpoint: &Checkpoint,
    revision: Revision,
    patience: &Patience,
) -> Result<(), Error> {
    let (Some(session), Some(position)) = (&checkpoint.session, checkpoint.built_on) else {
        return Ok(());
    };
    let end = match head(shelf, session, patience).await {
        Ok(head) if head.deleted => return Err(deleted(session)),
        Ok(head) => head.tip.position,
        Err(error) if error.kind() == ErrorKind::Missing => sessile_core::Position::START,
        Err(error) => return Err(error),
    };
    if position <= end {
        return Ok(());
    }
    let reason =
        format!("it was built on position {position} of a journal that ends at position {end}");
    Err(Error::corrupt_value(reason, revision))
}
