//! Reading.

use sessile_core::Error;

use super::handle::Session;
use crate::reading::{self, Entries, From, FromMessage, Transcript, View, Window};

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

    /// Takes the view: the last summary, the last messages, and how many stand between.
    ///
    /// What rewinds hide and what was forgotten is not part of it.
    ///
    /// # Errors
    /// *refused* for a window of no messages; *corrupt* where damage hides how many messages
    /// there are, or lies among those that are shown; *missing*, *unavailable*, *deadline*,
    /// *permission*.
    pub async fn view(&self, window: Window) -> Result<View, Error> {
        reading::view(self.resident(), window).await
    }

    /// Reads all entries, of whatever type, from a beginning to the journal's present end.
    ///
    /// # Errors
    /// Those of [`transcript`](Self::transcript).
    pub async fn entries(&self, from: From) -> Result<Entries, Error> {
        Entries::begin(self.resident(), from).await
    }

    /// Reads events, from a beginning to the journal's present end.
    ///
    /// # Errors
    /// Those of [`transcript`](Self::transcript).
    pub async fn events(&self, from: From) -> Result<Entries, Error> {
        Entries::events(self.resident(), from).await
    }
}
