//! Files that are there whole or not at all: filled under a name of their own, synced, then named.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::blocks::{self, BLOCK};
use crate::door::{Folder, WriteFile};
use crate::failure;

/// How often a name is asked for that another program keeps busy.
const RENAMES_TRIED: usize = 5;

/// Why a file was not put in its place, or is not known to stay there.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// What went wrong.
    pub(crate) error: io::Error,
    /// Whether the name stands all the same, and may be gone after a power cut.
    pub(crate) named: bool,
}

/// A file that is being filled; it goes away unless it is put in a place.
#[derive(Debug)]
pub(crate) struct WholeFile {
    folder: Folder,
    temporary: String,
    file: WriteFile,
    end: u64,
    /// Whether all that it has is durable.
    synced: bool,
}

impl WholeFile {
    /// Makes an empty file under a name that nobody has; a name that is taken is left alone.
    pub(crate) fn begin(folder: &Folder) -> io::Result<Self> {
        loop {
            let temporary = temporary_name();
            match folder.new_file(&temporary) {
                // Held while it is being filled, so that nobody takes it for left over; whoever
                // looked at it before it was held has removed it.
                Ok(file) if file.handle().try_lock().is_ok() && folder.look(&temporary).is_ok() => {
                    let folder = folder.clone();
                    return Ok(Self { folder, temporary, file, end: 0, synced: false });
                }
                Ok(_) => {}
                Err(error) if failure::exists(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes a file of bytes.
    pub(crate) fn of(folder: &Folder, bytes: &[u8]) -> io::Result<Self> {
        let mut file = Self::begin(folder)?;
        file.add(bytes)?;
        Ok(file)
    }

    /// Adds bytes at the end.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.synced = false;
        match self.file.write_at(bytes, self.end) {
            (_, Some(error)) => Err(error),
            (written, None) => {
                self.end += u64::try_from(written).unwrap_or(0);
                Ok(())
            }
        }
    }

    /// Adds a stretch of another file.
    pub(crate) fn add_stretch(&mut self, file: &File, from: u64, to: u64) -> io::Result<()> {
        let mut next = from;
        while next < to {
            let block = blocks::read(file, next, to.min(next + BLOCK))?;
            if block.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.add(&block)?;
            next += u64::try_from(block.len()).unwrap_or(0);
        }
        Ok(())
    }

    /// Makes durable what it has; whoever puts it in a place while others wait may do so before.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if !self.synced {
            self.file.sync()?;
            self.synced = true;
        }
        Ok(())
    }

    /// Gives the file a name, durably; answers whether the name was free.
    pub(crate) fn put_in_free_place(mut self, name: &str) -> Result<bool, Stopped> {
        let stopped = |named| move |error| Stopped { error, named };
        self.sync().map_err(stopped(false))?;
        let created = match self.folder.link(&self.temporary, name) {
            Ok(()) => true,
            Err(error) if failure::exists(&error) => false,
            Err(error) => return Err(Stopped { error, named: false }),
        };
        // Before the folder is synced, so that one sync takes both.
        let _left_over = self.folder.remove(&self.temporary);
        self.folder.sync().map_err(stopped(created))?;
        Ok(created)
    }

    /// Renames the file; a few times, where somebody looks at the name just now.
    fn rename_to(&self, name: &str) -> io::Result<()> {
        for _ in 1..RENAMES_TRIED {
            match self.folder.rename(&self.temporary, name) {
                Err(error) if failure::is_busy(&error) => std::thread::yield_now(),
                renamed => return renamed,
            }
        }
        self.folder.rename(&self.temporary, name)
    }

    /// Puts the file in place of whatever has a name, durably.
    pub(crate) fn put_in_place(mut self, name: &str) -> Result<(), Stopped> {
        let stopped = |named| move |error| Stopped { error, named };
        self.sync().map_err(stopped(false))?;
        self.rename_to(name).map_err(stopped(false))?;
        self.folder.sync().map_err(stopped(true))
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        // Gone already when it was put in a place; else nobody's: names of this kind are not read.
        let _left_over = self.folder.remove(&self.temporary);
    }
}

/// Removes what writers that died have left in a folder.
pub(crate) fn sweep(folder: &Folder) -> io::Result<()> {
    for name in folder.names()? {
        if is_temporary(&name)
            && let Ok(file) = folder.file_to_read(&name)
            && file.try_lock().is_ok()
        {
            folder.remove(&name)?;
        }
    }
    Ok(())
}

/// Whether a file is one that was being filled when its writer died: what else lies about is not
/// the store's to remove.
pub(crate) fn is_temporary(name: &str) -> bool {
    let numbers = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// A name for a file that is being filled, different from every other that this process uses.
///
/// Another process, or somebody's link, may have it all the same: whoever makes the file asks for
/// the next one then.
fn temporary_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!(".{}-{number}.tmp", std::process::id())
}
