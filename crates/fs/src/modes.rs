//! Modes: what the store makes is its owner's alone, and what it writes to becomes so.

use std::fs::File;
use std::io;

use rustix::fs::{self, Mode};

/// What the owner of a file may do with it; nobody else may do anything.
pub(crate) const FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// What the owner of a folder may do with it; nobody else may do anything.
pub(crate) const FOLDER: Mode = Mode::RWXU;

/// All that a file or folder grants to anybody.
const GRANTS: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

/// Takes from a file or folder what it grants beyond a mode; what its owner took from it stays so.
pub(crate) fn narrow(handle: &File, most: Mode) -> io::Result<()> {
    let mode = of(handle)?;
    let beyond = GRANTS.difference(most);
    if mode.intersects(beyond) {
        fs::fchmod(handle, mode.difference(beyond))?;
    }
    Ok(())
}

/// Gives the owner of what was just made with a mode what a umask took of it.
pub(crate) fn restore(handle: &File, wanted: Mode) -> io::Result<()> {
    let mode = of(handle)?;
    if !mode.contains(wanted) {
        fs::fchmod(handle, mode.union(wanted))?;
    }
    Ok(())
}

/// Times are not asked for: that makes a file's next sync dearer
/// (docs/adr/0002-journal-file-layout.md).
#[cfg(target_os = "linux")]
fn of(handle: &File) -> io::Result<Mode> {
    use rustix::fs::{AtFlags, StatxFlags};
    let seen = fs::statx(handle, "", AtFlags::EMPTY_PATH, StatxFlags::MODE)?;
    Ok(Mode::from_raw_mode(seen.stx_mode.into()))
}

#[cfg(not(target_os = "linux"))]
fn of(handle: &File) -> io::Result<Mode> {
    Ok(Mode::from_raw_mode(fs::fstat(handle)?.st_mode))
}
