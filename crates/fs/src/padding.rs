//! The steps in which a journal's file grows, filled with line ends.
//!
//! A write that does not change the file's size has a cheaper sync
//! (docs/adr/0002-journal-file-layout.md).

/// The least and the greatest step.
const LEAST_STEP: u64 = 64 << 10;
const GREATEST_STEP: u64 = 256 << 10;

/// The length of a file whose commits end at an offset: a power of two, then whole steps.
fn padded_size(end: u64) -> u64 {
    if end <= GREATEST_STEP {
        end.next_power_of_two().max(LEAST_STEP)
    } else {
        end.next_multiple_of(GREATEST_STEP)
    }
}

/// Adds padding to bytes that go to an offset of a file of a size, unless it is long enough.
pub(crate) fn pad(bytes: &mut Vec<u8>, offset: u64, size: u64) {
    let end = offset + u64::try_from(bytes.len()).unwrap_or(0);
    let padded = padded_size(end);
    if size < padded {
        let padding = usize::try_from(padded - end).unwrap_or(0);
        bytes.resize(bytes.len() + padding, b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_grow_in_steps() {
        let sizes = [1, 65_536, 65_537, 200_000, 262_144, 262_145, 1_000_000].map(padded_size);
        assert_eq!(sizes, [65_536, 65_536, 131_072, 262_144, 262_144, 524_288, 1_048_576]);
    }

    #[test]
    fn a_file_that_is_long_enough_is_not_padded() {
        let mut bytes = vec![b'x'; 10];
        pad(&mut bytes, 100, 65_536);
        assert_eq!(bytes.len(), 10);
        pad(&mut bytes, 100, 65_535);
        assert_eq!(bytes.len(), 65_436);
    }
}
