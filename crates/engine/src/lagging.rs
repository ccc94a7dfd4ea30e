//! Reading for extensions what stands before the last state, where that has nothing of theirs.

use sessile_core::backend::Span;
use sessile_core::commit::Tip;
use sessile_core::fold::Lag;
use sessile_core::{Error, Position, Seq};

use crate::opened::Opened;
use crate::removal;
use crate::resident::Resident;

/// The first stretch that is looked at before the end, in bytes; each further one is four times as
/// long as the one before.
const FIRST_STRETCH: u64 = 128 << 10;

/// Makes up for what was not read of the extensions' folds when the session was taken up from its
/// last state; nothing is left to be done where that has all of them.
///
/// # Errors
/// Those of reading but for damage, which breaks the folds that lie across it.
pub(crate) async fn make_up(resident: &Resident) -> Result<(), Error> {
    loop {
        let Some(lag) = resident.folded().state().lag() else {
            return Ok(());
        };
        // Where the journal was read anew meanwhile, it is another one's beginning.
        if Box::pin(try_once(resident, lag)).await? {
            return Ok(());
        }
    }
}

/// Reads back to what there is, and on to the end; false where the journal is not the one that it
/// was in the beginning.
async fn try_once(resident: &Resident, mut lag: Lag) -> Result<bool, Error> {
    let end = resident.folded().state().position();
    look_back(resident, &mut lag, end).await?;
    let mut next = lag.begin();
    let mut reached: Option<Tip> = None;
    loop {
        let end = resident.folded().state().tip();
        if !read_on(resident, &mut lag, next, end, &mut reached).await? {
            return Ok(false);
        }
        let mut folded = resident.folded_mut();
        if folded.state().tip() == end {
            folded.make_up(lag);
            return Ok(true);
        }
        // It was added to.
        match end.position.seq() {
            Some(seq) => next = seq,
            None => return Ok(false),
        }
    }
}

/// Looks at states from the end back, until each fold was found in one or the journal begins.
async fn look_back(resident: &Resident, lag: &mut Lag, end: Position) -> Result<(), Error> {
    let opened = resident.opened();
    let (mut before, mut stretch) = (end, FIRST_STRETCH);
    loop {
        let span = Span::Back { before, max_bytes: stretch };
        let mut commits = opened.read(resident.key(), span).await?;
        let (mut first, mut states) = (None, Vec::new());
        while let Some(commit) = readable(opened, resident, &mut commits).await? {
            first.get_or_insert_with(|| commit.first_seq());
            if commit.state.is_some() {
                states.push(commit);
            }
        }
        if states.iter().rev().any(|commit| lag.look(commit)) {
            return Ok(());
        }
        match first.and_then(|first| Position::new(first.number())) {
            Some(first) if first > Position::START && first < before => before = first,
            // It is the beginning, or damage hides how it goes on.
            _ => return Ok(()),
        }
        stretch = stretch.saturating_mul(4);
    }
}

async fn readable(
    opened: &Opened,
    resident: &Resident,
    commits: &mut sessile_core::backend::Commits,
) -> Result<Option<sessile_core::StoredCommit>, Error> {
    removal::readable(opened, commits).await.map_err(|error| error.about(resident.key()))
}

/// Takes the commits from a number on up to an end; false where they are not those that lead there.
async fn read_on(
    resident: &Resident,
    lag: &mut Lag,
    from: Seq,
    end: Tip,
    reached: &mut Option<Tip>,
) -> Result<bool, Error> {
    let opened = resident.opened();
    let mut commits = opened.read(resident.key(), Span::From(from)).await?;
    let mut is_torn_off = reached.is_none();
    while let Some(item) = opened.next(&mut commits).await {
        match item {
            Ok(commit) if commit.first_seq().number() >= end.position.number() => break,
            Ok(commit) => {
                let last = reached.and_then(|tip| tip.token);
                if !is_torn_off && commit.prev != last {
                    return Ok(false);
                }
                is_torn_off = false;
                lag.take(&commit);
                *reached = Some(commit.tip());
            }
            Err(error) => match error.damage() {
                Some(place) if place.seq.number() < end.position.number() => {
                    lag.note_damage(place);
                    is_torn_off = true;
                }
                Some(_) => break,
                None => return Err(error.about(resident.key())),
            },
        }
    }
    // Behind damage the journal may end with none of its commits.
    Ok(is_torn_off || reached.is_none_or(|tip| tip.token == end.token))
}
