//! Numbers that are the same in every run.

/// The generator `SplitMix64`.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 on, below `bound`.
    pub(crate) const fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }

    /// One of them.
    pub(crate) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let bound = u64::try_from(words.len()).unwrap_or(0);
        let index = usize::try_from(self.below(bound)).unwrap_or(0);
        words.get(index).copied().unwrap_or_default()
    }
}
