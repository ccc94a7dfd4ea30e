//! The checksums of a line and of a commit's lines together.

use crate::digest::Salt;

/// How many bytes the last member and the closing brace take: `,"crc":"1a2b3c4d"}`.
pub const CRC_SUFFIX_BYTES: usize = 18;

/// CRC-32C of a line's bytes before its crc member, from the salt; the header's own from zero,
/// since the salt stands in it.
pub(super) fn of_line(salt: Option<Salt>, covered: &[u8]) -> u32 {
    crc32c::crc32c_append(salt.map_or(0, Salt::initial), covered)
}

/// Parts a line into what its checksum covers and the checksum it says, whose form is fixed.
pub(super) fn split(line: &[u8]) -> Option<(&[u8], u32)> {
    let at = line.len().checked_sub(CRC_SUFFIX_BYTES)?;
    let (covered, suffix) = line.split_at(at);
    let hex = suffix.strip_prefix(b",\"crc\":\"")?.strip_suffix(b"\"}")?;
    let lower_hex = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    if !hex.iter().all(lower_hex) {
        return None;
    }
    let sum = u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?;
    Some((covered, sum))
}

/// CRC-32C over the checksums of the lines of a commit before its closing one, in order, each as
/// four bytes, high byte first.
///
/// Without it the first lines of one attempt and the last line of another could pass for a
/// commit, each line being whole.
///
/// # Examples
/// ```
/// use sessile_core::line::LineSum;
///
/// let [first, second] = [0x1a2b_3c4d, 0x5e6f_7a8b];
/// let sum = LineSum::default().and(first).and(second);
/// // It depends on the order: lines that change places are no commit any more.
/// assert_ne!(sum, LineSum::default().and(second).and(first));
/// assert_eq!(LineSum::from_number(sum.number()), sum);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineSum(u32);

impl LineSum {
    /// Takes a number as it stands in a closing line.
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Adds the next line's checksum.
    #[must_use]
    pub fn and(self, crc: u32) -> Self {
        Self(crc32c::crc32c_append(self.0, &crc.to_be_bytes()))
    }

    /// The number.
    pub const fn number(self) -> u32 {
        self.0
    }
}
