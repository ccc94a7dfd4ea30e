//! The one door through which files are made, written, synced, named and removed.
//!
//! Everything is relative to an open folder and no link is followed, so that nothing outside the
//! root can be reached by a name. Files are 0600 and folders 0700 whatever the umask.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::counts::Counters;
use crate::faults::Step;

const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const FOLDER_MODE: Mode = Mode::RWXU;

/// Which file a name leads to, and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    /// Its length in bytes, padding included.
    pub(crate) size: u64,
}

impl Identity {
    /// What tells the file from others of its filesystem at one time.
    pub(crate) const fn inode(&self) -> u64 {
        self.inode
    }

    /// Whether two looks saw the same file, whatever its length.
    pub(crate) const fn is_same_file(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode
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
        match fs::mkdir(path, FOLDER_MODE) {
            Ok(()) => counters.changed_name(),
            Err(Errno::EXIST) => return Ok(()),
            Err(Errno::NOENT) => {
                let above = path.parent().ok_or(Errno::NOENT)?;
                Self::make_root(above, counters)?;
                return Self::make_root(path, counters);
            }
            Err(error) => return Err(error.into()),
        }
        let above = path.parent().filter(|above| !above.as_os_str().is_empty());
        let above = Self::open_root(above.unwrap_or_else(|| Path::new(".")), Arc::clone(counters))?;
        #[cfg(test)]
        counters.faults.record.made(&above.handle, path.file_name().unwrap().to_str().unwrap());
        above.sync()
    }

    /// Opens a folder within this one.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::openat(&self.handle, name, flags, Mode::empty())?;
        Ok(Self { handle: Arc::new(handle.into()), counters: Arc::clone(&self.counters) })
    }

    /// Opens a folder within this one, and makes it if it is missing.
    pub(crate) fn folder_or_made(&self, name: &str) -> io::Result<Self> {
        match self.folder(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
        self.counters.faults.before(Step::Name)?;
        match fs::mkdirat(&self.handle, name, FOLDER_MODE) {
            Ok(()) => {
                self.counters.changed_name();
                #[cfg(test)]
                self.counters.faults.record.made(&self.handle, name);
                self.sync()?;
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        self.folder(name)
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
        fs::fchmod(&handle, FILE_MODE)?;
        Ok(WriteFile { handle, counters: Arc::clone(&self.counters) })
    }

    fn open(&self, name: &str, access: OFlags) -> io::Result<File> {
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.counters.opened();
        Ok(fs::openat(&self.handle, name, flags, Mode::empty())?.into())
    }

    /// Makes a file that must not exist.
    pub(crate) fn new_file(&self, name: &str) -> io::Result<WriteFile> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.counters.faults.before(Step::Name)?;
        let handle: File = fs::openat(&self.handle, name, flags, FILE_MODE)?.into();
        // A umask may have taken bits that the owner needs.
        fs::fchmod(&handle, FILE_MODE)?;
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
        self.open_private(name, OFlags::WRONLY | OFlags::APPEND)
    }

    /// Opens a file to lock it, and makes it if it is missing; it never holds anything.
    pub(crate) fn lock_file(&self, name: &str) -> io::Result<File> {
        match self.new_file(name) {
            Ok(file) => Ok(file.handle),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.file_to_read(name),
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

    /// Makes the names in this folder durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.counters.faults.before(Step::SyncFolder)?;
        self.counters.synced_folder();
        self.handle.sync_all()?;
        #[cfg(test)]
        self.counters.faults.record.synced_folder(&self.handle);
        Ok(())
    }

    /// Which file a name leads to. Times are not asked for: that makes the file's next sync
    /// dearer (docs/adr/0002-journal-file-layout.md).
    #[cfg(target_os = "linux")]
    pub(crate) fn look(&self, name: &str) -> io::Result<Identity> {
        use rustix::fs::StatxFlags;
        let mask = StatxFlags::INO | StatxFlags::SIZE;
        let seen = fs::statx(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW, mask)?;
        let device = u64::from(seen.stx_dev_major) << 32 | u64::from(seen.stx_dev_minor);
        Ok(Identity { device, inode: seen.stx_ino, size: seen.stx_size })
    }

    /// Which file a name leads to.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn look(&self, name: &str) -> io::Result<Identity> {
        let seen = fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Identity {
            device: u64::try_from(seen.st_dev).unwrap_or(0),
            inode: seen.st_ino,
            size: u64::try_from(seen.st_size).unwrap_or(0),
        })
    }

    /// The names in this folder, in no order; those that are no text are nobody's here.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            names.extend(name.to_str().filter(|name| !matches!(*name, "." | "..")).map(Into::into));
        }
        Ok(names)
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
        self.counters.faults.before(Step::Write)?;
        let through = self.counters.faults.let_through(bytes.len());
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
