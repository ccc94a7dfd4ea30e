//! Appending messages and events.

use serde::Serialize;
use sessile_core::{CommitId, EntryType, Error, ErrorKind, Limits, NewEntry, Payload};

use super::handle::Session;
use crate::addition::{Addition, replayed};
use crate::append::{Append, Committed};
use crate::behind::Batch;
use crate::generation::Generation;
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

    /// Appends messages at the end, all of them or none, and tells so at once where the store
    /// [writes behind](crate::Options::write_behind): they wait in this process, in the order in
    /// which they were given, and are written within the window together with others that wait.
    /// What the process loses by ending is the last ones that waited.
    ///
    /// They are durable once the generation that is answered was
    /// [flushed](crate::Store::flush_through), or anything else of the session was changed; none
    /// where they are durable already, since the store does not write behind. Where more than 16 MiB
    /// wait, it is told once there is room.
    ///
    /// # Errors
    /// Those of [`append`](Self::append), as far as is known here: what is refused when it is
    /// written, because others have closed the session or hold it by then, is *superseded*, which is
    /// told by flushing. Where there is no room, why what waits can't be written.
    pub async fn append_behind<T: Serialize>(
        &self,
        messages: impl IntoIterator<Item = T>,
    ) -> Result<Option<Generation>, Error> {
        let Some(behind) = self.seat().residency().behind() else {
            return self.append(messages).await.map(|_| None);
        };
        let about = |error: Error| error.about(self.key());
        let batch = self.batch(messages).map_err(about)?;
        match behind.add(self.key(), batch).map_err(about)? {
            Ok(generation) => Ok(Some(generation)),
            Err(batch) => {
                let resident = self.seat().admit().await?;
                behind.gather(&resident, batch).await.map(Some).map_err(about)
            }
        }
    }

    fn batch<T: Serialize>(&self, messages: impl IntoIterator<Item = T>) -> Result<Batch, Error> {
        let (at, limits) = (self.opened().now(), self.opened().limits());
        let mut batch = Batch { entries: Vec::new(), bytes: 0 };
        for message in messages {
            let entry = NewEntry::new(at, EntryType::Message, Payload::of(&message)?);
            entry.check(limits)?;
            batch.bytes += entry.data.len();
            batch.entries.push(entry);
        }
        Limits::check("commit_bytes", limits.commit_bytes, batch.bytes)?;
        if batch.entries.is_empty() {
            return Err(Error::new(ErrorKind::Refused, "an append needs at least one message"));
        }
        Ok(batch)
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
