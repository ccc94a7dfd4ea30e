//! Erasing: what there is of an owner or a space is deleted and purged.

use std::sync::Arc;

use sessile_core::backend::{self, Capability, Collection, DocKey};
use sessile_core::{Error, ErrorKind, SessionKey, Space};

use super::ending;
use super::scope::Erasure;
use super::seen::{self, Course, Reach, Seen};
use super::verdict::{Erased, Left};
use crate::opened::Opened;
use crate::purge;

/// Why the tombstones say that their sessions were deleted.
const REASON: &str = "erased";

/// How many names of documents are asked for at once.
const BATCH: usize = 256;

/// Deletes and purges what an erasure names unless it is a rehearsal.
pub(crate) async fn erase(
    opened: &Arc<Opened>,
    space: &Space,
    erasure: &Erasure,
    dry_run: bool,
) -> Result<Erased, Error> {
    if !dry_run {
        erasure.check(space)?;
    }
    opened.requires(Capability::Purge)?;
    let mut erased = Erased::default();
    let mut found = Vec::new();
    // What can't be read may be anybody's, and is told.
    let mut course = Course::new(opened, space, backend::Scope::ALL);
    while let Some(Seen { key, seen }) = course.next().await? {
        match seen.and_then(|seen| Ok((erasure.scope().takes(&seen)?, seen.is_deleted()))) {
            Ok((true, deleted)) => found.push((key, deleted)),
            Ok((false, _)) => {}
            Err(why) => erased.left.push(Left { id: key.id, deleted: false, why }),
        }
    }
    let mut reach = Reach::default();
    let mut lost: Option<Error> = None;
    for (key, deleted) in found {
        if dry_run {
            erased.sessions.push(key.id);
            continue;
        }
        let id = key.id.clone();
        let ended = match &lost {
            Some(why) => Err((deleted, why.clone())),
            None => end(opened, key, deleted).await,
        };
        match ended {
            Ok(()) => {
                reach.answered();
                erased.sessions.push(id);
            }
            Err((deleted, why)) => {
                // That a purge has to wait says nothing of the next session.
                let waits = deleted && why.kind() == ErrorKind::Unavailable;
                if !waits && reach.is_lost_by(&why) {
                    lost = Some(why.clone());
                }
                erased.left.push(Left { id, deleted, why });
            }
        }
    }
    if lost.is_some() {
        return Ok(erased);
    }
    for name in erasure.emptied() {
        let collection = Collection { space: space.clone(), name: name.clone() };
        erased.documents += empty(opened, &collection, dry_run).await?;
    }
    Ok(erased)
}

/// Deletes and purges a session; where that fails, whether it is deleted at least.
async fn end(opened: &Arc<Opened>, key: SessionKey, deleted: bool) -> Result<(), (bool, Error)> {
    if !deleted {
        let deleting = async {
            match seen::living(opened, key.clone()).await? {
                Some(resident) => ending::delete(&resident, None, REASON).await,
                None => Ok(()),
            }
        };
        deleting.await.map_err(|error| (false, error))?;
    }
    purge::purge(opened, &key).await.map_err(|error| (true, error))
}

/// Deletes the documents of a collection; answers how many there were.
async fn empty(opened: &Arc<Opened>, collection: &Collection, dry_run: bool) -> Result<u64, Error> {
    let backend = opened.backend();
    let (mut count, mut after) = (0, None);
    loop {
        let names = backend.documents(collection, after.as_ref(), BATCH);
        let names = opened.deadline().bound(names).await.flatten()?;
        for name in &names {
            let key = DocKey { collection: collection.clone(), name: name.clone() };
            if dry_run || delete(opened, key).await? {
                count += 1;
            }
        }
        match names.last() {
            Some(last) if names.len() == BATCH => after = Some(last.clone()),
            _ => return Ok(count),
        }
    }
}

/// Deletes a document, also one that can't be read; answers whether it was there.
async fn delete(opened: &Opened, key: DocKey) -> Result<bool, Error> {
    loop {
        let deadline = opened.deadline();
        let revision = match deadline.bound(opened.backend().get(&key)).await.flatten() {
            Ok(document) => document.revision,
            Err(error) if error.kind() == ErrorKind::Missing => return Ok(false),
            Err(error) => match error.actual_revision() {
                Some(revision) if error.kind() == ErrorKind::Corrupt => revision,
                _ => return Err(error),
            },
        };
        let deleted = deadline.bound(opened.backend().delete(&key, revision)).await.flatten();
        match deleted {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::Missing => return Ok(true),
            // Somebody has put another value meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
}
