//! Reading stretches of a file.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;

use bytes::{Bytes, BytesMut};

/// How much is read at once where the whole is not known to be needed.
pub(crate) const BLOCK: u64 = 64 << 10;

/// The length of a file; by seeking, since asking for its metadata asks for its times.
pub(crate) fn length(mut file: &File) -> io::Result<u64> {
    file.seek(SeekFrom::End(0))
}

/// Tells the system that a stretch will be read, so that it need not be fetched block by block.
pub(crate) fn will_read(file: &File, from: u64, to: u64) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    if let Some(length) = std::num::NonZeroU64::new(to.saturating_sub(from)) {
        let advice = rustix::fs::Advice::WillNeed;
        // Only advice: what comes of it is seen when the stretch is read.
        let _unheeded = rustix::fs::fadvise(file, from, Some(length), advice);
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    let _ = (file, from, to);
}

/// Reads from one offset to another, or to where the file ends before.
pub(crate) fn read(file: &File, from: u64, to: u64) -> io::Result<Bytes> {
    read_into(BytesMut::new(), file, from, to)
}

/// Reads from one offset to another, or to where the file ends before, into memory whose content
/// nobody needs.
pub(crate) fn read_into(
    mut buffer: BytesMut,
    file: &File,
    from: u64,
    to: u64,
) -> io::Result<Bytes> {
    let wanted = usize::try_from(to.saturating_sub(from)).map_err(io::Error::other)?;
    if buffer.capacity() < wanted {
        // Memory that is new comes with zeros.
        buffer = BytesMut::zeroed(wanted);
    }
    buffer.resize(wanted, 0);
    let filled = fill(&mut buffer, file, from)?.len();
    buffer.truncate(filled);
    Ok(buffer.freeze())
}

/// Fills memory with what stands in a file from an offset on; answers as much as there was.
pub(crate) fn fill<'a>(memory: &'a mut [u8], file: &File, from: u64) -> io::Result<&'a [u8]> {
    let mut filled = 0;
    while let Some(rest) = memory.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, from + u64::try_from(filled).unwrap_or(0)) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(memory.get(..filled).unwrap_or_default())
}
