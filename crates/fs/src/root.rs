//! The root of a store: its marker, and the folders below it.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionKey, Space};
use sessile_core::spelling;

use crate::counts::Counters;
use crate::door::{self, Folder};
use crate::failure;
use crate::whole::{self, WholeFile};

/// The file that says what the root is.
const MARKER: &str = "sessile.json";

/// The version of the layout that this crate writes.
const LAYOUT: u32 = 1;

/// No marker is longer.
const MARKER_BYTES: u64 = 4 << 10;

/// What a marker says.
#[derive(Debug, Deserialize, Serialize)]
struct Marker {
    /// Always `store`.
    sessile: String,
    /// The version of the layout.
    format: u32,
}

/// The root of one store.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    counters: Arc<Counters>,
    /// The folders that were looked through for what dead writers have left.
    visited: Mutex<HashSet<String>>,
    /// The folders below spaces whose names, and those of all above them, this handle has synced.
    durable: Mutex<HashSet<(Space, String)>>,
}

impl Root {
    /// Looks at a place; makes nothing.
    pub(crate) fn at(path: &Path, counters: Arc<Counters>) -> Result<Self, Error> {
        let path = std::path::absolute(path)
            .map_err(|error| failure::unavailable("the store's path can't be resolved", error))?;
        // Spellings of one place (links, dots) become one; what does not exist has one already.
        let path = path.canonicalize().unwrap_or(path);
        let root = Self { path, counters, visited: Mutex::default(), durable: Mutex::default() };
        if let Some(above) = root.path.parent().and_then(store_around) {
            return Err(Error::new(
                ErrorKind::InvalidPlace,
                format!("it lies within another store, {}", above.display()),
            )
            .about(&root)
            .with_hint("choose a folder outside of it, or a space within it"));
        }
        root.existing()?;
        Ok(root)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The running counts of what was done below it.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The root's folder, if there is one; checks that it is a store of a known layout.
    fn existing(&self) -> Result<Option<Folder>, Error> {
        let folder = match Folder::open_root(&self.path, Arc::clone(&self.counters)) {
            Ok(folder) => folder,
            Err(error) if failure::is_missing(&error) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                let clause = "a file stands where its folder is to be, or on the way to it";
                return Err(Error::new(ErrorKind::InvalidPlace, clause)
                    .about(self)
                    .with_hint("choose a folder, or a path at which nothing is yet"));
            }
            Err(error) => {
                let doing = "the store's folder can't be opened";
                return Err(failure::unavailable(doing, error).about(self));
            }
        };
        let marker = || read_marker(&self.path).map_err(|error| error.about(self));
        if marker()?.is_some() {
            return Ok(Some(folder));
        }
        if is_empty(&folder).map_err(|error| error.about(self))? {
            return Ok(None);
        }
        // Whoever makes a store makes its marker first: what stands here now may be one by now.
        match marker()? {
            Some(_) => Ok(Some(folder)),
            None => Err(Error::new(
                ErrorKind::InvalidPlace,
                "the folder is not empty and is no store: it has no sessile.json",
            )
            .about(self)
            .with_hint("choose an empty folder, or one that does not exist")),
        }
    }

    /// The root's folder; where there is none yet, the closest folder above it that there is.
    pub(crate) fn closest(&self) -> Result<(Folder, &Path), Error> {
        let mut path = &*self.path;
        loop {
            match (Folder::open_root(path, Arc::clone(&self.counters)), path.parent()) {
                (Ok(folder), _) => return Ok((folder, path)),
                (Err(error), Some(above)) if failure::is_missing(&error) => path = above,
                (Err(error), _) => {
                    let doing = "the store's folder can't be opened";
                    return Err(failure::unavailable(doing, error).about(self));
                }
            }
        }
    }

    /// The root's folder to change what is below it, if there is one.
    fn existing_to_write(&self) -> Result<Option<Folder>, Error> {
        let folder = self.existing()?;
        folder.map(|folder| self.made_private(folder)).transpose()
    }

