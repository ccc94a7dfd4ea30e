//! Listing journals and spaces: which there are, the names of files say; the order of recency,
//! the catalog as far as it can be relied upon, and the journals themselves.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use sessile_core::backend::{Head, Recency, Recent, Scope, Seen};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::header;
use sessile_core::id::{SessionId, SessionKey, Space};
use sessile_core::spelling;
use sessile_core::time::UnixMillis;

use crate::catalog::{Catalog, Index, Place, Reading, Standing};
use crate::door::Folder;
use crate::failure;
use crate::header as header_line;
use crate::identity::Identity;
use crate::journals::Shelves;
use crate::look::{self, Look};
use crate::note::{Note, Noted};
use crate::page::check_limit;
use crate::root::{self, Root, SESSIONS};

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

/// A page of a scope, newest first, if all of it is known without a look at any journal: then it
/// takes two questions to the system, which need no thread that may block.
pub(crate) fn at_hand(
    at: &Shelves,
    space: &Space,
    scope: &Scope,
    (after, limit): (Option<&Recency>, usize),
) -> Option<Vec<Recent>> {
    let page = |reading: &mut Reading| {
        if limit == 0 || !reading.is_current() || !reading.index.unscoped(scope).is_empty() {
            return None;
        }
        let index = &reading.index;
        let mut rows = Vec::with_capacity(limit.min(index.len()));
        for standing in index.after(scope, after).take(limit) {
            let (place, gist) = standing.shown()?;
            let gist = match gist {
                Some(gist) => gist,
                None => Arc::clone(index.get(&place.1)?.gist()?),
            };
            rows.push(row(place, Ok(Seen::Gist(gist))));
        }
        Some(rows)
    };
    at.catalog.reading_now(&at.root, space, page).flatten()
}

fn row((Reverse(updated_at), id): Place, seen: Result<Seen, Error>) -> Recent {
    Recent { recency: Recency { updated_at, id }, seen }
}

/// A page of a scope, newest first.
///
/// Each session's place is told by a note that holds, or else by a look. Either is a function of
/// what the store holds, so that while nothing is written the order is the same for every page,
/// and pages neither skip nor repeat; also where a note tells a wrong time, for rows are shown, and
/// gone on after, where the order has them and not where their heads would.
pub(crate) fn recent(
    at: &Shelves,
    space: &Space,
    scope: &Scope,
    (after, limit): (Option<&Recency>, usize),
    deadline: Duration,
) -> Result<Vec<Recent>, Error> {
    check_limit(limit)?;
    let page = |reading: &mut Reading| {
        let Some(folder) = reading.refresh(&at.root, space)? else {
            return Ok(Vec::new());
        };
        if std::mem::take(&mut reading.was_replaced) {
            // What this handle has noted may tell what was removed, and what that was is not told.
            at.catalog.forget_all();
        }
        let mut listing = Listing {
            folder,
            catalog: &at.catalog,
            index: &mut reading.index,
            space,
            deadline,
            after: after.cloned(),
            limit: if scope.is_empty() { limit } else { usize::MAX },
            heads: BTreeMap::new(),
            held: HashSet::new(),
        };
        listing.make_sure();
        listing.learn_scopes(scope)?;
        Ok(listing.rows(scope, limit))
    };
    at.catalog.reading(&at.root, space, page)
}

/// A listing of one space's sessions.
struct Listing<'a> {
    folder: Folder,
    catalog: &'a Catalog,
    index: &'a mut Index,
    space: &'a Space,
    deadline: Duration,
    after: Option<Recency>,
    /// How many heads are kept of those that have to be looked at.
    limit: usize,
    /// Of those that had to be looked at, as many as the page may show.
    heads: BTreeMap<Place, Result<Head, Error>>,
    /// Those that somebody has open, and whose note holds all the same.
    held: HashSet<SessionId>,
}

