//! Having written what waits.

use sessile_core::Error;

use super::handle::Store;
use crate::generation::Generation;

impl Store {
    /// The last change that was told before it was durable, in all spaces; 0 for none.
    pub fn generation(&self) -> Generation {
        let waiting = self.residency().behind().map(|behind| behind.figures());
        waiting.map(|waiting| waiting.generation).unwrap_or_default()
    }

    /// Has everything written that waits up to a generation, and waits for no later change.
    ///
    /// # Errors
    /// Why it could not be written, with an unknown outcome: it still waits, and is tried again by
    /// itself. *superseded*, once for each change that was refused when it was written, that nobody
    /// was told of: all others of these are durable when none is told any more.
    pub async fn flush_through(&self, generation: Generation) -> Result<(), Error> {
        match self.residency().behind() {
            Some(behind) => behind.flush_through(generation).await,
            None => Ok(()),
        }
    }

    /// Has everything written that waits now.
    ///
    /// # Errors
    /// Those of [`flush_through`](Self::flush_through).
    pub async fn flush(&self) -> Result<(), Error> {
        self.flush_through(self.generation()).await
    }
}
