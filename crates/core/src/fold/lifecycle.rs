//! Where a session is in its life.

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// It takes everything.
    Active,
    /// It takes events and metadata, but no more messages.
    Closed,
    /// Only its tombstone speaks for it.
    Deleted,
}

impl Lifecycle {
    /// The stable name in `--json` output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Closed => "closed",
            Self::Deleted => "deleted",
        }
    }
}
