//! The one door through which files are made, written, synced, named and removed.
//!
//! Everything is relative to an open folder and no link is followed, so that nothing outside the
//! root can be reached by a name. Files are 0600 and folders 0700 whatever the umask, and so is
//! what is opened to write to it, whatever it was.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::blocks;
use crate::counts::Counters;
use crate::failure::Link;
use crate::faults::Step;
use crate::identity::Identity;
use crate::modes;
use crate::stamp::Stamp;

/// Opens what a name leads to; a link is told by its name.
fn open_at(folder: &File, name: &str, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match fs::openat(folder, name, flags, Mode::empty()) {
        Ok(handle) => Ok(handle.into()),
        // Where a folder is asked for the system says of a link only that it is none.
        Err(Errno::LOOP | Errno::NOTDIR) if is_link(folder, name) => {
            Err(io::Error::other(Link { name: name.to_owned() }))
        }
        Err(error) => Err(error.into()),
    }
}

fn is_link(folder: &File, name: &str) -> bool {
    fs::readlinkat(folder, name, Vec::new()).is_ok()
}

/// Reads the beginning of a file that lies in the folder of a path; a link in its place is none.
pub(crate) fn read_in(folder: &Path, name: &str, most: u64) -> io::Result<Bytes> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match fs::open(folder.join(name), flags, Mode::empty()) {
        Ok(file) => blocks::read(&file.into(), 0, most),
        Err(Errno::LOOP) => Err(io::Error::other(Link { name: name.to_owned() })),
        Err(error) => Err(error.into()),
    }
}

/// An open folder.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    handle: Arc<File>,
    counters: Arc<Counters>,
}

