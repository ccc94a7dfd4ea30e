//! How much a run does.

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As much as the table says.
    Full,
    /// A tenth or less, to see that it runs.
    Quick,
}

impl Effort {
    /// The first number, or for a quick run the second.
    pub(crate) const fn of(self, full: usize, quick: usize) -> usize {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }
}
