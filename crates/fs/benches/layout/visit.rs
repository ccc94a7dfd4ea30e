//! A process that comes, appends once and goes.

use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Ground;
use super::journal::{length, pad};
use super::messages::Messages;
use super::rotation::Contender;

/// What a visit does about padding.
#[derive(Clone, Copy)]
pub(crate) enum Manners {
    /// Appends exactly its text.
    Exact,
    /// Pads if its text does not fit, and leaves the padding to the next visitor.
    Leave,
    /// Pads, since its text never fits, and trims when it goes.
    Trim,
}

pub(crate) struct Visit {
    path: PathBuf,
    messages: Arc<Messages>,
    manners: Manners,
    /// Where the text ends.
    end: u64,
}

impl Visit {
    pub(crate) fn new(ground: &Ground, home: &Path, manners: Manners) -> io::Result<Self> {
        let path = home.join("journal");
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let text: Vec<u8> =
            (0..400).flat_map(|index| ground.messages.line(index)).copied().collect();
        file.write_all_at(&text, 0)?;
        file.sync_all()?;
        Ok(Self { path, messages: Arc::clone(&ground.messages), manners, end: length(&text)? })
    }

    /// The line, and the padding where it does not fit.
    fn line(&self, index: usize, size: u64) -> io::Result<Vec<u8>> {
        let mut line = self.messages.line(index).to_vec();
        let fits = self.end + length(&line)? <= size;
        match self.manners {
            Manners::Leave | Manners::Trim if !fits => pad(&mut line, self.end)?,
            _ => {}
        }
        Ok(line)
    }
}

impl Contender for Visit {
    fn operate(&mut self, index: usize) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(&self.path)?;
        let size = file.seek(SeekFrom::End(0))?;
        file.write_all_at(&self.line(index, size)?, self.end)?;
        file.sync_data()?;
        self.end += length(self.messages.line(index))?;
        if let Manners::Trim = self.manners {
            file.set_len(self.end)?;
        }
        Ok(())
    }
}