impl Folder {
    /// Opens a folder by its path; the only place where links are followed.
    pub(crate) fn open_root(path: &Path, counters: Arc<Counters>) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = fs::open(path, flags, Mode::empty())?;
        Ok(Self { handle: Arc::new(handle.into()), counters })
    }

    /// Makes the folders of a path that are missing, and syncs each into the one above it.
    pub(crate) fn make_root(path: &Path, counters: &Arc<Counters>) -> io::Result<()> {
        counters.faults.before(Step::Name)?;
        let made = match fs::mkdir(path, modes::FOLDER) {
            Err(Errno::NOENT) => {
                let above = path.parent().ok_or(Errno::NOENT)?;
                Self::make_root(above, counters)?;
                counters.faults.before(Step::Name)?;
                // Tried once: there are places, as in /proc, where nothing can be made.
                fs::mkdir(path, modes::FOLDER)
            }
            made => made,
        };
        match made {
            Ok(()) => counters.changed_name(),
            Err(Errno::EXIST) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let above = path.parent().filter(|above| !above.as_os_str().is_empty());
        let above = Self::open_root(above.unwrap_or_else(|| Path::new(".")), Arc::clone(counters))?;
        #[cfg(test)]
        counters.faults.record.made(&above.handle, path.file_name().unwrap().to_str().unwrap());
        above.sync()
    }

    /// Takes from others what the folder grants them.
    pub(crate) fn make_private(&self) -> io::Result<()> {
        modes::narrow(&self.handle, modes::FOLDER)
    }

    /// Opens a folder within this one.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        let handle = open_at(&self.handle, name, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Self { handle: Arc::new(handle), counters: Arc::clone(&self.counters) })
    }

    /// Opens a folder within this one to change what is in it, private again if somebody widened
    /// it.
    pub(crate) fn folder_to_write(&self, name: &str) -> io::Result<Self> {
        let folder = self.folder(name)?;
        folder.make_private()?;
        Ok(folder)
    }

    /// Opens a folder within this one to change what is in it, and makes it if it is missing.
    pub(crate) fn folder_or_made(&self, name: &str) -> io::Result<Self> {
        match self.folder_to_write(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
        self.counters.faults.before(Step::Name)?;
        match fs::mkdirat(&self.handle, name, modes::FOLDER) {
            Ok(()) => {
                self.counters.changed_name();
                #[cfg(test)]
                self.counters.faults.record.made(&self.handle, name);
                let made = self.folder(name)?;
                modes::restore(&made.handle, modes::FOLDER)?;
                self.sync()?;
                Ok(made)
            }
            Err(Errno::EXIST) => self.folder_to_write(name),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a file to read it.
    pub(crate) fn file_to_read(&self, name: &str) -> io::Result<File> {
        // Without NONBLOCK a pipe under the name would hold the reader for ever.
        self.open(name, OFlags::RDONLY | OFlags::NONBLOCK)
    }

    /// Opens a file to read and write it, private again if somebody widened it.
    pub(crate) fn file_to_write(&self, name: &str) -> io::Result<WriteFile> {
        self.open_private(name, OFlags::RDWR)
    }

    fn open_private(&self, name: &str, access: OFlags) -> io::Result<WriteFile> {
        let handle = self.open(name, access | OFlags::NONBLOCK)?;
        modes::narrow(&handle, modes::FILE)?;
        Ok(WriteFile { handle, counters: Arc::clone(&self.counters) })
    }

    fn open(&self, name: &str, access: OFlags) -> io::Result<File> {
        self.counters.opened();
        open_at(&self.handle, name, access)
    }

    /// Makes a file that must not exist.
    pub(crate) fn new_file(&self, name: &str) -> io::Result<WriteFile> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.counters.faults.before(Step::Name)?;
        let handle: File = fs::openat(&self.handle, name, flags, modes::FILE)?.into();
        modes::restore(&handle, modes::FILE)?;
        self.counters.changed_name();
        #[cfg(test)]
        self.counters.faults.record.made(&self.handle, name);
        Ok(WriteFile { handle, counters: Arc::clone(&self.counters) })
    }

    /// Opens a file to add to its end, and makes it if it is missing.
    pub(crate) fn file_to_append(&self, name: &str) -> io::Result<WriteFile> {
        match self.new_file(name) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        self.open_private(name, OFlags::RDWR | OFlags::APPEND)
    }

    /// Opens a file to lock it, and makes it if it is missing; it never holds anything.
    pub(crate) fn lock_file(&self, name: &str) -> io::Result<File> {
        let existing = || -> io::Result<File> {
            let handle = self.file_to_read(name)?;
            modes::narrow(&handle, modes::FILE)?;
            Ok(handle)
        };
        match existing() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
        match self.new_file(name) {
            Ok(file) => Ok(file.handle),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => existing(),
            Err(error) => Err(error),
        }
    }

    /// Gives a file a second name, which must be free.
    pub(crate) fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.counters.faults.before(Step::Name)?;
        fs::linkat(&self.handle, from, &self.handle, to, AtFlags::empty())?;
        self.counters.changed_name();
        #[cfg(test)]
        self.counters.faults.record.linked(&self.handle, from, to);
        Ok(())
    }

    /// Gives a file another name, in place of whatever has it.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.counters.faults.before(Step::Name)?;
        fs::renameat(&self.handle, from, &self.handle, to)?;
        self.counters.changed_name();
        #[cfg(test)]
        self.counters.faults.record.renamed(&self.handle, from, to);
        Ok(())
    }

    /// Removes a file's name.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        self.counters.faults.before(Step::Name)?;
        fs::unlinkat(&self.handle, name, AtFlags::empty())?;
        self.counters.changed_name();
        #[cfg(test)]
        self.counters.faults.record.removed(&self.handle, name);
        Ok(())
    }

    /// Removes a folder that is empty.
    pub(crate) fn remove_folder(&self, name: &str) -> io::Result<()> {
        self.counters.faults.before(Step::Name)?;
        fs::unlinkat(&self.handle, name, AtFlags::REMOVEDIR)?;
        self.counters.changed_name();
        #[cfg(test)]
        self.counters.faults.record.removed(&self.handle, name);
        Ok(())
    }

    /// Makes the names in this folder durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.counters.faults.before(Step::SyncFolder)?;
        self.counters.synced_folder();
        self.handle.sync_all()?;
        #[cfg(test)]
        self.counters.faults.record.synced_folder(&self.handle);
        Ok(())
    }

    /// Which file a name leads to.
    pub(crate) fn look(&self, name: &str) -> io::Result<Identity> {
        Identity::at(&self.handle, name)
    }

    /// The names in this folder, in no order; those that are no text are nobody's here.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.entries()?.into_iter().map(|(name, _)| name).collect())
    }

    /// The names in this folder, in no order, each with the file's number as the folder has it.
    pub(crate) fn entries(&self) -> io::Result<Vec<(String, u64)>> {
        let mut entries = Vec::new();
        for entry in fs::Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let name = name.to_str().filter(|name| !matches!(*name, "." | ".."));
            entries.extend(name.map(|name| (name.to_owned(), entry.ino())));
        }
        Ok(entries)
    }

    /// What kind of filesystem it lies on, by the number that the system has for it.
    pub(crate) fn kind_of_filesystem(&self) -> Option<u64> {
        #[cfg(target_os = "linux")]
        return u64::try_from(fs::fstatfs(&self.handle).ok()?.f_type).ok();
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Which folder it is, and when a name in it last changed.
    pub(crate) fn stamp(&self) -> io::Result<Stamp> {
        Stamp::of(&self.handle)
    }
}

