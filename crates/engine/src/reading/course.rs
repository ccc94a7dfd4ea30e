//! From where a read begins to the span of the journal that it takes.

use futures_util::stream;
use sessile_core::backend::{Commits, Span};
use sessile_core::fold::{Hidden, Mark};
use sessile_core::{Entry, EntryType, Error, ErrorKind, Ordinal, Position, Seq, StoredCommit};

use super::beginning::{Beginning, From};
use super::gap::Gap;
use super::seen::Seen;
use super::stretch;
use crate::resident::Resident;
use crate::steps;

/// The longest stretch of which the commits are held while the first one to show is looked for.
const LONGEST_HELD: u64 = 1 << 20;

/// What a read looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Messages that no rewind hides.
    Messages,
    /// Where they stand, also of those that were forgotten.
    Places,
    /// Events.
    Events,
    /// Every entry.
    Entries,
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
    /// What the journal was when it began.
    pub(super) seen: Seen,
    /// What it looks for.
    pub(super) wanted: Wanted,
}

impl Course {
    /// Whether an entry is one of those that are looked for.
    pub(super) fn wants(&self, entry: &Entry) -> bool {
        wants(&self.seen, self.wanted, entry)
    }

    /// Refuses an entry that is looked for and was forgotten. Whoever reads all entries reads
    /// what was left in place of it.
    pub(super) fn check_kept(&self, entry: &Entry) -> Result<(), Error> {
        match self.seen.sight().forgotten() {
            Some(before)
                if entry.seq < before
                    && matches!(self.wanted, Wanted::Messages | Wanted::Events) =>
            {
                let clause = format!("what stood before entry {before} was forgotten");
                Err(Error::new(ErrorKind::Forgotten, clause)
                    .with_hint(format!("read from entry {before} on")))
            }
            _ => Ok(()),
        }
    }

    /// What is not missed where it is damaged.
    pub(super) fn hidden(&self) -> Option<&Hidden> {
        hidden(&self.seen, self.wanted)
    }
}

fn wants(seen: &Seen, wanted: Wanted, entry: &Entry) -> bool {
    match wanted {
        Wanted::Messages | Wanted::Places => seen.shows(entry),
        Wanted::Events => entry.entry_type == EntryType::Event,
        Wanted::Entries => true,
    }
}

fn hidden(seen: &Seen, wanted: Wanted) -> Option<&Hidden> {
    matches!(wanted, Wanted::Messages | Wanted::Places).then(|| seen.sight().hidden())
}

/// Begins a read at the present end of the journal.
///
/// # Errors
/// Those of [`begin_at`] and of looking at the journal.
pub(super) async fn begin(
    resident: &Resident,
    from: From,
    wanted: Wanted,
) -> Result<Course, Error> {
    // What can't be read needs no journal to be refused.
    let seen = match from.beginning()? {
        Beginning::Last(count) => {
            Seen::with_end(resident, first_stretch(resident, count, wanted)).await?
        }
        Beginning::Seq(_) | Beginning::Ordinal(_) => Seen::now(resident).await?,
    };
    begin_at(resident, seen, from, wanted).await
}

/// How far back the last so many are looked for at first.
fn first_stretch(resident: &Resident, count: usize, wanted: Wanted) -> u64 {
    match wanted {
        Wanted::Messages | Wanted::Places => stretch::of_messages(resident, count),
        Wanted::Events | Wanted::Entries => stretch::of_entries(resident, count),
    }
}

/// Begins a read of what was seen.
///
/// # Errors
/// Those of reading; *refused* for the last 0; *corrupt* where damage hides the beginning.
pub(super) async fn begin_at(
    resident: &Resident,
    seen: Seen,
    from: From,
    wanted: Wanted,
) -> Result<Course, Error> {
    let mut at_hand = None;
    let (first, first_ordinal, mark) = match from.beginning()? {
        Beginning::Seq(seq) => (seq, None, before_seq(resident, seq).await?),
        Beginning::Ordinal(ordinal) => {
            seen.check_countable(ordinal, resident.key())?;
            let until = seen.until();
            let mark = resident.folded().ordinals().before_ordinal(ordinal.number(), until);
            let is_before = |mark: &Mark| {
                mark.before < ordinal.number()
                    && mark.seq.number() < until.number()
                    && seen.counts_before(mark.seq)
            };
            let mark = steps::closest(resident, mark, is_before).await?;
            (mark.seq, Some(ordinal), Some(mark))
        }
        Beginning::Last(count) => {
            let first;
            (first, at_hand) = last(resident, &seen, count, wanted).await?;
            let mark = match wanted {
                _ if first == Seq::FIRST => before_seq(resident, first).await?,
                Wanted::Messages | Wanted::Places => seen.counted().and_then(|messages| {
                    let before = messages.checked_sub(u64::try_from(count).ok()?)?;
                    Some(Mark { seq: first, before })
                }),
                Wanted::Events | Wanted::Entries => None,
            };
            (first, None, mark)
        }
    };
    let start = mark.map_or(first, |mark| mark.seq.min(first));
    let commits: Commits = match at_hand.filter(|_| start == first) {
        Some(commits) => Box::pin(stream::iter(commits.into_iter().map(Ok))),
        None => resident.read(Span::From(start)).await?,
    };
    Ok(Course { commits, first, first_ordinal, mark, seen, wanted })
}

