//! Appending messages and events.

use serde::Serialize;
use sessile_core::{CommitId, EntryType, Error, NewEntry, Payload};

use super::handle::Session;
use crate::addition::{Addition, replayed};
use crate::append::{Append, Committed};
use crate::mutation;

impl Session {
    /// Appends messages at the end, whoever else appends meanwhile; all of them or none.
    ///
    /// Each is serialised once and kept as it is from then on. To keep the bytes of JSON that you
    /// have as text, give a [`Payload`].
    ///
    /// It needs no expected position, because it asks for none, and its commit id is minted: to
    /// be able to repeat it after a lost answer, use [`append_with`](Self::append_with) and name
    /// a commit id.
    ///
    /// # Errors
    /// *refused* for an empty batch, a value without JSON form, or above a limit; *closed*,
    /// *deleted*, *unavailable*, *deadline*, *permission*. When [`outcome`](Error::outcome) is
    /// unknown, [`resolve`](Self::resolve) finds it out.
    pub async fn append<T: Serialize>(
        &self,
        messages: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_with(Append::at_end(), messages).await
    }

    /// Appends messages where, and under which commit id, the caller says; all of them or none.
    ///
    /// # Errors
    /// Those of [`append`](Self::append); *conflict* with the actual position when something was
    /// added since the expected one, or when the commit id stands for other content; *corrupt*
    /// when damage may hide a commit of that id.
    pub async fn append_with<T: Serialize>(
        &self,
        append: Append,
        messages: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_all(append, &EntryType::Message, messages).await
    }

    /// Appends events at the end: what happened, outside the transcript. Closed sessions take
    /// them too.
    ///
    /// # Errors
    /// Those of [`append`](Self::append) but for *closed*.
    pub async fn append_events<T: Serialize>(
        &self,
        events: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_events_with(Append::at_end(), events).await
    }

    /// Appends events where, and under which commit id, the caller says.
    ///
    /// # Errors
    /// Those of [`append_with`](Self::append_with) but for *closed*.
    pub async fn append_events_with<T: Serialize>(
        &self,
        append: Append,
        events: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.append_all(append, &EntryType::Event, events).await
    }

    /// Finds out what became of a commit whose outcome was unknown: what it did, or none, and
    /// then it never will do anything.
    ///
    /// It may append a barrier, because only a write can tell. The next mutation of a handle that
    /// was left with an unknown outcome does the same by itself.
    ///
    /// # Errors
    /// *corrupt* when damage may hide the commit; *unavailable*, *deadline*, *permission*.
    pub async fn resolve(&self, id: &CommitId) -> Result<Option<Committed>, Error> {
        let recorded = mutation::resolve(&*self.admit_change().await?, id.clone()).await?;
        Ok(recorded.map(|recorded| replayed(id.clone(), &recorded)))
    }

    async fn append_all<T: Serialize>(
        &self,
        append: Append,
        entry_type: &EntryType,
        values: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        let at = self.opened().now();
        let entry = |value| {
            let data = Payload::of(&value)?;
            Ok(NewEntry::new(at, entry_type.clone(), data))
        };
        let entries = values.into_iter().map(entry).collect::<Result<_, Error>>()?;
        self.commit(append, entries).await
    }

    /// Appends entries as one commit.
    pub(crate) async fn commit(
        &self,
        append: Append,
        entries: Vec<NewEntry>,
    ) -> Result<Committed, Error> {
        // Checked before anything else: what can't be appended needs no state to be refused.
        let addition = Addition::new(self.opened(), append, entries)
            .map_err(|error| error.about(self.key()))?;
        mutation::join(&*self.admit_change().await?, addition).await
    }
}
