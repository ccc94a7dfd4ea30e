//! Which spaces there are.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sessile_core::Error;
use sessile_core::id::{SessionKey, Space};

use crate::page;
use crate::place::Place;
use crate::shelf;

/// How many spaces are looked into at a time.
const TOGETHER: usize = 8;

/// A page of the spaces that hold a session or a document, in the order of names.
///
/// It asks for all folders, and for each space of the page once or twice for the first thing in
/// it.
///
/// # Errors
/// *unavailable*, *permission*.
pub(crate) async fn spaces(
    place: &Place,
    after: Option<&Space>,
    limit: usize,
) -> Result<Vec<Space>, Error> {
    page::check_limit(limit)?;
    let folders = place.client.folders(&place.keys.spaces()).await?;
    let mut spaces: Vec<Space> =
        folders.iter().filter_map(|folder| place.keys.space_of(folder)).collect();
    spaces.retain(|space| after.is_none_or(|after| space > after));
    spaces.sort_unstable();
    let held = stream::iter(spaces).map(|space| async {
        let is_held = has_session(place, &space).await? || shelf::has_any(place, &space).await?;
        Ok::<_, Error>(is_held.then_some(space))
    });
    let held = held.buffered(TOGETHER).try_filter_map(|space| async { Ok(space) });
    held.take(limit).try_collect().await
}

/// Whether a space has a session: one that has a log.
async fn has_session(place: &Place, space: &Space) -> Result<bool, Error> {
    let mut listed = place.client.list(&place.keys.sessions(space), None);
    while let Some(listed) = listed.try_next().await? {
        let Some(id) = place.keys.session_of(space, &listed.path) else { continue };
        let key = SessionKey { space: space.clone(), id };
        if place.keys.session(&key).number_of(&listed.path).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
