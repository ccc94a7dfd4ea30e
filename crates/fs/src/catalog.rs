//! The catalogs: what is noted of the journals of a space, shared by all who use the store.
//!
//! A catalog is derived (docs/adr/0010-catalog-index.md): it may be deleted at any time. It is never
//! synced, and believed within one boot of the machine only, because of one rule: *a journal has no
//! change that the catalog does not tell of, unless the catalog tells that somebody has it open*.
//! So whoever is about to change a journal writes that first, and how it is left when it lets go of
//! it.

mod fields;
mod label;
mod line;
mod numbers;
mod row;
mod by_id;
mod packed;
mod packing;
mod orders;
mod standing;
mod entry;
mod index;
mod taking;
mod holder;
mod folding;
mod adding;
mod reading;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use sessile_core::backend::Gist;
use sessile_core::commit::Tip;
use sessile_core::error::Error;
use sessile_core::id::{SessionId, SessionKey, Space};
use sessile_core::spelling;

use self::adding::Adding;
pub(crate) use self::adding::Marked;
use self::folding::RECENCY;
pub(crate) use self::index::Index;
use self::line::Line;
pub(crate) use self::orders::Place;
pub(crate) use self::reading::Reading;
pub(crate) use self::standing::Standing;
use crate::failure;
use crate::note::{Note, Noted};
use crate::root::{CATALOG, Root, SESSIONS};

/// How many gists a backend remembers that it could not write yet.
const MOST_GISTS: usize = 1 << 14;

/// The catalogs of a store, as one backend knows them.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    shelves: Mutex<HashMap<Space, Arc<Shelf>>>,
    /// What was noted of sessions that somebody has open.
    gists: Mutex<HashMap<SessionKey, Arc<Gist>>>,
}

/// The catalog of one space.
#[derive(Debug)]
struct Shelf {
    /// The path of its file.
    path: PathBuf,
    reading: Mutex<Reading>,
    adding: Mutex<Adding>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shelf {
    fn of(root: &Path, space: &Space) -> Self {
        let below = root.join("spaces").join(spelling::of_space(space));
        let catalog = below.join(CATALOG).join(RECENCY);
        Self {
            reading: Mutex::new(Reading::of(below.join(SESSIONS), catalog.clone())),
            adding: Mutex::new(Adding::to(catalog.clone())),
            path: catalog,
        }
    }
}

impl Catalog {
    fn shelf(&self, root: &Root, space: &Space) -> Arc<Shelf> {
        let mut shelves = locked(&self.shelves);
        if let Some(shelf) = shelves.get(space) {
            return Arc::clone(shelf);
        }
        let new = Arc::new(Shelf::of(root.path(), space));
        shelves.insert(space.clone(), Arc::clone(&new));
        new
    }

    /// Takes note of what may be shown of a session.
    pub(crate) fn note(&self, key: &SessionKey, gist: Arc<Gist>) {
        let mut gists = locked(&self.gists);
        if gists.len() >= MOST_GISTS && !gists.contains_key(key) {
            gists.clear();
        }
        gists.insert(key.clone(), gist);
    }

    /// What was noted of a session at an end.
    pub(crate) fn gist(&self, key: &SessionKey, tip: Tip) -> Option<Arc<Gist>> {
        locked(&self.gists).get(key).filter(|gist| gist.tip == tip).cloned()
    }

    /// A note with what may be shown of the session.
    pub(crate) fn noted(&self, key: &SessionKey, note: Note) -> Noted {
        let gist = self.gist(key, note.tip);
        Noted::of(note, gist)
    }

    /// Forgets what was noted of a session.
    pub(crate) fn forget(&self, key: &SessionKey) {
        locked(&self.gists).remove(key);
    }

    /// Forgets all that was noted and is not written.
    pub(crate) fn forget_all(&self) {
        locked(&self.gists).clear();
    }

    /// Tells that a journal is going to be changed, unless the catalog tells so already; it is
    /// closed again by [`close`](Self::close).
    pub(crate) fn mark(&self, root: &Root, key: &SessionKey, marked: &mut Option<Marked>) {
        let kept = self.shelf(root, &key.space);
        // Asked without the lock, which others hold while they write: each append asks.
        if marked.as_ref().is_none_or(|marked| !marked.is_told_in(&kept.path)) {
            let told = marked.take();
            *marked = locked(&kept.adding).mark(root, &key.space, &key.id, told);
        }
    }

