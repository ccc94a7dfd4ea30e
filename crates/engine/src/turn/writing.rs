//! What a turn shows and writes.

use serde::Serialize;
use sessile_core::backend::{DocKey, NewDocument, Precondition};
use sessile_core::lens;
use sessile_core::{EntryType, Error, ErrorKind, NewEntry, Payload, Revision};

use super::handle::Turn;
use super::progress::TurnEvent;
use crate::addition::Addition;
use crate::append::{Append, Committed};
use crate::delivery;
use crate::mutation;
use crate::reading::{self, View, Window};

impl Turn {
    /// Takes the view: the last summary, the last messages, and those that the turn has pushed.
    ///
    /// # Errors
    /// *fenced* when the claim does not stand any more; those of
    /// [`Session::view`](crate::Session::view).
    pub async fn view(&self, window: Window) -> Result<View, Error> {
        let resident = &*self.holding.seat.admit().await?;
        let mut view = reading::view(resident, window).await?;
        self.holding.look(resident, |_| ())?;
        view.pending = reading::pending(resident).await?;
        Ok(view)
    }

    /// Appends a message: durable, and provisional until the turn is committed.
    ///
    /// # Errors
    /// *refused* for a value without JSON form, above a limit, or of a role that the request
    /// forbids; *fenced* when the claim does not stand any more; *closed*, *deleted*,
    /// *unavailable*, *deadline*, *permission*.
    pub async fn push<T: Serialize + ?Sized>(&self, message: &T) -> Result<Committed, Error> {
        self.push_all([message]).await
    }

    /// Appends messages, all of them or none.
    ///
    /// # Errors
    /// Those of [`push`](Self::push); *refused* for an empty batch.
    pub async fn push_all<T: Serialize>(
        &self,
        messages: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.push_with(Append::at_end(), messages).await
    }

    /// Appends messages where, and under which commit id, the caller says.
    ///
    /// # Errors
    /// Those of [`push_all`](Self::push_all); *conflict* as for
    /// [`Session::append_with`](crate::Session::append_with).
    pub async fn push_with<T: Serialize>(
        &self,
        append: Append,
        messages: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        let messages = messages.into_iter().map(|message| Payload::of(&message));
        let messages = messages.collect::<Result<Vec<_>, _>>()?;
        messages.iter().try_for_each(|message| self.check_role(message))?;
        let count = messages.len();
        let done = self.write(append, EntryType::Message, messages).await?;
        self.holding.teller.tell(TurnEvent::Pushed { first: done.first, messages: count });
        Ok(done)
    }

    /// Appends events: what happened, outside the transcript. They stay whatever becomes of the
    /// turn.
    ///
    /// # Errors
    /// Those of [`push_all`](Self::push_all).
    pub async fn note<T: Serialize>(
        &self,
        events: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        let events = events.into_iter().map(|event| Payload::of(&event));
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let done = self.write(Append::at_end(), EntryType::Event, events).await?;
        self.holding.teller.tell(TurnEvent::Noted { first: done.first });
        Ok(done)
    }

    async fn write(
        &self,
        append: Append,
        entry_type: EntryType,
        data: Vec<Payload>,
    ) -> Result<Committed, Error> {
        let (resident, claim) = (&*self.holding.seat.admit().await?, self.holding.claim);
        let at = resident.opened().now();
        let entry = |data| {
            let entry = NewEntry::new(at, entry_type.clone(), data);
            NewEntry { claim: Some(claim), ..entry }
        };
        let entries = data.into_iter().map(entry).collect();
        let addition = Addition::new(resident.opened(), append, entries)
            .map_err(|error| error.about(resident.key()))?;
        mutation::join(resident, addition).await
    }

    /// Refuses a message of a role that the request forbids.
    pub(super) fn check_role(&self, message: &Payload) -> Result<(), Error> {
        if !self.system_forbidden {
            return Ok(());
        }
        let seat = &self.holding.seat;
        let dialect = seat.dialect();
        match lens::read(dialect, message).role.as_deref() {
            Some(role @ ("system" | "developer")) => {
                let clause = format!("the request forbids messages of the role {role}");
                Err(Error::new(ErrorKind::Refused, clause).about(seat.key()))
            }
            _ => Ok(()),
        }
    }

    /// Puts a document if the claim stands; answers its revision.
    ///
    /// It is a check and no fence: who recovers the request between the check and the put is not
    /// seen. Whoever must not be overtaken reads the document again under its own claim.
    ///
    /// # Errors
    /// *fenced*; *conflict* with the actual revision; *corrupt*, *unavailable*, *deadline*,
    /// *permission*.
    pub async fn put_document(
        &self,
        key: &DocKey,
        value: impl AsRef<[u8]> + Send,
        precondition: Precondition,
    ) -> Result<Revision, Error> {
        let resident = &*self.holding.seat.admit().await?;
        resident.catch_up().await?;
        self.holding.look(resident, |_| ())?;
        let opened = resident.opened();
        let document = NewDocument {
            bytes: value.as_ref().to_vec().into(),
            revision: opened.revision(),
            session: Some(resident.key().id.clone()),
        };
        let patience = opened.deadline().into();
        let put = || opened.backend().put(key, document.clone(), precondition);
        delivery::repeat(opened, &patience, put).await?;
        Ok(document.revision)
    }
}
