//! What the door did, in order, as a test takes it down to ask what a power cut leaves of it.

#![cfg(test)]

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Mutex;

use rustix::fs::{AtFlags, FileType, statat};

/// A file or a folder: the number that its filesystem gives it.
pub(crate) type Inode = u64;

/// One thing that the door did and that succeeded.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// A file or folder was made, with its first name.
    Make { folder: Inode, name: String, inode: Inode, is_folder: bool },
    /// A file got a second name.
    Link { folder: Inode, from: String, to: String },
    /// A file got another name, in place of whatever had it.
    Rename { folder: Inode, from: String, to: String },
    /// A name was removed.
    Remove { folder: Inode, name: String },
    /// Names were made durable.
    SyncFolder { folder: Inode },
    /// Bytes were written at an offset.
    Write { file: Inode, offset: u64, bytes: Vec<u8> },
    /// A file was cut.
    Cut { file: Inode, size: u64 },
    /// A file's bytes were made durable.
    SyncFile { file: Inode },
}

/// What was done since a test asked for it to be taken down; nothing is before.
#[derive(Debug, Default)]
pub(crate) struct Record(Mutex<Option<Vec<Act>>>);

impl Record {
    /// Takes down what is done from here on.
    pub(crate) fn begin(&self) {
        *self.0.lock().unwrap() = Some(Vec::new());
    }

    /// What was done so far.
    pub(crate) fn acts(&self) -> Vec<Act> {
        self.0.lock().unwrap().clone().unwrap_or_default()
    }

    fn add(&self, act: impl FnOnce() -> Act) {
        if let Some(acts) = &mut *self.0.lock().unwrap() {
            acts.push(act());
        }
    }

    pub(crate) fn made(&self, folder: &File, name: &str) {
        if is_derived(folder) {
            return;
        }
        self.add(|| {
            let made = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).unwrap();
            let is_folder = FileType::from_raw_mode(made.st_mode) == FileType::Directory;
            let (folder, name) = (inode(folder), name.to_owned());
            Act::Make { folder, name, inode: made.st_ino, is_folder }
        });
    }

    pub(crate) fn linked(&self, folder: &File, from: &str, to: &str) {
        if is_derived(folder) {
            return;
        }
        let (from, to) = (from.to_owned(), to.to_owned());
        self.add(|| Act::Link { folder: inode(folder), from, to });
    }

    pub(crate) fn renamed(&self, folder: &File, from: &str, to: &str) {
        if is_derived(folder) {
            return;
        }
        let (from, to) = (from.to_owned(), to.to_owned());
        self.add(|| Act::Rename { folder: inode(folder), from, to });
    }

    pub(crate) fn removed(&self, folder: &File, name: &str) {
        if is_derived(folder) {
            return;
        }
        self.add(|| Act::Remove { folder: inode(folder), name: name.to_owned() });
    }

    pub(crate) fn synced_folder(&self, folder: &File) {
        if is_derived(folder) {
            return;
        }
        self.add(|| Act::SyncFolder { folder: inode(folder) });
    }

    pub(crate) fn wrote(&self, file: &File, offset: u64, bytes: &[u8]) {
        if is_derived(file) {
            return;
        }
        self.add(|| Act::Write { file: inode(file), offset, bytes: bytes.to_vec() });
    }

    /// Bytes were written that the filesystem put at the end.
    pub(crate) fn added(&self, file: &File, bytes: &[u8]) {
        let end = file.metadata().unwrap().len();
        self.wrote(file, end - u64::try_from(bytes.len()).unwrap(), bytes);
    }

    pub(crate) fn cut(&self, file: &File, size: u64) {
        if is_derived(file) {
            return;
        }
        self.add(|| Act::Cut { file: inode(file), size });
    }

    pub(crate) fn synced_file(&self, file: &File) {
        if is_derived(file) {
            return;
        }
        self.add(|| Act::SyncFile { file: inode(file) });
    }
}

/// Whether it is a catalog, or lies in one: what a power cut leaves of these nobody relies upon, since
/// they are of another boot then.
fn is_derived(file: &File) -> bool {
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
    path.components().any(|part| part.as_os_str() == "catalog")
}

fn inode(file: &File) -> Inode {
    file.metadata().unwrap().ino()
}