    /// Whether the catalog tells that a journal is going to be changed.
    pub(crate) fn tells(&self, root: &Root, key: &SessionKey, marked: Option<&Marked>) -> bool {
        marked.is_some_and(|marked| marked.is_told_in(&self.shelf(root, &key.space).path))
    }

    /// Tells how journals are left, whose locks are held.
    pub(crate) fn close(
        &self,
        root: &Root,
        space: &Space,
        closed: Vec<(SessionId, Marked, Option<Note>)>,
    ) {
        let kept = self.shelf(root, space);
        let closed: Vec<_> = closed
            .into_iter()
            .map(|(id, marked, note)| {
                let key = SessionKey { space: space.clone(), id };
                let noted = note.map(|note| self.noted(&key, note));
                if noted.as_ref().is_some_and(|noted| noted.gist.is_some()) {
                    locked(&self.gists).remove(&key);
                }
                (key.id, marked.mark, noted)
            })
            .collect();
        let found = {
            let reading = locked(&kept.reading);
            let unsaved = reading
                .index
                .entries()
                .filter(|(_, entry)| entry.is_unsaved && entry.is_sure && entry.holders.is_empty());
            let noted = unsaved.filter_map(|(id, entry)| Some((id.clone(), entry.noted.clone()?)));
            (reading.inode(), noted.collect())
        };
        // The journals are as they should be whether this succeeds or not.
        let _left_open = locked(&kept.adding).close(root, space, closed, found);
    }

    /// Tells what was noted of journals after they were let go of, and which there are, so that who
    /// comes later need not look or ask the folder.
    pub(crate) fn tell_rest(&self, root: &Root) {
        let gists = std::mem::take(&mut *locked(&self.gists));
        let mut told: HashMap<Space, Vec<Line>> = HashMap::new();
        for (SessionKey { space, id }, gist) in gists {
            told.entry(space).or_default().push(Line::Told(id, gist));
        }
        let shelves: Vec<_> = locked(&self.shelves)
            .iter()
            .map(|(space, shelf)| (space.clone(), Arc::clone(shelf)))
            .collect();
        for (space, shelf) in shelves {
            let mut reading = locked(&shelf.reading);
            let Some(inode) = locked(&shelf.adding).added_to() else { continue };
            if let Some(lines) = told.remove(&space) {
                let _left_to_others = locked(&shelf.adding).tell(root, &space, inode, &lines);
            }
            let lines = match reading.follow_only(root, &space) {
                Ok(Some(folder)) => reading.names_to_tell(&folder),
                _ => None,
            };
            if let Some((inode, lines)) = lines {
                let _left_to_others = locked(&shelf.adding).tell(root, &space, inode, &lines);
            }
            let _left_as_it_is = locked(&shelf.adding).fold_rest(root, &space);
        }
    }

    /// Drops what may be shown of a session, for good: data is removed from it physically.
    ///
    /// # Errors
    /// *unavailable* where it can't be removed from the catalog.
    pub(crate) fn scrub(&self, root: &Root, key: &SessionKey) -> Result<(), Error> {
        locked(&self.gists).remove(key);
        let kept = self.shelf(root, &key.space);
        let scrubbed = locked(&kept.adding).scrub(root, &key.space, &key.id);
        scrubbed.map_err(|error| failure::unavailable("its notes can't be removed", error))
    }

    /// Works with what was read of the catalog of a space.
    pub(crate) fn reading<T>(
        &self,
        root: &Root,
        space: &Space,
        work: impl FnOnce(&mut Reading) -> T,
    ) -> T {
        let kept = self.shelf(root, space);
        let mut reading = locked(&kept.reading);
        work(&mut reading)
    }

    /// Works with what was read of the catalog of a space, if nobody else does so just now.
    pub(crate) fn reading_now<T>(
        &self,
        root: &Root,
        space: &Space,
        work: impl FnOnce(&mut Reading) -> T,
    ) -> Option<T> {
        let kept = self.shelf(root, space);
        let reading = match kept.reading.try_lock() {
            Ok(reading) => Some(reading),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        reading.map(|mut reading| work(&mut reading))
    }
}

#[cfg(test)]
mod tests;
