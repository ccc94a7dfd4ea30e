//! Listing journals and spaces: which there are, the names of files say; the order of recency,
//! notes and heads.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use sessile_core::backend::{Head, Recency, Recent, Scope, Seen};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionId, SessionKey, Space};
use sessile_core::spelling;
use sessile_core::time::UnixMillis;

use crate::catalog::{Catalog, Noted};
use crate::door::Folder;
use crate::failure;
use crate::identity::Identity;
use crate::look::{self, Look};
use crate::note::Note;
use crate::root::{self, Root, SESSIONS};

/// Refuses a page of no rows: it could not be told from the end of the list.
pub(crate) fn check_limit(limit: usize) -> Result<(), Error> {
    if limit > 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Refused, "a page needs room for at least one row"))
}

/// The ids of all journals in a space's folder.
fn ids(folder: &Folder) -> Result<Vec<SessionId>, Error> {
    let names = folder
        .names()
        .map_err(|error| failure::unavailable("the sessions can't be listed", error))?;
    let id = |name: &String| spelling::to_session(name.strip_suffix(".jsonl")?);
    Ok(names.iter().filter_map(id).collect())
}

/// A page of journals in the order of ids.
pub(crate) fn journals(
    root: &Root,
    space: &Space,
    after: Option<&SessionId>,
    limit: usize,
) -> Result<Vec<SessionId>, Error> {
    check_limit(limit)?;
    let Some(folder) = root.folder(space, SESSIONS)? else {
        return Ok(Vec::new());
    };
    let mut ids = ids(&folder)?;
    ids.retain(|id| after.is_none_or(|after| id > after));
    ids.sort_unstable();
    ids.truncate(limit);
    Ok(ids)
}

/// Where a session stands in the order of recency; ids order those of one time.
type Place = (Reverse<UnixMillis>, SessionId);

/// A page of heads, newest first.
///
/// Each session's place is told by a note that its file bears out, or else by a look. Either is
/// a function of what the store holds, so that while nothing is written the order is the same
/// for every page, and pages neither skip nor repeat; also where a note tells a wrong time, for
/// rows are shown, and gone on after, where the order has them and not where their heads would.
pub(crate) fn recent(
    (root, catalog): (&Root, &Catalog),
    space: &Space,
    scope: &Scope,
    (after, limit): (Option<&Recency>, usize),
    deadline: Duration,
) -> Result<Vec<Recent>, Error> {
    check_limit(limit)?;
    let Some(folder) = root.folder(space, SESSIONS)? else {
        return Ok(Vec::new());
    };
    let listing = Listing { folder, catalog, noted: catalog.noted(root, space), deadline };
    let mut places = Vec::new();
    // Of those that had to be looked at, as many as the page may show.
    let mut heads = BTreeMap::new();
    for id in ids(&listing.folder)? {
        let key = SessionKey { space: space.clone(), id };
        let Some((updated_at, head)) = listing.place(&key) else {
            continue;
        };
        let recency = Recency { updated_at, id: key.id };
        if after.is_some_and(|after| !recency.is_after(after)) {
            continue;
        }
        let place: Place = (Reverse(updated_at), recency.id);
        if let Some(head) = head {
            heads.insert(place.clone(), head);
            if heads.len() > limit && scope.is_empty() {
                heads.pop_last();
            }
        }
        places.push(place);
    }
    places.sort_unstable();
    let rows = places.into_iter().filter_map(|place| {
        let head = heads.remove(&place);
        let (Reverse(updated_at), id) = place;
        let key = SessionKey { space: space.clone(), id };
        let head = match head {
            Some(head) => head,
            None => listing.look(&key)?.map(|look| look.head()),
        };
        let is_in = |head: &Head| scope.takes_entry(&head.header);
        head.as_ref().map_or(scope.is_empty(), is_in).then(|| {
            let seen = head.map(Seen::from);
            Recent { recency: Recency { updated_at, id: key.id }, seen }
        })
    });
    Ok(rows.take(limit).collect())
}

/// A listing of one space's sessions.
struct Listing<'a> {
    folder: Folder,
    catalog: &'a Catalog,
    noted: Noted,
    deadline: Duration,
}

impl Listing<'_> {
    /// When a caller last added something to a journal, and its head if that took a look; none if
    /// the journal is gone since its name was read.
    fn place(&self, key: &SessionKey) -> Option<(UnixMillis, Option<Result<Head, Error>>)> {
        let name = root::journal_name(key);
        let seen = match self.folder.look(&name) {
            Ok(seen) => Some(seen),
            Err(error) if failure::is_missing(&error) => return None,
            Err(_) => None,
        };
        if let Some(seen) = &seen {
            let holds = |note: &&Note| note.holds(&self.folder, &name, seen);
            if let Some(note) = self.noted.on(&key.id).find(holds) {
                return Some((note.updated_at, None));
            }
        }
        let look = self.look(key)?;
        if let (Ok(look), Some(seen)) = (&look, &seen) {
            self.remember(key, look, seen);
        }
        let head = look.map(|look| look.head());
        let updated_at = head.as_ref().map_or_else(|_| UnixMillis::default(), |it| it.updated_at);
        Some((updated_at, Some(head)))
    }

    /// Looks at a journal; none if it is gone since its name was read.
    fn look(&self, key: &SessionKey) -> Option<Result<Look, Error>> {
        match look::look_within(&self.folder, key, self.deadline) {
            Ok(look) => Some(Ok(look)),
            Err(error) if error.kind() == ErrorKind::Missing => None,
            Err(error) => Some(Err(error.about(key))),
        }
    }

    /// Notes what a look told, for this backend's next page.
    fn remember(&self, key: &SessionKey, look: &Look, seen: &Identity) {
        let end = &look.end;
        if look.is_sound()
            && let Ok(note) =
                Note::of(&key.id, (&look.file, seen), end.extent.end, end.last_word.updated_at)
        {
            self.catalog.saw(&key.space, note);
        }
    }
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
    let mut spaces: Vec<Space> = names.iter().filter_map(|name| spelling::to_space(name)).collect();
    spaces.sort_unstable();
    let rest = spaces.into_iter().filter(|space| after.is_none_or(|after| space > after));
    Ok(rest.take(limit).collect())
}
