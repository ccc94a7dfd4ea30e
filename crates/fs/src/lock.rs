//! The lock that whoever appends to a journal holds, between processes.
//!
//! It lies in a sibling file that is never replaced or removed, so that all who lock lock the
//! same file. The system gives it back when its holder dies.

use std::fs::{File, TryLockError};
use std::sync::mpsc;
use std::time::Duration;

use sessile_core::error::{Error, ErrorKind};

use crate::door::Folder;
use crate::failure;

/// A lock that is held, until it is dropped.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    file: &'a File,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // An unlock that fails leaves the lock to the end of the process: others then wait, and
        // are told so.
        let _left_to_the_system = self.file.unlock();
    }
}

/// The lock file of one journal, kept open between appends.
#[derive(Debug)]
pub(crate) struct Lock {
    folder: Folder,
    name: String,
    file: File,
}

impl Lock {
    /// Opens the lock file, and makes it if it is missing.
    pub(crate) fn open(folder: Folder, name: String) -> Result<Self, Error> {
        let file = folder
            .lock_file(&name)
            .map_err(|error| failure::unavailable("the lock file can't be opened", error))?;
        Ok(Self { folder, name, file })
    }

    /// Takes the lock if nobody has it.
    pub(crate) fn try_hold(&self) -> Result<Option<Held<'_>>, Error> {
        Ok(self.try_lock()?.then(|| Held { file: &self.file }))
    }

    fn try_lock(&self) -> Result<bool, Error> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => {
                Err(failure::unavailable("the lock can't be taken", error))
            }
        }
    }

    /// Takes the lock, waiting up to a deadline.
    pub(crate) fn hold(&mut self, deadline: Duration) -> Result<Held<'_>, Error> {
        if self.try_lock()? {
            return Ok(Held { file: &self.file });
        }
        // A wait for a lock can't be called off, so it happens on a thread of its own, on a file
        // of its own: a wait that is given up must not unlock what this handle takes later.
        let file = self
            .folder
            .lock_file(&self.name)
            .map_err(|error| failure::unavailable("the lock file can't be opened", error))?;
        self.file = wait(file, File::lock, deadline)?;
        Ok(Held { file: &self.file })
    }

    /// Takes the lock only if it is free, to be held until this is dropped; answers whether it is.
    pub(crate) fn is_held_by_trying(&self) -> bool {
        self.file.try_lock().is_ok()
    }
}

/// Waits until nobody appends; none where there is no lock file, or this user may not open it: a
/// reader makes none and needs none.
pub(crate) fn wait_for_writers(
    folder: &Folder,
    name: &str,
    deadline: Duration,
) -> Result<Option<File>, Error> {
    match folder.file_to_read(name) {
        Ok(file) => wait(file, File::lock_shared, deadline).map(Some),
        Err(_) => Ok(None),
    }
}

/// Locks an open file against those who hold it alone, until it is unlocked; a file whose wait was
/// given up must be closed.
pub(crate) fn share(file: &File, deadline: Duration) -> Result<(), Error> {
    take(file, (File::try_lock_shared, File::lock_shared), deadline)
}

/// Locks an open file against everybody else, until it is unlocked; a file whose wait was given up
/// must be closed.
pub(crate) fn hold_alone(file: &File, deadline: Duration) -> Result<(), Error> {
    take(file, (File::try_lock, File::lock), deadline)
}

type Locking = (fn(&File) -> Result<(), TryLockError>, fn(&File) -> std::io::Result<()>);

fn take(file: &File, (try_now, lock): Locking, deadline: Duration) -> Result<(), Error> {
    let failed = |error| failure::unavailable("the lock can't be taken", error);
    match try_now(file) {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            wait(file.try_clone().map_err(failed)?, lock, deadline).map(drop)
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Locks a file on a thread of its own; closing the file, there or here, gives the lock back.
fn wait(
    file: File,
    lock: fn(&File) -> std::io::Result<()>,
    deadline: Duration,
) -> Result<File, Error> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name("sessile-lock".to_owned())
        .spawn(move || {
            let locked = lock(&file).map(|()| file);
            // Nobody waits any more: the file is dropped, and the lock with it.
            let _given_up = sender.send(locked);
        })
        .map_err(|error| failure::unavailable("no thread to wait for the lock on", error))?;
    match receiver.recv_timeout(deadline) {
        Ok(Ok(file)) => Ok(file),
        Ok(Err(error)) => Err(failure::unavailable("the lock can't be taken", error)),
        Err(_) => Err(Error::new(
            ErrorKind::Unavailable,
            format!("another process held the lock for {} ms", deadline.as_millis()),
        )
        .retryable()
        .with_hint("try again; if it stays so, see which process holds the lock file")),
    }
}
