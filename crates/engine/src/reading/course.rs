//! From where a read begins to the span of the journal that it takes.

use sessile_core::backend::{Commits, Span};
use sessile_core::{Entry, EntryType, Error, Ordinal, Position, Seq};

use super::beginning::{Beginning, From};
use crate::ordinals::Mark;
use crate::resident::Resident;

/// The first stretch that is looked at before the end, in bytes; each further one is four times
/// as long as the one before.
const FIRST_STRETCH: u64 = 64 << 10;

/// What a read looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Messages only.
    Messages,
    /// Every entry.
    Entries,
}

impl Wanted {
    /// Whether it is one of those.
    pub(super) fn is(self, entry: &Entry) -> bool {
        self == Self::Entries || entry.entry_type == EntryType::Message
    }
}

/// A read that was begun.
pub(super) struct Course {
    /// The commits from the one on with which it begins.
    pub(super) commits: Commits,
    /// The first entry that is shown.
    pub(super) first: Seq,
    /// The first message that is shown.
    pub(super) first_ordinal: Option<Ordinal>,
    /// From where on messages are counted, and how many stand before.
    pub(super) mark: Option<Mark>,
    /// Where it ends.
    pub(super) until: Position,
}

/// Begins a read at the present end of the journal.
///
/// # Errors
/// Those of reading; *refused* for the last 0; *corrupt* where damage hides the beginning.
pub(super) async fn begin(
    resident: &Resident,
    from: From,
    wanted: Wanted,
) -> Result<Course, Error> {
    let beginning = from.beginning()?;
    resident.catch_up().await?;
    let (until, countable) = {
        let folded = resident.folded();
        let whole = folded.ordinals().broken().is_none();
        (folded.state().position(), whole.then_some(folded.state().messages()))
    };
    let (first, first_ordinal, mark) = match beginning {
        Beginning::Seq(seq) => (seq, None, resident.folded().ordinals().before_seq(seq)),
        Beginning::Ordinal(ordinal) => {
            let folded = resident.folded();
            let ordinals = folded.ordinals();
            if let Some(place) = ordinals.broken()
                && ordinals.counted() < ordinal.number()
            {
                let reason = format!("and message {ordinal} stands behind it");
                return Err(Error::corrupt(place, reason).about(resident.key()));
            }
            let mark = ordinals.before_ordinal(ordinal.number());
            (mark.seq, Some(ordinal), Some(mark))
        }
        Beginning::Last(count) => {
            let first = last(resident, until, count, wanted).await?;
            let mark = match (first, wanted) {
                (Seq::FIRST, _) => resident.folded().ordinals().before_seq(Seq::FIRST),
                (_, Wanted::Entries) => None,
                (seq, Wanted::Messages) => countable.and_then(|messages| {
                    let before = messages.checked_sub(u64::try_from(count).ok()?)?;
                    Some(Mark { seq, before })
                }),
            };
            (first, None, mark)
        }
    };
    let span = Span::From(mark.map_or(first, |mark| mark.seq.min(first)));
    let commits = resident.opened().read(resident.key(), span).await?;
    Ok(Course { commits, first, first_ordinal, mark, until })
}

/// The number of the first of the last so many, looked for from the end back.
async fn last(
    resident: &Resident,
    end: Position,
    count: usize,
    wanted: Wanted,
) -> Result<Seq, Error> {
    let (opened, key) = (resident.opened(), resident.key());
    let (mut before, mut stretch, mut missing) = (end, FIRST_STRETCH, count);
    loop {
        let span = Span::Back { before, max_bytes: stretch };
        let mut commits = opened.read(key, span).await?;
        let mut first = None;
        let mut damage = None;
        let mut found: Vec<Seq> = Vec::new();
        while let Some(item) = opened.next(&mut commits).await {
            match item {
                Ok(commit) => {
                    first = first.or_else(|| Some(commit.first_seq()));
                    found.extend(commit.entries.iter().filter(|e| wanted.is(e)).map(|e| e.seq));
                }
                // Only what stands behind the damage can be counted from the end.
                Err(error) => {
                    damage = Some(error);
                    found.clear();
                }
            }
        }
        let at = found.len().checked_sub(missing);
        if let Some(first) = at.and_then(|at| found.get(at)) {
            return Ok(*first);
        }
        if let Some(error) = damage {
            return Err(error.about(key));
        }
        missing -= found.len();
        match first.and_then(|first| Position::new(first.number())) {
            Some(position) if position > Position::START => before = position,
            _ => return Ok(Seq::FIRST),
        }
        stretch = stretch.saturating_mul(4);
    }
}
