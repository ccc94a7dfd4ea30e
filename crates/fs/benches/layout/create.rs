//! Bringing a journal into being, whole or not at all.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, RenameFlags};

use super::Ground;
use super::journal::{length, pad};
use super::messages::Messages;
use super::rotation::Contender;

/// How the finished file gets its name, without ever replacing another file.
#[derive(Clone, Copy)]
pub(crate) enum Publish {
    Link,
    Rename,
}

/// When a new file gets its first padding.
#[derive(Clone, Copy)]
pub(crate) enum Pad {
    Never,
    AtCreation,
    AtFirstAppend,
}

pub(crate) struct Create {
    home: PathBuf,
    directory: File,
    messages: Arc<Messages>,
    publish: Publish,
    pad: Pad,
    /// Whether the first append belongs to the operation.
    append: bool,
}

impl Create {
    pub(crate) fn new(
        ground: &Ground,
        home: &Path,
        publish: Publish,
        pad: Pad,
        append: bool,
    ) -> io::Result<Self> {
        let (home, directory) = (home.to_owned(), File::open(home)?);
        Ok(Self { home, directory, messages: Arc::clone(&ground.messages), publish, pad, append })
    }

    fn create(&self, index: usize, header: &[u8]) -> io::Result<File> {
        let [temporary, name] =
            ["tmp", "jsonl"].map(|end| self.home.join(format!("{index}.{end}")));
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all_at(header, 0)?;
        file.sync_all()?;
        match self.publish {
            Publish::Link => {
                std::fs::hard_link(&temporary, &name)?;
                std::fs::remove_file(&temporary)?;
            }
            Publish::Rename => {
                rustix::fs::renameat_with(CWD, &temporary, CWD, &name, RenameFlags::NOREPLACE)?;
            }
        }
        self.directory.sync_all()?;
        Ok(file)
    }
}

impl Contender for Create {
    fn operate(&mut self, index: usize) -> io::Result<()> {
        let mut header = self.messages.line(0).to_vec();
        let end = length(&header)?;
        if let Pad::AtCreation = self.pad {
            pad(&mut header, 0)?;
        }
        let file = self.create(index, &header)?;
        if self.append {
            let mut line = self.messages.line(1).to_vec();
            if let Pad::AtFirstAppend = self.pad {
                pad(&mut line, end)?;
            }
            file.write_all_at(&line, end)?;
            file.sync_data()?;
        }
        Ok(())
    }
}
