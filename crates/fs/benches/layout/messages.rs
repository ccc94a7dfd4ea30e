//! Lines of the sizes that sessions hold, the same in every run.

use std::io;

/// Lines that end in LF.
pub(crate) struct Messages(Vec<Vec<u8>>);

impl Messages {
    pub(crate) fn seeded(count: usize) -> io::Result<Self> {
        let mut random = Random(0x5e55_11e5);
        (0..count).map(|_| random.line()).collect::<io::Result<_>>().map(Self)
    }

    /// The line at `index`; after the last one they begin again.
    pub(crate) fn line(&self, index: usize) -> &[u8] {
        self.0.get(index % self.0.len().max(1)).map_or(b"\n", Vec::as_slice)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    pub(crate) fn mean(&self) -> usize {
        self.bytes() / self.0.len().max(1)
    }
}

/// The generator `SplitMix64`: the same sizes on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Mostly short turns, some code and tool output, rarely a whole file.
    fn size(&mut self) -> u64 {
        let (low, high) = match self.next() % 1_000 {
            0..620 => (200, 700),
            620..920 => (700, 2_048),
            920..998 => (2_048, 8_192),
            _ => (102_400, 102_401),
        };
        low + self.next() % (high - low)
    }

    /// Letters without pattern, so that a filesystem that compresses gains nothing by it.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let size = usize::try_from(self.size()).map_err(io::Error::other)?;
        let mut line = Vec::with_capacity(size + 8);
        while line.len() < size {
            line.extend(self.next().to_le_bytes().map(|byte| b'a' + byte % 26));
        }
        line.truncate(size - 1);
        line.push(b'\n');
        Ok(line)
    }
}
