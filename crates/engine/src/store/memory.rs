//! What a store holds, and what it keeps in memory of that.

use sessile_core::{Error, SessionId};

use super::handle::Store;
use crate::census::Census;

impl Store {
    /// Makes a session cold: what is known of it stays with its handles, and what they are asked
    /// for next is read from its journal. Answers whether it was folded in memory.
    ///
    /// Nothing is lost by it, and what has nowhere else to be is kept: it is for tests, and for
    /// whoever knows that a session will not be used for long.
    ///
    /// # Errors
    /// *invalid id*.
    pub fn evict(&self, id: impl TryInto<SessionId, Error: Into<Error>>) -> Result<bool, Error> {
        Ok(self.residency().evict(&self.key(id)?))
    }

    /// Counts the sessions of the space, and says how many of them are in memory here.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub async fn census(&self) -> Result<Census, Error> {
        Census::of(self.opened(), self.residency(), self.space_name()).await
    }

    /// Makes all sessions cold, in all spaces; answers how many were folded in memory.
    pub fn evict_all(&self) -> usize {
        self.residency().evict_all()
    }
}
