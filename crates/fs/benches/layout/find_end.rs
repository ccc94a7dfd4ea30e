//! Opening a journal: where does the text end and the padding begin?

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::Advice;

use super::Ground;
use super::journal::length;
use super::rotation::Contender;

const BLOCK: usize = 64 << 10;

/// How a block is searched for its last byte that is not padding.
#[derive(Clone, Copy)]
pub(crate) enum Scan {
    Bytes,
    /// 64 bytes are compared at once, which compiles to vector instructions.
    Rows,
}

/// Where the file's pages are when it is opened.
#[derive(Clone, Copy)]
pub(crate) enum Pages {
    Warm,
    Cold,
    /// As [`Pages::Cold`], but the kernel is asked for the file's last step before it is read.
    Asked,
}

pub(crate) struct FindEnd {
    path: PathBuf,
    /// Where the text ends, found or not.
    end: u64,
    scan: Scan,
    pages: Pages,
    block: Vec<u8>,
}

impl FindEnd {
    pub(crate) fn new(
        ground: &Ground,
        home: &Path,
        padding: usize,
        scan: Scan,
        pages: Pages,
    ) -> io::Result<Self> {
        let path = home.join("journal");
        let mut bytes: Vec<u8> =
            (0..100).flat_map(|index| ground.messages.line(index)).copied().collect();
        let end = length(&bytes)?;
        bytes.resize(bytes.len() + padding, b'\n');
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        file.write_all_at(&bytes, 0)?;
        file.sync_all()?;
        Ok(Self { path, end, scan, pages, block: vec![0; BLOCK] })
    }

    fn find(&mut self) -> io::Result<u64> {
        let mut file = File::open(&self.path)?;
        let mut upto = file.seek(SeekFrom::End(0))?;
        if let Pages::Asked = self.pages {
            let from = upto.saturating_sub((256 << 10) + length(&self.block)?);
            rustix::fs::fadvise(&file, from, NonZeroU64::new(upto - from), Advice::WillNeed)?;
        }
        while upto > 0 {
            let from = upto.saturating_sub(length(&self.block)?);
            let size = usize::try_from(upto - from).map_err(io::Error::other)?;
            let block = self.block.get_mut(..size).unwrap_or_default();
            file.read_exact_at(block, from)?;
            let text = self.scan.text(block);
            if text > 0 {
                // The LF that ends the last line looks like padding.
                return Ok(from + u64::try_from(text).map_err(io::Error::other)? + 1);
            }
            upto = from;
        }
        Ok(0)
    }
}

impl Scan {
    /// How much of `block` comes before the LFs at its end.
    fn text(self, mut block: &[u8]) -> usize {
        if let Self::Rows = self {
            while let Some(before) = block.strip_suffix(&[b'\n'; 64]) {
                block = before;
            }
        }
        block.iter().rposition(|&byte| byte != b'\n').map_or(0, |last| last + 1)
    }
}

impl Contender for FindEnd {
    fn prepare(&mut self) -> io::Result<()> {
        if let Pages::Cold | Pages::Asked = self.pages {
            rustix::fs::fadvise(File::open(&self.path)?, 0, None, Advice::DontNeed)?;
        }
        Ok(())
    }

    fn operate(&mut self, _index: usize) -> io::Result<()> {
        let found = self.find()?;
        if found == self.end {
            return Ok(());
        }
        Err(io::Error::other(format!("the text ends at {}, not at {found}", self.end)))
    }
}
