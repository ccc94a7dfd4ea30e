//! Private files outside of any store, which are replaced whole: a snapshot where its caller wants
//! it, the entry of a context in another program's folder.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use sessile_core::error::{Error, ErrorKind};

use crate::blocks::{self, BLOCK};
use crate::counts::Counters;
use crate::door::Folder;
use crate::failure::{self, Link};
use crate::whole::{Stopped, WholeFile};

/// A small file of the caller's, which is there whole or not at all.
///
/// It is 0600, and the folders that are made for it are 0700, whatever the umask. A link in its
/// place is neither followed nor replaced. Nothing is locked: of two who replace it at once one
/// stays. Calls block.
///
/// # Examples
/// ```
/// use sessile_fs::PrivateFile;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("runs/42.json");
/// let file = PrivateFile::at(path)?;
/// assert_eq!(file.read(1 << 20)?, None);
/// file.replace(b"{}\n")?;
/// assert_eq!(file.read(1 << 20)?.as_deref(), Some(&b"{}\n"[..]));
/// # Ok::<(), sessile_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PrivateFile {
    path: PathBuf,
    /// The folder to which links may lead.
    root: PathBuf,
    /// The private folders below it, down to the file's own.
    below: Vec<String>,
    name: String,
    counters: Arc<Counters>,
}

impl PrivateFile {
    /// The file of a path; nothing is looked at and nothing made. The folders that it lies in keep
    /// their modes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidPlace`] for a path that names no file, or one that is no text.
    pub fn at(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = absolute(path.as_ref())?;
        let name = path.file_name().and_then(OsStr::to_str).map(str::to_owned);
        let (Some(name), Some(root)) = (name, path.parent()) else {
            let clause = "the path names no file";
            return Err(Error::new(ErrorKind::InvalidPlace, clause).about(path.display()));
        };
        let root = root.to_owned();
        Ok(Self { path, root, below: Vec::new(), name, counters: Arc::default() })
    }

