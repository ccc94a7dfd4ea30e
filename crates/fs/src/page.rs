//! Pages of a list.

use sessile_core::error::{Error, ErrorKind};

/// Refuses a page of no rows: it could not be told from the end of the list.
pub(crate) fn check_limit(limit: usize) -> Result<(), Error> {
    if limit > 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Refused, "a page needs room for at least one row"))
}