    fn made_private(&self, folder: Folder) -> Result<Folder, Error> {
        match folder.make_private() {
            Ok(()) => {}
            // Only its owner can do that. What the store makes in it is private all the same.
            Err(error) if failure::is_not_owner(&error) => {}
            Err(error) => {
                let doing = "the store's folder can't be made private";
                return Err(failure::unavailable(doing, error).about(self));
            }
        }
        if self.is_first_visit(String::new()) {
            // What stays as it was is in nobody's way: it is tried again by the next handle.
            let _left_over = whole::sweep(&folder);
            let _left_wide = folder.file_to_write(MARKER);
        }
        Ok(folder)
    }

    /// The root's folder to change what is below it, made with its marker if need be.
    fn made(&self) -> Result<Folder, Error> {
        if let Some(folder) = self.existing_to_write()? {
            return Ok(folder);
        }
        let failed = |error| failure::unavailable("the store can't be made", error).about(self);
        Folder::make_root(&self.path, &self.counters).map_err(failed)?;
        let folder = Folder::open_root(&self.path, Arc::clone(&self.counters)).map_err(failed)?;
        let folder = self.made_private(folder)?;
        let marker = Marker { sessile: "store".to_owned(), format: LAYOUT };
        let mut text = serde_json::to_vec(&marker).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        let marker = WholeFile::of(&folder, &text).map_err(failed)?;
        marker.put_in_free_place(MARKER).map_err(|stopped| failed(stopped.error))?;
        Ok(folder)
    }

    /// A folder below a space to read in it, if there is one.
    pub(crate) fn folder(&self, space: &Space, name: &str) -> Result<Option<Folder>, Error> {
        self.below(self.existing()?, [SPACES, &spelling::of_space(space), name], Folder::folder)
    }

    /// A folder below a space to change what is in it, if there is one.
    pub(crate) fn folder_to_write(
        &self,
        space: &Space,
        name: &str,
    ) -> Result<Option<Folder>, Error> {
        let root = self.existing_to_write()?;
        self.below(root, [SPACES, &spelling::of_space(space), name], Folder::folder_to_write)
    }

    /// The folder that a way of names leads to, if there is one.
    fn below<const N: usize>(
        &self,
        root: Option<Folder>,
        way: [&str; N],
        open: fn(&Folder, &str) -> io::Result<Folder>,
    ) -> Result<Option<Folder>, Error> {
        let Some(root) = root else {
            return Ok(None);
        };
        match way.into_iter().try_fold(root, |folder, name| open(&folder, name)) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if failure::is_missing(&error) => Ok(None),
            Err(error) => {
                let doing = "a folder of the store can't be opened";
                Err(failure::unavailable(doing, error).about(self))
            }
        }
    }

    /// A folder below a space, made if need be.
    pub(crate) fn folder_or_made(&self, space: &Space, name: &str) -> Result<Folder, Error> {
        let root = self.made()?;
        let below = || {
            let Ok(spaces) = root.folder_to_write(SPACES) else {
                // Somebody else's marker may not be durable yet, and without it what is made below
                // is no store.
                root.sync()?;
                return root
                    .folder_or_made(SPACES)?
                    .folder_or_made(&spelling::of_space(space))?
                    .folder_or_made(name);
            };
            spaces.folder_or_made(&spelling::of_space(space))?.folder_or_made(name)
        };
        let folder = below().map_err(|error| {
            failure::unavailable("a folder of the store can't be made", error).about(self)
        })?;
        self.sweep_once(&folder, space, name);
        Ok(folder)
    }

    /// Removes what dead writers have left in a folder below a space, at a handle's first visit.
    pub(crate) fn sweep_once(&self, folder: &Folder, space: &Space, name: &str) {
        if self.is_first_visit(format!("{space}/{name}")) {
            // What is left over is in nobody's way: it is tried again by the next handle.
            let _left_over = whole::sweep(folder);
        }
    }

    fn is_first_visit(&self, folder: String) -> bool {
        self.visited.lock().unwrap_or_else(PoisonError::into_inner).insert(folder)
    }

    /// A folder below a space for something that is to be made in it, made if need be; every name
    /// on the way to it is durable.
    ///
    /// A folder that was there may have been made by somebody who died before the one above it was
    /// synced. Where something stands in it already, whoever made that has seen to it.
    pub(crate) fn durable_folder(&self, space: &Space, name: &str) -> Result<Folder, Error> {
        let folder = self.folder_or_made(space, name)?;
        let key = (space.clone(), name.to_owned());
        let is_durable = |reached: &HashSet<_>| reached.contains(&key);
        if is_durable(&self.durable.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(folder);
        }
        let sync = || {
            if let Some(above) = self.path.parent() {
                Folder::open_root(above, Arc::clone(&self.counters))?.sync()?;
            }
            let root = Folder::open_root(&self.path, Arc::clone(&self.counters))?;
            root.sync()?;
            let spaces = root.folder(SPACES)?;
            spaces.sync()?;
            spaces.folder(&spelling::of_space(space))?.sync()
        };
        sync().map_err(|error: io::Error| {
            failure::unavailable("the store's folders can't be synced", error).about(self)
        })?;
        self.durable.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        Ok(folder)
    }

    /// The folder of all spaces, if there is one.
    pub(crate) fn spaces(&self) -> Result<Option<Folder>, Error> {
        self.below(self.existing()?, [SPACES], Folder::folder)
    }

    /// The path of a key's journal.
    pub(crate) fn journal_path(&self, key: &SessionKey) -> PathBuf {
        let space = self.path.join(SPACES).join(spelling::of_space(&key.space));
        space.join(SESSIONS).join(journal_name(key))
    }

    /// The folder of sessions of a key's space; *missing* if there is none.
    pub(crate) fn sessions(&self, key: &SessionKey) -> Result<Folder, Error> {
        self.folder(&key.space, SESSIONS)?.ok_or_else(|| missing(key))
    }
}

