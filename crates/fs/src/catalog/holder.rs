//! Who has journals open: a file that a handle holds locked for as long as it is there.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::door::Folder;
use crate::failure;

/// What the names of such files begin with.
const PREFIX: &str = "open-";

/// A handle that opens journals, as others see it; the system gives its lock back when it dies.
#[derive(Debug)]
pub(crate) struct Holder {
    name: Arc<str>,
    folder: Folder,
    _held: File,
    /// How often it has opened a journal.
    opened: u64,
}

impl Holder {
    /// What tells of one time that it opens a journal.
    pub(crate) fn mark(&mut self) -> Arc<str> {
        self.opened += 1;
        format!("{}:{}", self.name, self.opened).into()
    }

    /// Makes a file that nobody else has, and holds it.
    pub(crate) fn new(folder: &Folder) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{PREFIX}{}-{number}", std::process::id());
            match folder.new_file(&name) {
                // Whoever looked at it before it was held has removed it.
                Ok(file) if file.handle().try_lock().is_ok() && folder.look(&name).is_ok() => {
                    let held = file.into_handle();
                    return Ok(Self {
                        name: name.into(),
                        folder: folder.clone(),
                        _held: held,
                        opened: 0,
                    });
                }
                Ok(_) => {}
                Err(error) if failure::exists(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // One that stays is found to be nobody's, and removed by whoever condenses the catalog.
        let _left_over = self.folder.remove(&self.name);
    }
}

/// Finds out which of those are there who have made marks, each once.
#[derive(Debug)]
pub(crate) struct Presence<'a> {
    folder: &'a Folder,
    known: HashMap<String, bool>,
}

impl<'a> Presence<'a> {
    /// Those whose files lie in a folder.
    pub(crate) fn in_folder(folder: &'a Folder) -> Self {
        Self { folder, known: HashMap::new() }
    }

    /// Whether the holder is there that has made a mark.
    pub(crate) fn has(&mut self, mark: &str) -> bool {
        let name = mark.split_once(':').map_or(mark, |(name, _)| name);
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let is_there = is_there(self.folder, name);
        self.known.insert(name.to_owned(), is_there);
        is_there
    }
}

/// Whether the holder of a name is there: its file is locked.
fn is_there(folder: &Folder, name: &str) -> bool {
    name.starts_with(PREFIX)
        && !name.contains('/')
        && folder.file_to_read(name).is_ok_and(|file| file.try_lock_shared().is_err())
}

/// Removes the files of those that are not there any more.
pub(crate) fn sweep(folder: &Folder) -> io::Result<()> {
    for name in folder.names()?.iter().filter(|name| name.starts_with(PREFIX)) {
        if !is_there(folder, name) {
            folder.remove(name)?;
        }
    }
    Ok(())
}