/// The last mark at or before a seq; none where damage hides how many messages stand before it.
async fn before_seq(resident: &Resident, seq: Seq) -> Result<Option<Mark>, Error> {
    let at_hand = resident.folded().ordinals().before_seq(seq);
    match at_hand {
        // None stands before the first one.
        Some(_) if seq == Seq::FIRST => Ok(Some(Mark::START)),
        Some(mark) => Ok(Some(steps::closest(resident, mark, |mark| mark.seq <= seq).await?)),
        None => Ok(None),
    }
}

/// Reads where the last so many messages in sight stand, so that it is known from then on.
///
/// # Errors
/// Those of reading; *corrupt* where damage lies among them.
pub(super) async fn learn_last(
    resident: &Resident,
    seen: &Seen,
    count: usize,
) -> Result<(), Error> {
    let (first, held) = last(resident, seen, count, Wanted::Places).await?;
    if let Some(held) = held {
        resident.folded_mut().note_recents(seen.tip(), &held, first);
    }
    Ok(())
}

/// The number of the first of the last so many, looked for from the end back, and the commits
/// from there on where all of them are at hand.
async fn last(
    resident: &Resident,
    seen: &Seen,
    count: usize,
    wanted: Wanted,
) -> Result<(Seq, Option<Vec<StoredCommit>>), Error> {
    let key = resident.key();
    let (mut before, mut stretch, mut missing) =
        (seen.until(), first_stretch(resident, count, wanted), count);
    let mut held = Some(Vec::new());
    loop {
        let items = match seen.take_end(before) {
            Some(items) => items,
            None => stretch::read(resident, before, stretch).await?,
        };
        let mut commits = Vec::with_capacity(items.len());
        let is_whole =
            stretch <= LONGEST_HELD && !items.is_empty() && items.iter().all(Result::is_ok);
        let mut first = None;
        let mut damage = None;
        let mut gap: Option<Gap> = None;
        let mut found: Vec<Seq> = Vec::new();
        let is_missed = |gap: &Gap, next: u64| gap.covers(hidden(seen, wanted), Seq::FIRST, next);
        for item in items {
            match item {
                Ok(commit) => {
                    // Only what stands behind the damage can be counted from the end.
                    let next = commit.first_seq().number();
                    if let Some(gap) = gap.take().filter(|gap| is_missed(gap, next)) {
                        damage = Some(gap.error);
                        found.clear();
                    }
                    first = first.or_else(|| Some(commit.first_seq()));
                    let wanted = commit.entries.iter().filter(|e| wants(seen, wanted, e));
                    found.extend(wanted.map(|e| e.seq));
                    commits.push(commit);
                }
                Err(error) => {
                    let met = Gap::of(error).map_err(|error| error.about(key))?;
                    gap.get_or_insert(met);
                }
            }
        }
        if let Some(gap) = gap.filter(|gap| is_missed(gap, before.number())) {
            damage = Some(gap.error);
            found.clear();
        }
        held = held.filter(|_| is_whole).map(|held| {
            commits.extend(held);
            commits
        });
        let at = found.len().checked_sub(missing);
        if let Some(first) = at.and_then(|at| found.get(at)) {
            if let Some(held) = &mut held {
                held.retain(|commit| commit.tip().position.number() > first.number());
            }
            return Ok((*first, held));
        }
        if let Some(error) = damage {
            return Err(error.about(key));
        }
        missing -= found.len();
        match first.and_then(|first| Position::new(first.number())) {
            Some(position) if position > Position::START => before = position,
            _ => return Ok((Seq::FIRST, held)),
        }
        stretch = stretch.saturating_mul(4);
    }
}
