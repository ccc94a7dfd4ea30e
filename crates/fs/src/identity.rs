//! Which file is which. Times are not asked for: that makes a file's next sync dearer
//! (docs/adr/0002-journal-file-layout.md).

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{self, AtFlags};

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

#[cfg(target_os = "linux")]
impl Identity {
    /// That of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        Self::seen(file, "", AtFlags::EMPTY_PATH)
    }

    /// That of what a name in a folder leads to, a link as itself.
    pub(crate) fn at(folder: &File, name: &str) -> io::Result<Self> {
        Self::seen(folder, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// That of what a path leads to, a link at its end as itself.
    pub(crate) fn by(path: &Path) -> io::Result<Self> {
        Self::seen(fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW)
    }

    fn seen(
        folder: impl std::os::fd::AsFd,
        path: impl rustix::path::Arg,
        flags: AtFlags,
    ) -> io::Result<Self> {
        use rustix::fs::StatxFlags;
        let seen = fs::statx(folder, path, flags, StatxFlags::INO | StatxFlags::SIZE)?;
        let device = u64::from(seen.stx_dev_major) << 32 | u64::from(seen.stx_dev_minor);
        Ok(Self { device, inode: seen.stx_ino, size: seen.stx_size })
    }
}

#[cfg(not(target_os = "linux"))]
impl Identity {
    /// That of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        Ok(Self::in_stat(&fs::fstat(file)?))
    }

    /// That of what a name in a folder leads to, a link as itself.
    pub(crate) fn at(folder: &File, name: &str) -> io::Result<Self> {
        Ok(Self::in_stat(&fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// That of what a path leads to, a link at its end as itself.
    pub(crate) fn by(path: &Path) -> io::Result<Self> {
        Ok(Self::in_stat(&fs::lstat(path)?))
    }

    fn in_stat(seen: &fs::Stat) -> Self {
        Self {
            device: u64::try_from(seen.st_dev).unwrap_or(0),
            inode: seen.st_ino,
            size: u64::try_from(seen.st_size).unwrap_or(0),
        }
    }
}
