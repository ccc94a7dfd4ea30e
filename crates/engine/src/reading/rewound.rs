//! Counting what a rewind keeps, and finding what it hides.

use sessile_core::backend::Span;
use sessile_core::entry::shape::Rewind;
use sessile_core::{EntryType, Error, Ordinal, Seq};

use super::beginning::From;
use super::course::{self, Wanted};
use super::message::RawMessage;
use super::seen::Seen;
use crate::resident::Resident;

/// How many messages in sight stand up to an entry, itself included.
///
/// # Errors
/// *corrupt* where damage hides it; those of reading.
pub(crate) async fn count_through(
    resident: &Resident,
    seen: &Seen,
    last: Seq,
) -> Result<u64, Error> {
    let course =
        course::begin_at(resident, seen.clone(), From::seq(last), Wanted::Messages).await?;
    let Some(mark) = course.mark else {
        return seen.messages(resident.key());
    };
    let (mut count, mut commits) = (mark.before, course.commits);
    while let Some(item) = resident.opened().next(&mut commits).await {
        let commit = match item {
            Ok(commit) => commit,
            Err(error) if error.damage().is_some_and(|place| place.seq > last) => break,
            Err(error) => return Err(error.about(resident.key())),
        };
        let counted = |seq: Seq| seq >= mark.seq && seq <= last;
        let messages = commit.entries.iter().filter(|e| counted(e.seq) && seen.shows(e));
        count += u64::try_from(messages.count()).unwrap_or(u64::MAX);
        if commit.tip().position > last.after() {
            break;
        }
    }
    Ok(count)
}

/// The messages that a rewind has hidden, as they stood before it.
///
/// # Errors
/// Those of reading.
pub(crate) async fn hidden_by(
    resident: &Resident,
    rewind: Seq,
    made: &Rewind,
) -> Result<Vec<RawMessage>, Error> {
    let opened = resident.opened();
    let from = made.to.next().unwrap_or(made.to);
    let mut commits = opened.read(resident.key(), Span::From(from)).await?;
    let mut hidden: Vec<RawMessage> = Vec::new();
    while let Some(item) = opened.next(&mut commits).await {
        let commit = item.map_err(|error| error.about(resident.key()))?;
        for entry in commit.entries {
            if entry.seq >= rewind {
                number(&mut hidden, made.messages);
                return Ok(hidden);
            }
            match entry.entry_type {
                EntryType::Message if entry.seq > made.to => hidden.push(RawMessage {
                    seq: entry.seq,
                    at: entry.at,
                    ordinal: None,
                    data: entry.data,
                }),
                // One before it may have hidden some of them already.
                EntryType::Rewind => {
                    if let Ok(Rewind { to, .. }) = entry.data.decode() {
                        hidden.retain(|message| message.seq <= to);
                    }
                }
                _ => {}
            }
        }
    }
    number(&mut hidden, made.messages);
    Ok(hidden)
}

/// Gives messages their ordinals after so many others.
fn number(messages: &mut [RawMessage], before: u64) {
    for (message, ordinal) in messages.iter_mut().zip(before + 1..) {
        message.ordinal = Ordinal::new(ordinal);
    }
}
