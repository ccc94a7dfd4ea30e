//! Forgetting every binding of sessions that are gone.

use std::collections::BTreeSet;

use sessile_core::{Error, SessionId};
use sessile_interchange::binding::{self, Unreadable};

use super::map::Map;
use crate::kept::{Kept, Spot};
use crate::shelf::Shelf;

/// How many are looked at at once.
const PAGE: usize = 100;

/// The contexts that are bound to one of some sessions, as far as they are kept as documents, and
/// why one of the others could not be read.
///
/// # Errors
/// *unavailable*, *deadline*, *permission* where it can't be told which there are.
pub(super) async fn contexts(
    map: &Map,
    sessions: &BTreeSet<SessionId>,
) -> Result<(Vec<String>, Option<Error>), Error> {
    let Kept::Documents(shelf) = &map.kept else {
        return Ok((Vec::new(), None));
    };
    let (mut bound, mut unread, mut after) = (Vec::new(), None, None);
    loop {
        let rows = PAGE.min(shelf.limits().page_rows);
        let (page, next) = shelf.page(after.as_ref(), rows, |_, _| Ok(())).await?;
        for (name, row) in page {
            let is_bound = match row {
                Ok(()) => is_bound(shelf, &name, sessions).await,
                Err(error) => Err(error),
            };
            match is_bound {
                Ok(true) => bound.push(name.as_str().to_owned()),
                Ok(false) => {}
                Err(error) => unread = unread.or(Some(error)),
            }
        }
        match next {
            Some(name) => after = Some(name),
            None => return Ok((bound, unread)),
        }
    }
}

async fn is_bound(
    shelf: &Shelf,
    name: &sessile_core::Name,
    sessions: &BTreeSet<SessionId>,
) -> Result<bool, Error> {
    let spot = Spot::Document(shelf.clone(), name.clone());
    let stored = spot.read().await?;
    let bound = binding::get(stored.bytes.as_deref(), Unreadable::Refuse);
    let bound = bound.map_err(|error| spot.about(error, &stored))?;
    let session = bound.and_then(|bound| bound.session_id.parse::<SessionId>().ok());
    Ok(session.is_some_and(|session| sessions.contains(&session)))
}
