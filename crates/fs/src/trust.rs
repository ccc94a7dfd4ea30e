//! When what processes of this machine have written without syncing it can be relied upon.
//!
//! What was written is there for every process as long as the machine runs, whoever is killed
//! meanwhile; after a power cut some of it may not be. So it counts within one boot, and on
//! filesystems that no other machine writes to.

use crate::door::Folder;

/// The names of filesystems' kinds that one machine has for itself: ext, xfs, btrfs, tmpfs, f2fs,
/// overlay, zfs, bcachefs.
const LOCAL: [u64; 8] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0xf2f5_2010,
    0x794c_7630,
    0x2fc1_2fc1,
    0xca45_1a4e,
];

/// What names the boot of this machine that goes on, as far as a folder is its own; none where
/// that can't be told, and nothing unsynced can be relied upon.
pub(crate) fn boot(folder: &Folder) -> Option<Box<str>> {
    let kind = folder.kind_of_filesystem()?;
    if !LOCAL.contains(&kind) {
        return None;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let boot = boot.trim();
    let is_plain = |sign: char| sign.is_ascii_hexdigit() || sign == '-';
    (boot.len() == 36 && boot.chars().all(is_plain)).then(|| boot.into())
}
