//! The catalogs: what was noted of the journals of a space, a line a note.
//!
//! A catalog is derived and never trusted (docs/adr/0004-catalog.md): which sessions there are is
//! for the names of their files to say, and each note is checked against its journal. So a
//! catalog may be deleted, old, damaged or another store's; it is never synced and nobody locks
//! it; and what can't be written is left stale. All that a note does is to spare a look.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sessile_core::id::{SessionId, Space};

use crate::blocks;
use crate::door::Folder;
use crate::note::Note;
use crate::root::{CATALOG, Root};
use crate::whole::WholeFile;

/// The file of a space's notes, in a folder of its own.
const RECENCY: &str = "recency";

/// A catalog is condensed when it has grown by so much, if half of it says nothing new.
const STEP: u64 = 256 << 10;

/// No more of a catalog is read than so much, from its end: half a million notes.
const MOST_READ: u64 = 64 << 20;

/// How many notes a backend remembers of its own looks.
const MOST_SEEN: usize = 1 << 14;

/// Notes by session.
type Notes = HashMap<SessionId, Note>;

/// The catalogs of a store, as one backend knows them.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    /// What its looks told. Whoever reads writes nothing, so these wait for something to be
    /// written by a writer.
    seen: Mutex<HashMap<Space, Notes>>,
}

/// What is noted of the journals of one space.
#[derive(Debug)]
pub(crate) struct Noted {
    written: Notes,
    seen: Notes,
}

impl Noted {
    /// The notes on a session.
    pub(crate) fn on(&self, id: &SessionId) -> impl Iterator<Item = &Note> {
        [self.written.get(id), self.seen.get(id)].into_iter().flatten()
    }
}

impl Catalog {
    fn seen(&self) -> MutexGuard<'_, HashMap<Space, Notes>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is noted of the journals of a space; a catalog that can't be read says nothing.
    pub(crate) fn noted(&self, root: &Root, space: &Space) -> Noted {
        let folder = root.folder(space, CATALOG).ok().flatten();
        let written = folder.and_then(|folder| read(&folder).ok());
        let seen = self.seen().get(space).cloned();
        Noted { written: written.unwrap_or_default(), seen: seen.unwrap_or_default() }
    }

    /// Remembers what a look told.
    pub(crate) fn saw(&self, space: &Space, note: Note) {
        let mut seen = self.seen();
        let seen = seen.entry(space.clone()).or_default();
        if seen.len() < MOST_SEEN || seen.contains_key(&note.id) {
            seen.insert(note.id.clone(), note);
        }
    }

    /// Writes what a writer knows of the journals that it lets go of, and what looks told before.
    pub(crate) fn write(&self, root: &Root, space: &Space, mut notes: Vec<Note>) {
        let seen = self.seen().remove(space);
        notes.extend(seen.unwrap_or_default().into_values());
        // The journals are as they should be whether this succeeds or not.
        let _left_stale =
            root.folder_or_made(space, CATALOG).is_ok_and(|folder| add(&folder, &notes).is_ok());
    }
}

/// Reads what is noted; lines that are no notes are skipped, whoever broke them.
fn read(folder: &Folder) -> io::Result<Notes> {
    let file = folder.file_to_read(RECENCY)?;
    let end = blocks::length(&file)?;
    let bytes = blocks::read(&file, end.saturating_sub(MOST_READ), end)?;
    let mut notes = Notes::new();
    for note in bytes.split(|byte| *byte == b'\n').filter_map(Note::from_line) {
        match notes.entry(note.id.clone()) {
            Entry::Occupied(mut other) if note.is_beyond(other.get()) => {
                other.insert(note);
            }
            Entry::Occupied(_) => {}
            Entry::Vacant(place) => {
                place.insert(note);
            }
        }
    }
    Ok(notes)
}

/// Adds notes in one write, which those of other processes don't come between.
fn add(folder: &Folder, notes: &[Note]) -> io::Result<()> {
    let lines: String = notes.iter().map(Note::to_line).collect();
    let file = folder.file_to_append(RECENCY)?;
    file.append(lines.as_bytes())?;
    let after = blocks::length(file.handle())?;
    let before = after.saturating_sub(u64::try_from(lines.len()).unwrap_or(0));
    if before / STEP == after / STEP { Ok(()) } else { condense(folder, after) }
}

/// Puts a catalog with one note a session in place of one that is more than twice as long.
///
/// What others add meanwhile may be lost with the old file; those journals are looked at then.
fn condense(folder: &Folder, length: u64) -> io::Result<()> {
    let lines: String = read(folder)?.values().map(Note::to_line).collect();
    if u64::try_from(lines.len()).is_ok_and(|kept| kept > length / 2) {
        return Ok(());
    }
    let whole = WholeFile::of(folder, lines.as_bytes())?;
    whole.put_in_place(RECENCY).map_err(|stopped| stopped.error)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sessile_core::time::UnixMillis;

    use super::*;

    #[test]
    fn a_catalog_does_not_grow_with_what_is_written_again_and_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let root = Root::at(&path, Arc::default()).unwrap();
        let space = Space::default();
        let file = tempfile::tempfile().unwrap();
        let made = root.folder_or_made(&space, CATALOG).unwrap();
        made.new_file("x").unwrap();
        let seen = made.look("x").unwrap();
        let catalog = Catalog::default();
        for round in 0..40 {
            let note = |number: u64| {
                let id = format!("s{number}").parse().unwrap();
                Note::of(&id, (&file, &seen), round, UnixMillis(round)).unwrap()
            };
            catalog.write(&root, &space, (0..300).map(note).collect());
            let length = made.look(RECENCY).unwrap().size;
            assert!(length < 2 * STEP, "{length} bytes in round {round}");
        }
        let noted = catalog.noted(&root, &space);
        for number in 0..300 {
            let id = format!("s{number}").parse().unwrap();
            assert_eq!(noted.on(&id).next().map(|note| note.updated_at), Some(UnixMillis(39)));
        }
    }
}
