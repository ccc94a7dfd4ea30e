//! The least that a filesystem can be asked for, written by hand.
//!
//! Nothing here is checked, framed or recovered: a floor is what is left when all of that is free.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};

/// A file that each append makes longer.
#[derive(Debug)]
pub(crate) struct Growing(Arc<File>);

impl Growing {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().append(true).create_new(true).open(path)?;
        file.sync_all()?;
        Ok(Self(Arc::new(file)))
    }

    /// One write, one `fdatasync`.
    pub(crate) fn append(&mut self, line: &str) -> Result<()> {
        self.write(line)?;
        Ok(self.0.sync_data()?)
    }

    /// Another handle of the same file, to sync it by.
    pub(crate) fn second(&self) -> Arc<File> {
        Arc::clone(&self.0)
    }

    /// One write.
    pub(crate) fn write(&mut self, line: &str) -> Result<()> {
        Ok((&*self.0).write_all(line.as_bytes())?)
    }
}

/// A file whose blocks were all written before, so that no append changes its size.
#[derive(Debug)]
pub(crate) struct Zeroed {
    file: File,
    end: u64,
    size: u64,
}

impl Zeroed {
    pub(crate) fn create(path: &Path, size: u64) -> Result<Self> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(&vec![0; usize::try_from(size)?])?;
        file.sync_all()?;
        Ok(Self { file, end: 0, size })
    }

    /// One write, one `fdatasync`; where the file is full it begins again.
    pub(crate) fn append(&mut self, line: &str) -> Result<()> {
        let length = u64::try_from(line.len())?;
        if self.end + length > self.size {
            self.end = 0;
        }
        self.file.write_all_at(line.as_bytes(), self.end)?;
        self.end += length;
        Ok(self.file.sync_data()?)
    }
}

/// A document in two places of one file, which take turns.
#[derive(Debug)]
pub(crate) struct Slots {
    file: File,
    next: u64,
}

impl Slots {
    pub(crate) fn create(path: &Path, size: usize) -> Result<Self> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(&vec![0; size * 2])?;
        file.sync_all()?;
        Ok(Self { file, next: 0 })
    }

    pub(crate) fn swap(&mut self, body: &[u8]) -> Result<()> {
        self.file.write_all_at(body, self.next * u64::try_from(body.len())?)?;
        self.next = 1 - self.next;
        Ok(self.file.sync_data()?)
    }
}

/// The last lines of a file, read back from its end in blocks of 64 KiB; the newest comes last.
///
/// Empty lines are passed over, because a journal that is open ends in many.
pub(crate) fn last_lines(path: &Path, count: usize) -> Result<Vec<u8>> {
    const BLOCK: u64 = 64 << 10;
    let mut file = File::open(path)?;
    let mut start = file.seek(SeekFrom::End(0))?;
    let mut text: Vec<u8> = Vec::new();
    loop {
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        if lines > count || start == 0 {
            break;
        }
        let from = start.saturating_sub(BLOCK);
        let mut block = vec![0; usize::try_from(start - from)?];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut block)?;
        block.extend_from_slice(&text);
        text = block;
        start = from;
    }
    let whole: Vec<&[u8]> =
        text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let lines = whole.get(whole.len().saturating_sub(count)..).context("no lines")?;
    Ok(lines.join(&b'\n'))
}

/// Removes what a contender no longer needs, so that the next round finds the same disk.
pub(crate) fn clear(folder: &Path) -> Result<()> {
    std::fs::remove_dir_all(folder)?;
    Ok(std::fs::create_dir(folder)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_found_before_padding_and_across_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut file = Growing::create(&path).unwrap();
        let long = "x".repeat(50_000);
        for index in 0..10 {
            file.write(&format!("{index}{long}\n")).unwrap();
        }
        file.write(&"\n".repeat(100_000)).unwrap();
        let last = last_lines(&path, 3).unwrap();
        let found: Vec<_> = last.split(|byte| *byte == b'\n').map(|line| line[0]).collect();
        assert_eq!(found, *b"789");
        assert_eq!(last_lines(&path, 100).unwrap().split(|byte| *byte == b'\n').count(), 10);
    }
}