/// Where a journal lies below the folder of a store, in the words of the system.
pub(crate) fn journal_path(root: &Path, key: &SessionKey) -> PathBuf {
    let space = spelling::of_space(&key.space);
    root.join(SPACES).join(space).join(SESSIONS).join(journal_name(key))
}

/// The folder of all spaces.
const SPACES: &str = "spaces";

/// The folder of journals below a space.
pub(crate) const SESSIONS: &str = "sessions";

/// The folder of what repairs cut off, below a space.
pub(crate) const SET_ASIDE: &str = "set-aside";

/// The folder of what is noted of journals, below a space.
pub(crate) const CATALOG: &str = "catalog";

/// The folder of documents below a space.
pub(crate) const DOCUMENTS: &str = "documents";

/// The file name of a journal.
pub(crate) fn journal_name(key: &SessionKey) -> String {
    spelling::of_session(&key.id) + ".jsonl"
}

/// The file name of a journal's lock.
pub(crate) fn lock_name(key: &SessionKey) -> String {
    spelling::of_session(&key.id) + ".lock"
}

/// The answer for a session that never was.
pub(crate) fn missing(key: &SessionKey) -> Error {
    Error::new(ErrorKind::Missing, "there is no such session").about(key)
}

impl std::fmt::Display for Root {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "store {}", self.path.display())
    }
}

/// The store that a folder is the root of, or lies in.
pub(crate) fn store_around(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| matches!(read_marker(above), Ok(Some(_))))
}

/// Reads a folder's marker; none if it has none.
fn read_marker(folder: &Path) -> Result<Option<Marker>, Error> {
    let corrupt = || Error::new(ErrorKind::Corrupt, "its sessile.json is no marker of a store");
    let text = match door::read_in(folder, MARKER, MARKER_BYTES) {
        Ok(text) => text,
        Err(error) if failure::is_missing(&error) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(failure::unavailable("its marker can't be read", error)),
    };
    let marker: Marker = serde_json::from_slice(&text).map_err(|_| corrupt())?;
    if marker.sessile != "store" {
        return Err(corrupt());
    }
    if marker.format > LAYOUT {
        return Err(Error::new(
            ErrorKind::UnknownVersion,
            format!("the store has layout {}, this program knows up to {LAYOUT}", marker.format),
        )
        .with_hint("use a newer version of the program"));
    }
    Ok(Some(marker))
}

/// Whether a folder holds nothing but what a crash leaves of making a store.
fn is_empty(folder: &Folder) -> Result<bool, Error> {
    let names = folder
        .names()
        .map_err(|error| failure::unavailable("the store's folder can't be listed", error))?;
    Ok(names.iter().all(|name| whole::is_temporary(name)))
}
