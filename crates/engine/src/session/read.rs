//! Reading.

use sessile_core::Error;

use super::handle::Session;
use crate::reading::{Entries, From, FromMessage, Transcript};

impl Session {
    /// Reads messages, from a beginning to the journal's present end.
    ///
    /// They are read piece by piece: memory holds one commit at a time. What is added meanwhile
    /// is for the next read, which begins with
    /// [`From::seq`] at this one's [`position`](Transcript::position).
    ///
    /// # Errors
    /// *refused* for the last 0; *corrupt* where damage hides the beginning; *missing*,
    /// *unavailable*, *deadline*, *permission*. Damage further on is an item of the stream.
    pub async fn transcript<T: FromMessage>(&self, from: From) -> Result<Transcript<T>, Error> {
        Transcript::begin(self.resident(), from).await
    }

    /// Reads all entries, of whatever type, from a beginning to the journal's present end.
    ///
    /// # Errors
    /// Those of [`transcript`](Self::transcript).
    pub async fn entries(&self, from: From) -> Result<Entries, Error> {
        Entries::begin(self.resident(), from).await
    }
}
