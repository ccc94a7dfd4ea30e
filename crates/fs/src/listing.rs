//! Listing journals and spaces, from the names of files and the heads of journals.

use std::time::Duration;

use sessile_core::backend::{Recency, Recent};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionId, SessionKey, Space};
use sessile_core::time::UnixMillis;

use crate::failure;
use crate::look;
use crate::name;
use crate::root::{Root, SESSIONS};

/// Refuses a page of no rows: it could not be told from the end of the list.
pub(crate) fn check_limit(limit: usize) -> Result<(), Error> {
    if limit > 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Refused, "a page needs room for at least one row"))
}

/// The ids of all journals of a space, in order.
fn ids(root: &Root, space: &Space) -> Result<Vec<SessionId>, Error> {
    let Some(folder) = root.folder(space, SESSIONS)? else {
        return Ok(Vec::new());
    };
    let names = folder
        .names()
        .map_err(|error| failure::unavailable("the sessions can't be listed", error))?;
    let id = |name: &String| name::to_session(name.strip_suffix(".jsonl")?);
    let mut ids: Vec<SessionId> = names.iter().filter_map(id).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// A page of journals in the order of ids.
pub(crate) fn journals(
    root: &Root,
    space: &Space,
    after: Option<&SessionId>,
    limit: usize,
) -> Result<Vec<SessionId>, Error> {
    check_limit(limit)?;
    let ids = ids(root, space)?;
    let rest = ids.into_iter().filter(|id| after.is_none_or(|after| id > after));
    Ok(rest.take(limit).collect())
}

/// A page of heads, newest first.
pub(crate) fn recent(
    root: &Root,
    space: &Space,
    after: Option<&Recency>,
    limit: usize,
    deadline: Duration,
) -> Result<Vec<Recent>, Error> {
    check_limit(limit)?;
    let mut rows = Vec::new();
    for id in ids(root, space)? {
        let key = SessionKey { space: space.clone(), id };
        let head = match look::look(root, &key, deadline) {
            Ok(look) => Ok(look.into_head()),
            // It was there when the names were read.
            Err(error) if error.kind() == ErrorKind::Missing => continue,
            Err(error) => Err(error.about(&key)),
        };
        let updated_at =
            head.as_ref().map_or_else(|_| UnixMillis::default(), |head| head.updated_at);
        let recency = Recency { updated_at, id: key.id };
        if after.is_none_or(|after| recency.is_after(after)) {
            rows.push(Recent { recency, head });
        }
    }
    rows.sort_unstable_by(|a, b| {
        let newest_first = b.recency.updated_at.cmp(&a.recency.updated_at);
        newest_first.then_with(|| a.recency.id.cmp(&b.recency.id))
    });
    rows.truncate(limit);
    Ok(rows)
}

/// A page of spaces in the order of names.
pub(crate) fn spaces(
    root: &Root,
    after: Option<&Space>,
    limit: usize,
) -> Result<Vec<Space>, Error> {
    check_limit(limit)?;
    let Some(folder) = root.spaces()? else {
        return Ok(Vec::new());
    };
    let names = folder
        .names()
        .map_err(|error| failure::unavailable("the spaces can't be listed", error))?;
    let mut spaces: Vec<Space> = names.iter().filter_map(|name| name::to_space(name)).collect();
    spaces.sort_unstable();
    let rest = spaces.into_iter().filter(|space| after.is_none_or(|after| space > after));
    Ok(rest.take(limit).collect())
}
