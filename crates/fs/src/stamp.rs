//! When a name in a folder last changed.

use std::fs::File;
use std::io;
use std::path::Path;

/// A folder, and when a name in it last changed, in nanoseconds.
///
/// Folders may be asked for their times: what that makes dearer is the sync of what changes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) changed: u64,
}

#[cfg(target_os = "linux")]
impl Stamp {
    /// That of an open folder.
    pub(crate) fn of(folder: &File) -> io::Result<Self> {
        Self::seen(folder, "", rustix::fs::AtFlags::EMPTY_PATH)
    }

    /// That of what a path leads to, a link at its end as itself.
    pub(crate) fn by(path: &Path) -> io::Result<Self> {
        Self::seen(rustix::fs::CWD, path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
    }

    fn seen(
        folder: impl std::os::fd::AsFd,
        path: impl rustix::path::Arg,
        flags: rustix::fs::AtFlags,
    ) -> io::Result<Self> {
        use rustix::fs::StatxFlags;
        let seen = rustix::fs::statx(folder, path, flags, StatxFlags::INO | StatxFlags::MTIME)?;
        let device = u64::from(seen.stx_dev_major) << 32 | u64::from(seen.stx_dev_minor);
        let seconds = u64::try_from(seen.stx_mtime.tv_sec).unwrap_or(0);
        let changed =
            seconds.saturating_mul(1_000_000_000).saturating_add(seen.stx_mtime.tv_nsec.into());
        Ok(Self { device, inode: seen.stx_ino, changed })
    }
}

#[cfg(not(target_os = "linux"))]
impl Stamp {
    /// Nothing: there is no way to ask for that only.
    pub(crate) fn of(_: &File) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Nothing: there is no way to ask for that only.
    pub(crate) fn by(_: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
