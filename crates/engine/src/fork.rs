//! Forking: a copy of a session up to an entry, which depends on nothing.
//!
//! Its header says that it is a copy, and it is whole once its own `forked` entry stands behind what
//! it took over. Until then nobody opens it or builds upon it, so that what was cut short is never
//! taken for a session, nor what was redacted in it for damage: the same call completes it.

mod cut;
mod removed;
mod prefix;
mod copy;

use std::sync::Arc;

use sessile_core::{Error, ErrorKind, Seq, SessionKey};

use self::copy::Copy;
use self::cut::Cut;
use crate::deadline::Backoff;
use crate::opened::Opened;
use crate::resident::Resident;

/// Copies a session up to the end of the commit that holds an entry, or up to its end, in a task
/// of its own.
///
/// What can't be read is left out, and the copy says so.
///
/// # Errors
/// *refused* for an entry that is not there; *forgotten* where what would be copied was; *exists*
/// when the id is something else's; *incomplete* where what was cut short can't be completed;
/// *deleted*, *unsupported*, and those of the backend.
pub(crate) async fn fork(
    source: &Arc<Resident>,
    key: SessionKey,
    at: Option<Seq>,
) -> Result<Resident, Error> {
    let opened = source.opened();
    let source = Arc::clone(source);
    let about = source.key().clone();
    let forking = async move {
        let cut = Cut::find(&source, at).await?;
        make(&source, key, &cut).await
    };
    opened.carry(Box::pin(forking)).await.map_err(|error| error.about(about))
}

/// Makes the copy, together with whoever makes the same one.
async fn make(source: &Resident, key: SessionKey, cut: &Cut) -> Result<Resident, Error> {
    let opened: &Arc<Opened> = source.opened();
    let mut backoff = Backoff::new();
    let mut reached = None;
    let mut deadline = opened.deadline();
    loop {
        let mut copy = Copy::begin(Arc::clone(opened), key.clone(), cut).await?;
        if reached.replace(copy.tip()).is_some_and(|reached| reached != copy.tip()) {
            // Somebody gets on with it.
            deadline = opened.deadline();
        }
        match copy.run(source).await {
            Ok(()) => return Resident::load(Arc::clone(opened), key).await,
            // It ends elsewhere now: the other has added to it, or what a crash left of a write was
            // set aside.
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Exists) => {
                if !backoff.wait(opened.entropy(), deadline).await {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
    }
}
