//! Counting what a rewind keeps, and finding what it hides.

use sessile_core::backend::Span;
use sessile_core::entry::shape::Rewind;
use sessile_core::error::DamagePlace;
use sessile_core::{EntryType, Error, Ordinal, Seq};

use super::beginning::From;
use super::course::{self, Wanted};
use super::gap::Gap;
use super::message::RawMessage;
use super::seen::Seen;
use crate::resident::Resident;

/// How many messages in sight stand up to an entry, itself included; and the damage that hides how
/// many there are: those that can be read are counted then.
///
/// # Errors
/// Those of reading.
pub(crate) async fn count_through(
    resident: &Resident,
    seen: &Seen,
    last: Seq,
) -> Result<(u64, Option<DamagePlace>), Error> {
    let course =
        course::begin_at(resident, seen.clone(), From::seq(last), Wanted::Messages).await?;
    let Some(mark) = course.mark else {
        let behind = match last.next() {
            Some(next) => count_readable(resident, seen, next).await?.0,
            None => 0,
        };
        return Ok((seen.sight().messages().saturating_sub(behind), seen.hiding()));
    };
    let (mut count, mut commits) = (mark.before, course.commits);
    // Whoever went on from a state may not have met it yet.
    let (mut gap, mut damage): (Option<Gap>, _) = (None, None);
    let hidden = Some(seen.sight().hidden());
    while let Some(item) = resident.opened().next(&mut commits).await {
        let commit = match item.map_err(Gap::of) {
            Ok(commit) => commit,
            Err(Ok(met)) if met.from > last => break,
            Err(Ok(met)) => {
                gap.get_or_insert(met);
                continue;
            }
            Err(Err(error)) => return Err(error.about(resident.key())),
        };
        let next = commit.first_seq().number().min(last.after().number());
        let missed = gap.take().filter(|gap| gap.covers(hidden, Seq::FIRST, next));
        damage = damage.or_else(|| missed.and_then(|gap| gap.error.damage()));
        let counted = |seq: Seq| seq >= mark.seq && seq <= last;
        let messages = commit.entries.iter().filter(|e| counted(e.seq) && seen.shows(e));
        count += u64::try_from(messages.count()).unwrap_or(u64::MAX);
        if commit.tip().position > last.after() {
            break;
        }
    }
    let missed = gap.filter(|gap| gap.covers(hidden, Seq::FIRST, last.after().number()));
    Ok((count, damage.or_else(|| missed.and_then(|gap| gap.error.damage()))))
}

/// How many messages in sight stand from an entry on, of those that can be read; and the first
/// damage among them.
///
/// # Errors
/// Those of reading but for damage.
pub(crate) async fn count_readable(
    resident: &Resident,
    seen: &Seen,
    first: Seq,
) -> Result<(u64, Option<Error>), Error> {
    let hidden = Some(seen.sight().hidden());
    let mut commits = resident.read(Span::From(first)).await?;
    let (mut gap, mut damage): (Option<Gap>, _) = (None, None);
    let mut count = 0;
    while let Some(item) = resident.opened().next(&mut commits).await {
        let commit = match item.map_err(Gap::of) {
            Ok(commit) => commit,
            Err(Ok(met)) => {
                gap.get_or_insert(met);
                continue;
            }
            Err(Err(error)) => return Err(error.about(resident.key())),
        };
        let next = commit.first_seq().number().min(seen.until().number());
        let missed = gap.take().filter(|gap| gap.covers(hidden, first, next));
        damage = damage.or_else(|| missed.map(|gap| gap.error));
        let stood = |seq: Seq| seq >= first && seq.after() <= seen.until();
        let messages = commit.entries.iter().filter(|e| stood(e.seq) && seen.shows(e));
        count += u64::try_from(messages.count()).unwrap_or(u64::MAX);
    }
    let missed = gap.filter(|gap| gap.covers(hidden, first, seen.until().number()));
    let damage = damage.or_else(|| missed.map(|gap| gap.error));
    Ok((count, damage.map(|error| error.about(resident.key()))))
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
    let mut commits = resident.read(Span::From(from)).await?;
    let unseen = resident.folded().state().sight().hidden().clone();
    let mut hidden: Vec<RawMessage> = Vec::new();
    while let Some(item) = opened.next(&mut commits).await {
        let commit = item.map_err(|error| error.about(resident.key()))?;
        for entry in commit.entries {
            if entry.seq >= rewind {
                number(&mut hidden, made);
                return Ok(hidden);
            }
            match entry.entry_type {
                // What a turn had written was in sight only if it was adopted.
                EntryType::Message if unseen.is_left(entry.seq) || unseen.is_pending(entry.seq) => {
                }
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
    number(&mut hidden, made);
    Ok(hidden)
}

/// Gives messages their ordinals after those that a rewind keeps, if it is known how many.
fn number(messages: &mut [RawMessage], made: &Rewind) {
    if made.damage.is_some() {
        return;
    }
    for (message, ordinal) in messages.iter_mut().zip(made.messages + 1..) {
        message.ordinal = Ordinal::new(ordinal);
    }
}
