//! Going back in the transcript.

use sessile_core::entry::shape::Rewind;
use sessile_core::{EntryType, Error, ErrorKind, Seq};

use super::handle::Session;
use super::planned::{Plan, Planned};
use crate::append::{Append, Committed};
use crate::mutation;
use crate::reading::{self, From, RawMessage, Seen, Transcript};
use crate::resident::Resident;

/// What [`Session::pop`] took off the transcript.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Popped;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["one", "two"]).await?;
/// let popped: Popped = session.pop(1).await?.expect("there was one");
/// assert_eq!(popped.messages[0].decode::<String>()?, "two");
/// assert_eq!(session.info().messages, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Popped {
    /// The messages, in the order in which they stood.
    pub messages: Vec<RawMessage>,
    /// The rewind that hides them.
    pub committed: Committed,
}

impl Session {
    /// Goes back to an entry, itself included: later readers see the transcript as it was then.
    ///
    /// Messages and compactions behind it are hidden, and nothing is lost:
    /// [`entries`](Self::entries) shows them. The next message gets the ordinal after the last one
    /// that stays in sight; numbers of entries and positions go on rising. Commits behind it are
    /// recognised as before.
    ///
    /// It needs no expected position, because it names what stays: whoever appends meanwhile is
    /// hidden if the append comes first, and in sight if the rewind does.
    ///
    /// # Errors
    /// *refused* when the journal has no such entry yet; *closed*, *deleted*, *unavailable*,
    /// *deadline*, *permission*. Damage is none, wherever it lies.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{From, NewSession, Store};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// # let session = store.create(NewSession::new()).await?;
    /// let asked = session.append(["a question"]).await?;
    /// session.append(["a poor answer"]).await?;
    /// session.rewind(asked.first).await?;
    /// session.append(["a better answer"]).await?;
    /// let seen: Vec<String> = session.transcript(From::start()).await?.all().await?;
    /// assert_eq!(seen, ["a question", "a better answer"]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn rewind(&self, to: Seq) -> Result<Committed, Error> {
        self.rewind_with(Append::at_end(), to).await
    }

    /// Goes back to an entry where, and under which commit id, the caller says.
    ///
    /// # Errors
    /// Those of [`rewind`](Self::rewind); *conflict* as for [`append_with`](Self::append_with).
    pub async fn rewind_with(&self, append: Append, to: Seq) -> Result<Committed, Error> {
        let planned = Planned::new(append, To(to));
        let done = mutation::carry_out(&*self.admit_change().await?, planned).await?;
        done.map(|(committed, ())| committed).ok_or_else(undone)
    }

    /// Takes the last so many messages off the transcript and hands them out; all of them if
    /// there are fewer, and none if there are none, with nothing appended.
    ///
    /// It is a rewind by position: it expects that the journal ends where this handle knows it
    /// to, so that the caller pops what it could have seen, and of those who pop at once each gets
    /// other messages. After a conflict the handle knows the new end.
    ///
    /// # Errors
    /// *refused* for no messages at all; *conflict* with the actual position; *forgotten* when it
    /// reaches what was forgotten; *corrupt* when damage lies among the messages; *closed*,
    /// *deleted*, *unavailable*, *deadline*, *permission*.
    pub async fn pop(&self, messages: usize) -> Result<Option<Popped>, Error> {
        self.pop_with(Append::at_end(), messages).await
    }

    /// Takes the last so many messages off where, and under which commit id, the caller says; an
    /// append at the end expects the position that this handle knows.
    ///
    /// Under a commit id it is safe to repeat: the same messages are handed out again.
    ///
    /// # Errors
    /// Those of [`pop`](Self::pop); *conflict* as for [`append_with`](Self::append_with).
    pub async fn pop_with(&self, append: Append, messages: usize) -> Result<Option<Popped>, Error> {
        if messages == 0 {
            return Err(Error::new(ErrorKind::Refused, "the last 0 messages are nothing to pop")
                .with_hint("ask for at least 1")
                .about(self.key()));
        }
        let planned = Planned::new(append.or_at(self.position()), Last(messages));
        let done = mutation::carry_out(&*self.admit_change().await?, planned).await?;
        Ok(done.map(|(committed, messages)| Popped { messages, committed }))
    }
}

/// A plan that always comes to an entry came to none.
pub(super) fn undone() -> Error {
    Error::new(ErrorKind::Unsupported, "there was nothing to do")
}

/// To go back to an entry.
struct To(Seq);

impl Plan for To {
    type Shape = Rewind;
    type Told = ();

    const TYPE: EntryType = EntryType::Rewind;

    async fn work_out(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> Result<Option<(Rewind, ())>, Error> {
        let Self(to) = *self;
        if to.after() > seen.until() {
            let clause = format!("entry {to} is beyond position {}, the end", seen.until());
            return Err(Error::new(ErrorKind::Refused, clause)
                .with_hint("name an entry that the journal has"));
        }
        let (messages, damage) = reading::count_through(resident, seen, to).await?;
        Ok(Some((Rewind { to, messages, damage }, ())))
    }

    async fn recall(&self, _: &Resident, _: Seq, made: &Rewind) -> Result<Option<()>, Error> {
        Ok((made.to == self.0).then_some(()))
    }
}

/// To take the last so many messages off.
struct Last(usize);

impl Plan for Last {
    type Shape = Rewind;
    type Told = Vec<RawMessage>;

    const TYPE: EntryType = EntryType::Rewind;

    async fn work_out(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> Result<Option<(Rewind, Vec<RawMessage>)>, Error> {
        let popped: Vec<RawMessage> =
            Transcript::of(resident, seen.clone(), From::last(self.0)).await?.all().await?;
        let before = popped.first().and_then(|first| first.seq.number().checked_sub(1));
        let Some(to) = before.and_then(Seq::new) else {
            return Ok(None);
        };
        // Behind damage those that can be read are counted.
        let counted = seen.counted().unwrap_or_else(|| seen.sight().messages());
        let messages = counted.saturating_sub(length(&popped));
        Ok(Some((Rewind { to, messages, damage: seen.hiding() }, popped)))
    }

    async fn recall(
        &self,
        resident: &Resident,
        seq: Seq,
        made: &Rewind,
    ) -> Result<Option<Vec<RawMessage>>, Error> {
        let popped = reading::hidden_by(resident, seq, made).await?;
        // Fewer than were asked for are popped only where there were no more.
        let all = popped.len() < self.0 && made.messages == 0;
        Ok((popped.len() == self.0 || all).then_some(popped))
    }
}

fn length(messages: &[RawMessage]) -> u64 {
    u64::try_from(messages.len()).unwrap_or(u64::MAX)
}
