//! Letting a summary stand for messages.

use serde::Serialize;
use sessile_core::entry::shape::Compaction;
use sessile_core::{EntryType, Error, ErrorKind, Payload, Seq};

use super::handle::Session;
use super::planned::{Plan, Planned};
use super::rewind::undone;
use crate::append::{Append, Committed};
use crate::mutation;
use crate::reading::{self, From, Seen};
use crate::resident::Resident;

impl Session {
    /// Lets one or more messages stand for the older ones: from now on the
    /// [`view`](Self::view) is this summary and the messages that are kept.
    ///
    /// `keep` says with which message those begin: by its number, its ordinal, or as the last so
    /// many. The ordinal after the last message keeps none. The transcript stays whole; a rewind
    /// to before the compaction brings the summary before it back.
    ///
    /// It needs no expected position: messages are named by what never changes, and of two who
    /// summarise the same messages the second is refused.
    ///
    /// # Errors
    /// *refused* without a summary, when `keep` names no message in sight, and when the summary
    /// would stand for no more than the one before it; *corrupt* when damage hides which message
    /// `keep` names: behind it messages have numbers and no ordinals; *closed*, *deleted*,
    /// *unavailable*, *deadline*, *permission*.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use sessile_engine::{From, NewSession, Store, Window};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sessile_core::Error> {
    /// # let store = Store::on(Arc::new(sessile_memory::MemoryBackend::new()));
    /// # let session = store.create(NewSession::new()).await?;
    /// session.append(["one", "two", "three"]).await?;
    /// session.compact(From::last(1), ["one and two"]).await?;
    /// let view = session.view(Window::last(50)).await?;
    /// let texts = view.messages().map(|message| message.decode::<String>());
    /// assert_eq!(texts.collect::<Result<Vec<_>, _>>()?, ["one and two", "three"]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn compact<T: Serialize>(
        &self,
        keep: From,
        summary: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        self.compact_with(Append::at_end(), keep, summary).await
    }

    /// Lets messages stand for the older ones where, and under which commit id, the caller says.
    ///
    /// # Errors
    /// Those of [`compact`](Self::compact); *conflict* as for
    /// [`append_with`](Self::append_with).
    pub async fn compact_with<T: Serialize>(
        &self,
        append: Append,
        keep: From,
        summary: impl IntoIterator<Item = T>,
    ) -> Result<Committed, Error> {
        let key = self.key();
        let summary = summary.into_iter().map(|message| Payload::of(&message));
        let summary: Vec<Payload> =
            summary.collect::<Result<_, _>>().map_err(|error| error.about(key))?;
        if summary.is_empty() {
            let clause = "a compaction needs at least one message that stands for the others";
            return Err(Error::new(ErrorKind::Refused, clause).about(key));
        }
        let planned = Planned::new(append, Summary { keep, summary });
        let done = mutation::carry_out(&*self.admit_change().await?, planned).await?;
        done.map(|(committed, ())| committed).ok_or_else(undone)
    }
}

/// Messages that are to stand for those before others.
struct Summary {
    keep: From,
    summary: Vec<Payload>,
}

impl Plan for Summary {
    type Shape = Compaction;
    type Told = ();

    const TYPE: EntryType = EntryType::Compaction;

    async fn work_out(
        &self,
        resident: &Resident,
        seen: &Seen,
    ) -> Result<Option<(Compaction, ())>, Error> {
        let kept = reading::by_name(resident, seen, self.keep).await?.ok_or_else(|| {
            Error::new(ErrorKind::Refused, "what is to be kept begins with no message in sight")
                .with_hint("name a message of the transcript")
        })?;
        let before = reading::by_compaction(resident, seen).await?;
        if !reading::parts(resident, seen, before, kept).await? {
            let clause = format!(
                "a summary of the messages before entry {} stands for no more than there was a \
                 summary for already",
                kept.seq
            );
            return Err(Error::new(ErrorKind::Refused, clause));
        }
        let summary = self.summary.clone();
        let made = Compaction { summary, keep_from: kept.ordinal, keep_seq: Some(kept.seq) };
        Ok(Some((made, ())))
    }

    async fn recall(&self, _: &Resident, _: Seq, made: &Compaction) -> Result<Option<()>, Error> {
        Ok((made.summary == self.summary).then_some(()))
    }
}
