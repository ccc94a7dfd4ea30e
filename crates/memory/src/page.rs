//! Pages of a listing.

use std::collections::BTreeMap;
use std::ops::Bound;

use sessile_core::{Error, ErrorKind};

/// Refuses a page without rows: it could not be told from the end of the list.
pub(crate) fn check_limit(limit: usize) -> Result<(), Error> {
    if limit > 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Refused, "a page needs room for at least one row"))
}

/// The keys of a map after one of them, which need not be there, at most so many.
pub(crate) fn of_keys<K: Ord + Clone, V>(
    map: &BTreeMap<K, V>,
    after: Option<&K>,
    limit: usize,
) -> Result<Vec<K>, Error> {
    check_limit(limit)?;
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    let rows = map.range::<K, _>((from, Bound::Unbounded));
    Ok(rows.map(|(key, _)| key.clone()).take(limit).collect())
}