impl Listing<'_> {
    fn key(&self, id: &SessionId) -> SessionKey {
        SessionKey { space: self.space.clone(), id: id.clone() }
    }

    /// Finds out where those stand of which that is not sure.
    fn make_sure(&mut self) {
        for id in self.index.unsure() {
            let key = self.key(&id);
            let seen = match self.folder.look(&root::journal_name(&key)) {
                Ok(seen) => Some(seen),
                Err(error) if failure::is_missing(&error) => {
                    self.index.displace(&id);
                    continue;
                }
                Err(_) => None,
            };
            if !seen.as_ref().is_some_and(|seen| self.still_holds(&key, seen)) {
                self.look_for(&key, seen.as_ref());
            }
        }
    }

    /// Whether the note on a journal holds; it stands where that tells.
    fn still_holds(&mut self, key: &SessionKey, seen: &Identity) -> bool {
        let Some(entry) = self.index.get(&key.id) else { return false };
        let Some(noted) = &entry.noted else { return false };
        if !noted.note.holds(&self.folder, &root::journal_name(key), seen) {
            return false;
        }
        let is_copy = noted.note.inode != seen.inode();
        let note = Note { inode: seen.inode(), ..noted.note.clone() };
        let gist = noted.gist.clone().filter(|_| !is_copy);
        let gist = gist.or_else(|| self.catalog.gist(key, note.tip));
        let is_new = is_copy || gist != noted.gist;
        let updated_at = note.updated_at;
        let noted = Noted { note, gist };
        if entry.holders.is_empty() {
            self.index.prove(&key.id, is_new.then_some(noted));
        } else {
            self.index.found(&key.id, noted);
            self.index.place(&key.id, updated_at);
            self.held.insert(key.id.clone());
        }
        true
    }

    /// Looks where a journal stands.
    fn look_for(&mut self, key: &SessionKey, seen: Option<&Identity>) {
        let Some(look) = self.look(key) else {
            self.index.displace(&key.id);
            return;
        };
        let head = match look {
            Ok(look) => {
                if let Ok(header) = header::read(&look.header.entry) {
                    self.index.learn(&key.id, Scope::of(&header));
                }
                self.remember(key, &look, seen);
                Ok(look.head())
            }
            Err(error) => Err(error),
        };
        let updated_at = head.as_ref().map_or_else(|_| UnixMillis::default(), |it| it.updated_at);
        self.index.place(&key.id, updated_at);
        let recency = Recency { updated_at, id: key.id.clone() };
        if self.after.as_ref().is_none_or(|after| recency.is_after(after)) {
            self.heads.insert((Reverse(updated_at), key.id.clone()), head);
            if self.heads.len() > self.limit {
                self.heads.pop_last();
            }
        }
    }

    /// Notes what a look told.
    fn remember(&mut self, key: &SessionKey, look: &Look, seen: Option<&Identity>) {
        let (end, Some(seen)) = (&look.end, seen) else { return };
        if !look.is_sound() {
            return;
        }
        let file = (&*look.file, seen);
        let tip = (end.extent.tip, end.extent.end);
        let Ok(note) = Note::of(file, tip, end.last_word.updated_at) else { return };
        let noted = self.catalog.noted(key, note);
        if self.index.get(&key.id).is_some_and(|entry| entry.holders.is_empty()) {
            self.index.prove(&key.id, Some(noted));
        } else {
            self.index.found(&key.id, noted);
        }
    }

    /// Looks at a journal; none if it is gone since its name was read.
    fn look(&self, key: &SessionKey) -> Option<Result<Look, Error>> {
        match look::look_within(&self.folder, key, self.deadline) {
            Ok(look) => Some(Ok(look)),
            Err(error) if error.kind() == ErrorKind::Missing => None,
            Err(error) => Some(Err(error.about(key))),
        }
    }

    /// Reads the headers of those of which nobody knows whether they are in a scope.
    ///
    /// # Errors
    /// *unavailable* where one can't be read just now: without it the page would look as if it were
    /// not there.
    fn learn_scopes(&mut self, scope: &Scope) -> Result<(), Error> {
        for id in self.index.unscoped(scope) {
            let key = self.key(&id);
            let line = match self.folder.file_to_read(&root::journal_name(&key)) {
                Ok(file) => header_line::read(&file, &key),
                Err(error) if failure::is_missing(&error) => continue,
                Err(error) => Err(failure::unavailable("the journal can't be opened", error)),
            };
            match line.and_then(|line| header::read(&line.entry)) {
                Ok(header) => self.index.learn(&id, Scope::of(&header)),
                Err(error) if error.kind() == ErrorKind::Unavailable => {
                    return Err(error.about(&key));
                }
                // One that is damaged is in no scope.
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn rows(mut self, scope: &Scope, limit: usize) -> Vec<Recent> {
        let mut rows = Vec::new();
        let mut heads = std::mem::take(&mut self.heads);
        let mut found = Vec::new();
        for standing in self.index.after(scope, self.after.as_ref()) {
            if rows.len() == limit {
                break;
            }
            let place = match standing {
                Standing::Known(place) => place,
                Standing::Packed(..) => {
                    if let Some((place, Some(gist))) = standing.shown() {
                        rows.push(row(place, Ok(Seen::Gist(gist))));
                    }
                    continue;
                }
            };
            let key = self.key(&place.1);
            if let Some(head) = heads.remove(place) {
                rows.push(row(place.clone(), self.seen(&key, head)));
                continue;
            }
            let entry = self.index.get(&place.1);
            let is_sure = entry.is_some_and(|entry| entry.is_sure && entry.holders.is_empty());
            let noted = entry.and_then(|entry| entry.noted.as_ref());
            let noted = noted.filter(|_| is_sure || self.held.contains(&place.1));
            if let Some(noted) = noted {
                let gist = noted.gist.clone();
                let later = || self.catalog.gist(&key, noted.note.tip);
                if let Some(gist) = gist.or_else(later) {
                    if noted.gist.is_none() {
                        found.push((
                            place.1.clone(),
                            Noted { gist: Some(Arc::clone(&gist)), ..noted.clone() },
                        ));
                    }
                    rows.push(row(place.clone(), Ok(Seen::Gist(gist))));
                    continue;
                }
            }
            if let Some(head) = self.look(&key) {
                rows.push(row(place.clone(), self.seen(&key, head.map(|look| look.head()))));
            }
        }
        for (id, noted) in found {
            self.index.tell(&id, noted);
        }
        rows
    }

    /// What is shown of a journal that was looked at: what was noted of it at that end, or its head.
    fn seen(&self, key: &SessionKey, head: Result<Head, Error>) -> Result<Seen, Error> {
        let head = head?;
        let gist = head.tail.is_none().then(|| self.catalog.gist(key, head.tip)).flatten();
        Ok(gist.map_or_else(|| head.into(), Seen::Gist))
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