    /// The file that names lead to below a folder, the last one its own. The folder and all below
    /// it are private: they become so again when the file is replaced.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidPlace`] for no name, and for one that is not one segment of a path.
    pub fn below(root: impl AsRef<Path>, names: &[&str]) -> Result<Self, Error> {
        let root = absolute(root.as_ref())?;
        let is_segment = |name: &&str| Path::new(name).file_name() == Some(OsStr::new(name));
        let (Some((name, below)), true) = (names.split_last(), names.iter().all(is_segment)) else {
            let clause = "a name is not one segment of a path";
            return Err(Error::new(ErrorKind::InvalidPlace, clause).about(root.display()));
        };
        let path = names.iter().fold(root.clone(), |path, name| path.join(name));
        let below = below.iter().map(|&name| name.to_owned()).collect();
        Ok(Self { path, root, below, name: (*name).to_owned(), counters: Arc::default() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it whole; none where nothing has its name. Nothing is made.
    ///
    /// # Errors
    /// What keeps it from being read is never taken for its absence: *permission*, also for a link
    /// in its place or one on the way that leads nowhere; *corrupt* for a folder in its place or a
    /// file in place of a folder; *refused* for more bytes than `most`; *unavailable*.
    pub fn read(&self, most: u64) -> Result<Option<Bytes>, Error> {
        let failed = |error| failure::unavailable("the file can't be read", error);
        let read = self.look().map_err(failed).and_then(|file| match file {
            None => Ok(None),
            Some(file) => read(&file, most).map(Some),
        });
        read.map_err(|error| self.about(error))
    }

    /// Puts bytes in its place, durably, and makes the folders that are missing. Where that fails
    /// the file is as it was, unless the outcome is unknown.
    ///
    /// # Errors
    /// *permission*, also for a link in its place; *corrupt* for a folder there; *unavailable*,
    /// with an [unknown outcome](sessile_core::Outcome::Unknown) when the bytes are in place and
    /// may be gone after a power cut.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), Error> {
        let failed = |error| failure::unavailable("the file can't be written", error);
        let replaced = self.folder_to_write().and_then(|folder| {
            is_no_link(&folder, &self.name)?;
            Ok((WholeFile::of(&folder, bytes)?, folder))
        });
        let (whole, _folder) = replaced.map_err(|error| self.about(failed(error)))?;
        whole.put_in_place(&self.name).map_err(|Stopped { error, named }| {
            let error = self.about(failed(error));
            if named { error.outcome_unknown() } else { error }
        })
    }

    /// Removes it, durably; answers whether it was there. The folders stay.
    ///
    /// # Errors
    /// *permission*, *corrupt* for a folder in its place, *unavailable*; with an unknown outcome
    /// when it is gone and may be back after a power cut.
    pub fn remove(&self) -> Result<bool, Error> {
        let failed = |error| self.about(failure::unavailable("the file can't be removed", error));
        let Some(folder) = self.folder(Folder::folder_to_write).map_err(failed)? else {
            return Ok(false);
        };
        match folder.remove(&self.name) {
            Ok(()) => {}
            Err(error) if failure::is_missing(&error) => return Ok(false),
            Err(error) => return Err(failed(error)),
        }
        folder.sync().map_err(|error| failed(error).outcome_unknown())?;
        Ok(true)
    }

    fn about(&self, error: Error) -> Error {
        error.about(self.path.display())
    }

    /// The open file, if there is one.
    fn look(&self) -> io::Result<Option<std::fs::File>> {
        let Some(folder) = self.folder(Folder::folder)? else { return Ok(None) };
        or_none(folder.file_to_read(&self.name))
    }

    /// The folder of the file, if there is one.
    fn folder(&self, open: fn(&Folder, &str) -> io::Result<Folder>) -> io::Result<Option<Folder>> {
        let root = Folder::open_root(&self.root, Arc::clone(&self.counters));
        let Some(mut folder) = or_none(root)? else {
            leads_nowhere(&self.root)?;
            return Ok(None);
        };
        for name in &self.below {
            match or_none(open(&folder, name))? {
                Some(found) => folder = found,
                None => return Ok(None),
            }
        }
        Ok(Some(folder))
    }

    /// The folder of the file, made if it is missing.
    fn folder_to_write(&self) -> io::Result<Folder> {
        Folder::make_root(&self.root, &self.counters)?;
        let mut folder = Folder::open_root(&self.root, Arc::clone(&self.counters))?;
        if !self.below.is_empty() {
            folder.make_private()?;
        }
        for name in &self.below {
            folder = folder.folder_or_made(name)?;
        }
        Ok(folder)
    }

    /// What a test wants to fail.
    #[cfg(test)]
    pub(crate) fn faults(&self) -> &crate::faults::Faults {
        &self.counters.faults
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|error| {
        Error::new(ErrorKind::InvalidPlace, "the path can't be resolved").with_source(error)
    })
}

fn or_none<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if failure::is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Fails where a link stands on the way to a folder that is not there: what it leads to may only be
/// out of reach just now.
fn leads_nowhere(path: &Path) -> io::Result<()> {
    let is_link = |path: &&Path| path.read_link().is_ok() && !path.exists();
    match path.ancestors().find(is_link) {
        None => Ok(()),
        Some(link) => Err(io::Error::other(Link { name: link.display().to_string() })),
    }
}

/// Fails where a link has a name.
fn is_no_link(folder: &Folder, name: &str) -> io::Result<()> {
    let is_link = |error: &io::Error| {
        error.get_ref().and_then(|error| error.downcast_ref::<Link>()).is_some()
    };
    match folder.file_to_read(name) {
        Err(error) if is_link(&error) => Err(error),
        // What can't be read may be replaced all the same.
        _ => Ok(()),
    }
}

/// Reads a file of at most so many bytes. A folder is found out by its first block.
fn read(file: &std::fs::File, most: u64) -> Result<Bytes, Error> {
    let failed = |error| failure::unavailable("the file can't be read", error);
    let block = blocks::read(file, 0, BLOCK).map_err(failed)?;
    let bytes = match u64::try_from(block.len()) {
        Ok(BLOCK) => {
            let length = blocks::length(file).map_err(failed)?;
            blocks::read(file, 0, length.min(most.saturating_add(1))).map_err(failed)?
        }
        _ => block,
    };
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
        return Ok(bytes);
    }
    Err(Error::new(ErrorKind::Refused, format!("the file has more than {most} bytes")))
}
