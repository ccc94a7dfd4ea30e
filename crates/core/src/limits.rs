//! Bounds on what a store takes, checked before any I/O and refused with the limit's name.

use crate::error::{Error, ErrorKind};

/// The bounds of a store; each is an option with a default.
///
/// # Examples
/// ```
/// use sessile_core::Limits;
///
/// let mut limits = Limits::default();
/// limits.page_rows = 100;
/// assert_eq!(limits.entry_bytes, 16 << 20);
/// assert!(Limits::check("page_rows", limits.page_rows, 101).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one entry's payload; 16 MiB.
    pub entry_bytes: usize,
    /// Bytes of all payloads of one commit; 32 MiB.
    pub commit_bytes: usize,
    /// Bytes of one document; 16 MiB.
    pub document_bytes: usize,
    /// How deep the arrays and objects of a payload may nest; 4,096.
    pub nesting: usize,
    /// Rows of one page of a listing; 1,000.
    pub page_rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entry_bytes: 16 << 20,
            commit_bytes: 32 << 20,
            document_bytes: 16 << 20,
            nesting: 4_096,
            page_rows: 1_000,
        }
    }
}

impl Limits {
    /// Refuses a size above its bound, naming both.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`], saying which limit it was.
    pub fn check(limit: &'static str, bound: usize, actual: usize) -> Result<(), Error> {
        if actual <= bound {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Refused,
            format!("{actual} is above the limit {limit} of {bound}"),
        )
        .with_hint("split it, or raise the limit where the store is opened"))
    }
}
