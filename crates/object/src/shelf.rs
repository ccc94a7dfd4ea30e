//! Which documents there are.
//!
//! A list tells names and sizes. A tombstone is short, so what is longer than the longest of that
//! name is a document; what is not is read to see, and so is every object whose key tells only a
//! digest of the name. Damage hides nothing: what can't be read is listed, and told when it is read.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sessile_core::Error;
use sessile_core::backend::{Collection, DocKey};
use sessile_core::id::{Name, Space};
use sessile_core::spelling::Told;

use crate::client::Listed;
use crate::document::{self, LONGEST_LINE};
use crate::keys::Keys;
use crate::page;
use crate::place::Place;

/// How many objects are read at a time.
const TOGETHER: usize = 16;

/// A document by its name, and the object to read where it may be a tombstone.
type Candidate = (Name, Option<Listed>);

/// A page of a collection's documents in the order of names.
///
/// It lists the whole collection, since keys stand in another order than names do, and reads the
/// short objects that the page would show.
///
/// # Errors
/// *unavailable*, *permission*; *corrupt* where a name stands in an object only that can't be read.
pub(crate) async fn documents(
    place: &Place,
    collection: &Collection,
    after: Option<&Name>,
    limit: usize,
) -> Result<Vec<Name>, Error> {
    page::check_limit(limit)?;
    let mut candidates = candidates(place, collection).await?;
    candidates.retain(|(name, _)| after.is_none_or(|after| name > after));
    candidates.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let living = stream::iter(candidates).map(|(name, to_see)| async {
        let is_living = match to_see {
            None => true,
            Some(listed) => is_living(place, &listed).await?,
        };
        Ok::<_, Error>(is_living.then_some(name))
    });
    let living = living.buffered(TOGETHER).try_filter_map(|name| async { Ok(name) });
    living.take(limit).try_collect().await
}

async fn candidates(place: &Place, collection: &Collection) -> Result<Vec<Candidate>, Error> {
    let mut candidates = Vec::new();
    let mut untold = Vec::new();
    for listed in place.client.list_all(&place.keys.collection(collection), None).await? {
        match Keys::name_of(&listed.path) {
            Told::Name(name) => {
                let key = DocKey { collection: collection.clone(), name };
                // Only what is listed where its name is spelled is its object.
                if place.keys.document(&key) == listed.path {
                    let to_see = may_be_tombstone(&listed, &key).then_some(listed);
                    candidates.push((key.name, to_see));
                }
            }
            Told::Inside => untold.push(listed),
            Told::Nothing => {}
        }
    }
    let told = stream::iter(untold).map(|listed| async move {
        let Some(start) = start(place, &listed).await? else { return Ok(None) };
        let (name, is_deleted) = document::name_of(&start)?;
        Ok::<_, Error>((!is_deleted).then_some((name, None)))
    });
    let told = told.buffer_unordered(TOGETHER).try_filter_map(|told| async { Ok(told) });
    candidates.extend(told.try_collect::<Vec<Candidate>>().await?);
    Ok(candidates)
}

fn may_be_tombstone(listed: &Listed, key: &DocKey) -> bool {
    listed.bytes <= document::longest_tombstone(key)
}

/// Whether an object is no tombstone.
async fn is_living(place: &Place, listed: &Listed) -> Result<bool, Error> {
    let Some(start) = start(place, listed).await? else { return Ok(false) };
    Ok(document::name_of(&start).map_or(true, |(_, is_deleted)| !is_deleted))
}

/// What an object begins with, its first line at least; none if it is gone.
async fn start(place: &Place, listed: &Listed) -> Result<Option<Bytes>, Error> {
    if listed.bytes == 0 {
        // Of nothing no part can be asked for.
        return Ok(Some(Bytes::new()));
    }
    place.client.get_start(&listed.path, LONGEST_LINE).await
}

/// Whether a space has any document. Tombstones are read until one is found.
///
/// # Errors
/// *unavailable*, *permission*.
pub(crate) async fn has_any(place: &Place, space: &Space) -> Result<bool, Error> {
    let mut listed = place.client.list(&place.keys.collections(space), None);
    while let Some(listed) = listed.try_next().await? {
        if listed.bytes > LONGEST_LINE || is_living(place, &listed).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
