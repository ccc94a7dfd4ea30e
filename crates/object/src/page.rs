//! Pages of a listing.

use sessile_core::{Error, ErrorKind};

/// Refuses a page without rows: it could not be told from the end of the list.
pub(crate) fn check_limit(limit: usize) -> Result<(), Error> {
    if limit > 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Refused, "a page needs room for at least one row"))
}
