//! Reading the entries that the fold names.

use sessile_core::entry::shape::Context;
use sessile_core::{Entry, Error, Payload, Position, Seq};
use sessile_engine::{Entries, From, Session};

use crate::event::{EventRow, Instruction, is_event};
use crate::fold::Fold;
use crate::redaction::Redaction;

/// The entries of a session from one on, up to a position.
pub(crate) struct Stretch {
    entries: Entries,
    until: Position,
}

impl Stretch {
    /// Begins to read.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) async fn of(session: &Session, from: Seq, until: Position) -> Result<Self, Error> {
        Ok(Self { entries: session.entries(From::seq(from)).await?, until })
    }

    /// The next entry.
    ///
    /// # Errors
    /// Those of reading; *corrupt* where damage lies.
    pub(crate) async fn next(&mut self) -> Result<Option<Entry>, Error> {
        let entry = self.entries.next().await.transpose()?;
        Ok(entry.filter(|entry| entry.seq.number() < self.until.number()))
    }
}

/// The events of a session from one on.
pub(crate) struct Events {
    stretch: Stretch,
    number: u64,
}

impl Events {
    /// Begins to read with the event that has this number and stands here.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) async fn of(
        session: &Session,
        (number, from): (u64, Seq),
        until: Position,
    ) -> Result<Self, Error> {
        Ok(Self { stretch: Stretch::of(session, from, until).await?, number })
    }

    /// The next event: its number, and its entry.
    ///
    /// # Errors
    /// Those of reading; *corrupt* where damage lies.
    pub(crate) async fn next(&mut self) -> Result<Option<(u64, Entry)>, Error> {
        while let Some(entry) = self.stretch.next().await? {
            if is_event(&entry.entry_type) {
                let number = self.number;
                self.number = number.saturating_add(1);
                return Ok(Some((number, entry)));
            }
        }
        Ok(None)
    }

    /// The next event, as it is shown.
    ///
    /// # Errors
    /// Those of [`next`](Self::next).
    pub(crate) async fn next_row(
        &mut self,
        redaction: &Redaction,
    ) -> Result<Option<EventRow>, Error> {
        let next = self.next().await?;
        Ok(next.map(|(number, entry)| {
            let mut row = EventRow::of(number, &entry);
            row.body = row.body.map(|body| redaction.value(&body));
            row
        }))
    }
}

/// The entry of a number; none where it is not there any more.
///
/// # Errors
/// Those of reading.
async fn entry(session: &Session, seq: Seq) -> Result<Option<Entry>, Error> {
    let mut entries = session.entries(From::seq(seq)).await?;
    let entry = entries.next().await.transpose()?;
    Ok(entry.filter(|entry| entry.seq == seq))
}

/// The latest instruction.
///
/// # Errors
/// Those of reading.
pub(crate) async fn instruction(
    session: &Session,
    fold: &Fold,
) -> Result<Option<Instruction>, Error> {
    let Some(latest) = fold.instruction() else { return Ok(None) };
    let entry = entry(session, latest.seq).await?;
    Ok(entry.map(|entry| Instruction::of(latest.number, &entry)))
}

/// The execution context; none where there is none, or where it was removed.
///
/// # Errors
/// Those of reading.
pub(crate) async fn context(session: &Session, fold: &Fold) -> Result<Option<Payload>, Error> {
    let Some(placed) = fold.context().filter(|it| !it.is_empty) else { return Ok(None) };
    let entry = entry(session, placed.seq).await?;
    let read = entry.filter(|entry| !entry.is_redacted());
    Ok(read.and_then(|entry| entry.data.decode::<Context>().ok()).map(|it| it.context))
}
