//! Stretches of a journal that are read back from its end.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sessile_core::backend::Span;
use sessile_core::commit::FRAME_BYTES;
use sessile_core::{Error, Position, StoredCommit};

use crate::resident::Resident;

/// The shortest stretch that is looked at first before the end, in bytes; each further one is four
/// times as long as the one before.
const FIRST: u64 = 16 << 10;

/// The longest one.
const LONGEST: u64 = 1 << 20;

/// How long the first stretch is in which so many messages in sight are looked for: as long as they
/// are, if that is known.
pub(super) fn of_messages(resident: &Resident, count: usize) -> u64 {
    let known = resident.folded().recents().bytes_of_last(count);
    known.map_or_else(|| of_entries(resident, count), |known| known.min(LONGEST))
}

/// How long the first stretch is in which so many entries are looked for.
pub(super) fn of_entries(resident: &Resident, count: usize) -> u64 {
    let folded = resident.folded();
    let state = folded.state();
    let each = state.payload_bytes() / state.entries().max(1) + FRAME_BYTES;
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    count.saturating_mul(2).saturating_mul(each).clamp(FIRST, LONGEST)
}

/// A commit, or the damage that stands in its place.
pub(super) type Item = Result<StoredCommit, Error>;

/// Reads the last commits before a position.
///
/// # Errors
/// Those of beginning to read; what is wrong further on is an item.
pub(super) async fn read(
    resident: &Resident,
    before: Position,
    max_bytes: u64,
) -> Result<Vec<Item>, Error> {
    let mut commits = resident.read(Span::Back { before, max_bytes }).await?;
    let mut items = Vec::new();
    while let Some(item) = resident.opened().next(&mut commits).await {
        items.push(item);
    }
    Ok(items)
}

/// The first stretch before the end of a journal, read while somebody looked where that is; for
/// the first read that begins there, and empty after it.
#[derive(Clone, Default)]
pub(super) struct Ahead(Arc<Mutex<Option<Stretch>>>);

/// What was read back from a position.
struct Stretch {
    before: Position,
    items: Vec<Item>,
}

impl Ahead {
    /// Reads before where the journal is thought to end. What goes wrong is told to whoever reads
    /// it anew.
    pub(super) async fn of(resident: &Resident, before: Position, max_bytes: u64) -> Self {
        let items = read(resident, before, max_bytes).await.ok();
        Self(Arc::new(Mutex::new(items.map(|items| Stretch { before, items }))))
    }

    /// Takes it, if it ends at a position.
    pub(super) fn take(&self, before: Position) -> Option<Vec<Item>> {
        // A holder that panicked has taken it or not.
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.filter(|it| it.before == before).map(|it| it.items)
    }
}

impl fmt::Debug for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ahead").finish_non_exhaustive()
    }
}