/// A file that may be written.
#[derive(Debug)]
pub(crate) struct WriteFile {
    handle: File,
    counters: Arc<Counters>,
}

impl WriteFile {
    /// The file, to read from.
    pub(crate) const fn handle(&self) -> &File {
        &self.handle
    }

    /// The file, to be locked only.
    pub(crate) fn into_handle(self) -> File {
        self.handle
    }

    /// Writes all bytes at an offset; answers how many were written, and what stopped the rest.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> (usize, Option<io::Error>) {
        let mut written = 0;
        while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            let at = offset + u64::try_from(written).unwrap_or(0);
            match self.write_some(rest, at) {
                Ok(0) => return (written, Some(io::ErrorKind::WriteZero.into())),
                Ok(count) => {
                    self.counters.wrote(count);
                    written += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (written, Some(error)),
            }
        }
        (written, None)
    }

    fn write_some(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.counters.faults.before(Step::Write)?;
        let through = self.counters.faults.let_through(bytes.len());
        let written = self.handle.write_at(bytes.get(..through).unwrap_or(bytes), offset)?;
        #[cfg(test)]
        self.counters.faults.record.wrote(&self.handle, offset, &bytes[..written]);
        Ok(written)
    }

    /// Adds bytes to a file that was opened for it: in one call, wherever it ends by then.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.counters.faults.before(Step::Add)?;
        let through = self.counters.faults.let_through_added(bytes.len());
        let written = (&self.handle).write(bytes.get(..through).unwrap_or(bytes))?;
        self.counters.wrote(written);
        #[cfg(test)]
        self.counters.faults.record.added(&self.handle, &bytes[..written]);
        if written < bytes.len() { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
    }

    /// Makes the file's bytes durable, and its length if that changed.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.counters.faults.before(Step::SyncFile)?;
        self.counters.synced_file();
        self.handle.sync_data()?;
        #[cfg(test)]
        self.counters.faults.record.synced_file(&self.handle);
        Ok(())
    }

    /// Cuts the file.
    pub(crate) fn truncate(&self, size: u64) -> io::Result<()> {
        self.counters.faults.before(Step::Truncate)?;
        self.counters.truncated();
        self.handle.set_len(size)?;
        #[cfg(test)]
        self.counters.faults.record.cut(&self.handle, size);
        Ok(())
    }
}
