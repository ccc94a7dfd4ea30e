//! The root of a store: its marker, and the folders below it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sessile_core::error::{Error, ErrorKind};
use sessile_core::id::{SessionKey, Space};

use crate::counts::Counters;
use crate::door::Folder;
use crate::failure;
use crate::name;
use crate::whole::{self, WholeFile};

/// The file that says what the root is.
const MARKER: &str = "sessile.json";

/// The version of the layout that this crate writes.
const LAYOUT: u32 = 1;

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
    /// The folders below spaces that were looked through for what dead writers have left.
    swept: Mutex<HashSet<(Space, String)>>,
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
        let root = Self { path, counters, swept: Mutex::default(), durable: Mutex::default() };
        for above in root.path.ancestors().skip(1) {
            if matches!(read_marker(above), Ok(Some(_))) {
                return Err(Error::new(
                    ErrorKind::InvalidPlace,
                    format!("it lies within another store, {}", above.display()),
                )
                .about(&root)
                .with_hint("choose a folder outside of it, or a space within it"));
            }
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

    /// The root's folder, made with its marker if need be.
    fn made(&self) -> Result<Folder, Error> {
        if let Some(folder) = self.existing()? {
            return Ok(folder);
        }
        let failed = |error| failure::unavailable("the store can't be made", error).about(self);
        Folder::make_root(&self.path, &self.counters).map_err(failed)?;
        let folder = Folder::open_root(&self.path, Arc::clone(&self.counters)).map_err(failed)?;
        let marker = Marker { sessile: "store".to_owned(), format: LAYOUT };
        let mut text = serde_json::to_vec(&marker).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        let marker = WholeFile::of(&folder, &text).map_err(failed)?;
        marker.put_in_free_place(MARKER).map_err(|stopped| failed(stopped.error))?;
        Ok(folder)
    }

    /// A folder below a space, if there is one.
    pub(crate) fn folder(&self, space: &Space, name: &str) -> Result<Option<Folder>, Error> {
        let Some(root) = self.existing()? else {
            return Ok(None);
        };
        let below = || root.folder("spaces")?.folder(&name::of_space(space))?.folder(name);
        match below() {
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
            if root.folder("spaces").is_err() {
                // Somebody else's marker may not be durable yet, and without it what is made below
                // is no store.
                root.sync()?;
            }
            let spaces = root.folder_or_made("spaces")?;
            spaces.folder_or_made(&name::of_space(space))?.folder_or_made(name)
        };
        let folder = below().map_err(|error| {
            failure::unavailable("a folder of the store can't be made", error).about(self)
        })?;
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.insert((space.clone(), name.to_owned())) {
            // What is left over is in nobody's way: it is tried again by the next handle.
            let _left_over = whole::sweep(&folder);
        }
        Ok(folder)
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
            let spaces = root.folder("spaces")?;
            spaces.sync()?;
            spaces.folder(&name::of_space(space))?.sync()
        };
        sync().map_err(|error: std::io::Error| {
            failure::unavailable("the store's folders can't be synced", error).about(self)
        })?;
        self.durable.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        Ok(folder)
    }

    /// The folder of all spaces, if there is one.
    pub(crate) fn spaces(&self) -> Result<Option<Folder>, Error> {
        let Some(root) = self.existing()? else {
            return Ok(None);
        };
        match root.folder("spaces") {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if failure::is_missing(&error) => Ok(None),
            Err(error) => {
                let doing = "the folder of spaces can't be opened";
                Err(failure::unavailable(doing, error).about(self))
            }
        }
    }

    /// The folder of sessions of a key's space; *missing* if there is none.
    pub(crate) fn sessions(&self, key: &SessionKey) -> Result<Folder, Error> {
        self.folder(&key.space, SESSIONS)?.ok_or_else(|| missing(key))
    }
}

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
    name::of_session(&key.id) + ".jsonl"
}

/// The file name of a journal's lock.
pub(crate) fn lock_name(key: &SessionKey) -> String {
    name::of_session(&key.id) + ".lock"
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

/// Reads a folder's marker; none if it has none.
fn read_marker(folder: &Path) -> Result<Option<Marker>, Error> {
    let corrupt = || Error::new(ErrorKind::Corrupt, "its sessile.json is no marker of a store");
    let text = match std::fs::read(folder.join(MARKER)) {
        Ok(text) => text,
        Err(error) if failure::is_missing(&error) => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
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
