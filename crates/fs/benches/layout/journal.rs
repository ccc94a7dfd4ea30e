//! One journal file, under each rule for when its size changes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FallocateFlags, StatxFlags};

use super::Ground;
use super::messages::Messages;
use super::rotation::Contender;

/// What a file's size does when a commit does not fit.
#[derive(Clone, Copy)]
pub(crate) enum Growth {
    /// It is the end of the text, always.
    Exact,
    /// It goes to the next step, filled with LF by the write that holds the commit.
    Padded(Steps),
    /// It goes to the next step, without blocks.
    Sparse(Steps),
    /// It goes to the next step, with blocks that are marked unwritten.
    Allocated(Steps),
    /// It is the end of the text, with blocks up to the next step.
    Reserved(Steps),
    /// Never: the file is as long as it will be, and every block of it is written.
    Whole,
}

/// The sizes that a file passes through.
#[derive(Clone, Copy)]
pub(crate) enum Steps {
    /// Powers of two from 64 KiB to 256 KiB, then multiples of 256 KiB.
    Ladder,
    /// Multiples of this.
    Of(u64),
}

impl Steps {
    pub(crate) fn at_least(self, end: u64) -> u64 {
        match self {
            Self::Ladder if end <= 256 << 10 => end.next_power_of_two().max(64 << 10),
            Self::Ladder => end.next_multiple_of(256 << 10),
            Self::Of(step) => end.next_multiple_of(step),
        }
    }
}

/// What is asked of the open file before each write.
#[derive(Clone, Copy)]
pub(crate) enum Look {
    Nothing,
    /// Whatever the standard library's `metadata` asks for, the times among it.
    WithTimes,
    /// Inode and size only.
    Masked,
}

impl Look {
    fn at(self, file: &File) -> io::Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::WithTimes => file.metadata().map(|_seen| ()),
            Self::Masked => {
                let mask = StatxFlags::INO | StatxFlags::SIZE;
                rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, mask)?;
                Ok(())
            }
        }
    }
}

pub(crate) struct Journal {
    file: File,
    growth: Growth,
    look: Look,
    messages: Arc<Messages>,
    /// Where the text ends.
    end: u64,
    /// How far the current step reaches; unused by [`Growth::Exact`].
    step: u64,
    buffer: Vec<u8>,
}

impl Journal {
    pub(crate) fn create(
        ground: &Ground,
        path: &Path,
        growth: Growth,
        look: Look,
    ) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let mut step = 0;
        if let Growth::Whole = growth {
            step = u64::try_from(ground.messages.bytes()).map_err(io::Error::other)?;
            file.write_all_at(&vec![0; ground.messages.bytes()], 0)?;
        }
        file.sync_all()?;
        let messages = Arc::clone(&ground.messages);
        Ok(Self { file, growth, look, messages, end: 0, step, buffer: Vec::new() })
    }

    pub(crate) fn append(&mut self, index: usize) -> io::Result<()> {
        self.look.at(&self.file)?;
        self.buffer.clear();
        self.buffer.extend_from_slice(self.messages.line(index));
        let end = self.end + length(&self.buffer)?;
        if end > self.step {
            self.grow(end)?;
        }
        self.file.write_all_at(&self.buffer, self.end)?;
        self.end = end;
        self.file.sync_data()
    }

    fn grow(&mut self, end: u64) -> io::Result<()> {
        match self.growth {
            Growth::Exact | Growth::Whole => {}
            Growth::Padded(steps) => {
                self.step = steps.at_least(end);
                let reach = usize::try_from(self.step - self.end).map_err(io::Error::other)?;
                self.buffer.resize(reach, b'\n');
            }
            Growth::Sparse(steps) => {
                self.step = steps.at_least(end);
                self.file.set_len(self.step)?;
            }
            Growth::Allocated(steps) => self.allocate(steps, end, FallocateFlags::empty())?,
            Growth::Reserved(steps) => self.allocate(steps, end, FallocateFlags::KEEP_SIZE)?,
        }
        Ok(())
    }

    fn allocate(&mut self, steps: Steps, end: u64, flags: FallocateFlags) -> io::Result<()> {
        let from = self.step;
        self.step = steps.at_least(end);
        Ok(rustix::fs::fallocate(self.file.as_fd(), flags, from, self.step - from)?)
    }
}

impl Contender for Journal {
    fn operate(&mut self, index: usize) -> io::Result<()> {
        self.append(index)
    }
}

pub(crate) fn length(bytes: &[u8]) -> io::Result<u64> {
    u64::try_from(bytes.len()).map_err(io::Error::other)
}

/// Fills up with LF, to the ladder's next step, what begins at `start`.
pub(crate) fn pad(bytes: &mut Vec<u8>, start: u64) -> io::Result<()> {
    let reach = Steps::Ladder.at_least(start + length(bytes)?) - start;
    bytes.resize(usize::try_from(reach).map_err(io::Error::other)?, b'\n');
    Ok(())
}
