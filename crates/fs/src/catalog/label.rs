//! What a catalog tells of the block that it begins with.

/// What a line tells of the block that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// How many sessions it is of.
    pub(crate) rows: u64,
    /// How many bytes of numbers it has, how many of texts of one session each after them, and how
    /// many of those that several may share.
    pub(crate) numbers: u64,
    pub(crate) texts: u64,
    pub(crate) shared: u64,
    /// The checksum of all of them.
    pub(crate) sum: u32,
}

impl Label {
    /// How many bytes follow the line.
    pub(crate) const fn bytes(&self) -> u64 {
        self.numbers.saturating_add(self.texts).saturating_add(self.shared)
    }
}
