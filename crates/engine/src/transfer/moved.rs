//! A move that was cut short behind the deletion of its source: what it had left to do.

use std::sync::Arc;

use sessile_core::{Error, ErrorKind};

use super::copied::Copied;
use super::twin::{self, Place};
use crate::resident::Resident;
use crate::session::Session;

/// Completes the move of a session that is deleted at its source: ends the request that held it
/// there.
///
/// It goes by the journals alone. Where the target begins with all that the source had, nothing was
/// lost by the move; what it has behind that is its own life, in which a request that was let in
/// there stays as it is.
///
/// # Errors
/// *deleted* where it was not deleted by a move, or not by one to here; those of reading and of
/// giving the request up.
pub(super) async fn complete(source: &Place, target: &Place) -> Result<Copied, Error> {
    let Some(moved) = twin::moved(source, target).await? else {
        return Err(Error::new(ErrorKind::Deleted, "it was deleted").about(&source.key));
    };
    let mut copied = Copied {
        session: source.key.id.clone(),
        position: moved.position,
        commits: moved.commits,
        added: 0,
        interrupted: moved.interrupted,
    };
    let Place { opened, key } = target;
    let session = Session::new(Resident::load(Arc::clone(opened), key.clone()).await?);
    let active = session.info().active;
    let brought = active.filter(|it| it.claim.number() < moved.position.number());
    if let Some(active) = brought {
        session.abandon(&active, twin::INTERRUPTED, None).await?;
        copied.interrupted = Some(active.request);
    }
    Ok(copied)
}
