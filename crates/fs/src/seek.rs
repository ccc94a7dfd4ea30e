//! Finding the commit that holds a seq, by halving: numbers rise through the file.

use std::fs::File;
use std::io;

use sessile_core::digest::Salt;
use sessile_core::position::Seq;

use crate::blocks::BLOCK;
use crate::tail;

/// Where a commit begins that starts at or before a seq, at most a few blocks before it; 0 if it
/// is the first.
pub(crate) fn commit_at_or_before(file: &File, salt: Salt, end: u64, seq: Seq) -> io::Result<u64> {
    let (mut low, mut high) = (0, end);
    while high - low > BLOCK {
        let middle = low + (high - low) / 2;
        match first_commit_after(file, salt, middle, high)? {
            Some((offset, first)) if first <= seq => low = offset,
            // No commit begins between: the one that matters is before the middle.
            _ => high = middle,
        }
    }
    Ok(low)
}

/// The first whole commit that begins after an offset and before another.
fn first_commit_after(
    file: &File,
    salt: Salt,
    from: u64,
    limit: u64,
) -> io::Result<Option<(u64, Seq)>> {
    let mut stretch = BLOCK;
    loop {
        let to = from.saturating_add(stretch).min(limit);
        let (_, found) = tail::scan(file, salt, from, to)?;
        let first = found.iter().find_map(tail::commit);
        if let Some(placed) = first {
            return Ok(Some((placed.offset, placed.commit.first_seq())));
        }
        if to == limit {
            return Ok(None);
        }
        stretch = stretch.saturating_mul(2);
    }
}
