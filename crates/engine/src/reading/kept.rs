//! From where on messages are kept that no summary stands for.
//!
//! It is said by the number of an entry: behind damage messages have no ordinals, and numbers are
//! what everybody agrees on, whatever damage comes later.

use sessile_core::{Error, Ordinal, Seq};

use super::beginning::{Beginning, From};
use super::course;
use super::message::RawMessage;
use super::rewound;
use super::seen::Seen;
use super::stream::Transcript;
use crate::resident::Resident;

/// Where the messages begin that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// No message before this number is kept.
    pub(crate) seq: Seq,
    /// The ordinal of the first one that is, or of the next one where there is none yet; none where
    /// that is not known.
    pub(crate) ordinal: Option<Ordinal>,
}

impl Kept {
    const ALL: Self = Self { seq: Seq::FIRST, ordinal: Ordinal::new(1) };
}

/// Where a read would begin, to keep what it shows; the ordinal after the last message keeps none.
///
/// # Errors
/// Those of reading; *refused* for the last 0. None where it names no message in sight.
pub(crate) async fn by_name(
    resident: &Resident,
    seen: &Seen,
    from: From,
) -> Result<Option<Kept>, Error> {
    let beginning = from.beginning()?;
    let next = seen.counted().and_then(|messages| Ordinal::new(messages + 1));
    if let Beginning::Ordinal(ordinal) = beginning
        && next == Some(ordinal)
    {
        // What pends comes after all that is in sight once it is adopted.
        let pending = seen.sight().hidden().pending().map(|(first, _)| first);
        let seq = pending.or_else(|| seen.until().seq());
        return Ok(seq.map(|seq| Kept { seq, ordinal: next }));
    }
    if let Beginning::Last(count) = beginning {
        if recent(resident, seen, count).is_none() {
            course::learn_last(resident, seen, count).await?;
        }
        if let Some(kept) = recent(resident, seen, count) {
            return Ok(Some(kept));
        }
    }
    let first = first(resident, seen, from).await?;
    let kept = first.map(|first| Kept { seq: first.seq, ordinal: first.ordinal });
    Ok(kept.filter(|kept| !matches!(beginning, Beginning::Seq(seq) if seq != kept.seq)))
}

/// Where the last so many messages begin, if that is known without reading.
fn recent(resident: &Resident, seen: &Seen, count: usize) -> Option<Kept> {
    let folded = resident.folded();
    let seq =
        folded.recents().first_of_last(count).filter(|_| folded.state().tip() == seen.tip())?;
    let before = seen.counted().zip(u64::try_from(count).ok());
    let before = before.and_then(|(messages, count)| messages.checked_sub(count));
    Some(Kept { seq, ordinal: before.and_then(|before| Ordinal::new(before + 1)) })
}

/// Where the messages begin that the compaction in force keeps; all of them without one.
///
/// # Errors
/// Those of reading.
pub(crate) async fn by_compaction(resident: &Resident, seen: &Seen) -> Result<Kept, Error> {
    let Some(last) = seen.sight().compaction() else {
        return Ok(Kept::ALL);
    };
    let ordinal = last.keep_from;
    let seq = match (last.keep_seq, ordinal) {
        (Some(seq), _) => seq,
        (None, None) => last.seq,
        (None, Some(ordinal)) => {
            let first = first(resident, seen, From::ordinal(ordinal)).await?;
            let next = seen.until().seq().unwrap_or(last.seq);
            first.map_or(next, |first| first.seq)
        }
    };
    Ok(Kept { seq, ordinal })
}

/// Where the messages begin that a view may show: what was forgotten is not there to be shown.
///
/// # Errors
/// Those of reading.
pub(super) async fn in_force(resident: &Resident, seen: &Seen) -> Result<Kept, Error> {
    let kept = by_compaction(resident, seen).await?;
    let Some(seq) = seen.sight().forgotten().filter(|before| *before > kept.seq) else {
        return Ok(kept);
    };
    let Some(messages) = seen.counted() else {
        return Ok(Kept { seq, ordinal: None });
    };
    let first = first(resident, seen, From::seq(seq)).await?;
    let next = Ordinal::new(messages + 1);
    Ok(Kept { seq, ordinal: first.map_or(next, |first| first.ordinal) })
}

/// How many messages in sight are kept; where damage lies among them how many of them can be read,
/// if those are as many as are wanted.
///
/// # Errors
/// Those of reading; *corrupt* where damage lies among them and more are wanted than can be read.
pub(super) async fn left(
    resident: &Resident,
    seen: &Seen,
    kept: Kept,
    wanted: u64,
) -> Result<u64, Error> {
    let readable = seen.sight().messages();
    match (seen.counted(), kept.ordinal) {
        (Some(messages), Some(first)) => Ok((messages + 1).saturating_sub(first.number())),
        (None, _) if kept.seq == Seq::FIRST && readable >= wanted => Ok(readable),
        _ => match rewound::count_readable(resident, seen, kept.seq).await? {
            (count, Some(damage)) if count < wanted => Err(damage),
            (count, _) => Ok(count),
        },
    }
}

/// Whether a message in sight stands between two places; what can't be read counts as one.
///
/// # Errors
/// Those of reading.
pub(crate) async fn parts(
    resident: &Resident,
    seen: &Seen,
    before: Kept,
    after: Kept,
) -> Result<bool, Error> {
    if before.seq >= after.seq {
        return Ok(false);
    }
    {
        let folded = resident.folded();
        let is_same = folded.state().tip() == seen.tip();
        if is_same && folded.recents().has_between(before.seq, after.seq) {
            return Ok(true);
        }
    }
    match first(resident, seen, From::seq(before.seq)).await {
        Ok(first) => Ok(first.is_some_and(|first| first.seq < after.seq)),
        Err(error) if error.damage().is_some_and(|place| place.seq < after.seq) => Ok(true),
        Err(error) => Err(error),
    }
}

/// The first message that a read would begin with, forgotten or not.
async fn first(resident: &Resident, seen: &Seen, from: From) -> Result<Option<RawMessage>, Error> {
    let mut places = Transcript::<RawMessage>::places(resident, seen.clone(), from).await?;
    places.next().await.transpose()
}
