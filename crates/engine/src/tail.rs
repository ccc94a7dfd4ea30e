//! Opening by the tail: reading back to the last state that may be used, and folding what follows
//! it.

use futures_util::stream;
use sessile_core::backend::{Commits, Head, Span};
use sessile_core::commit::FRAME_BYTES;
use sessile_core::entry::shape::Header;
use sessile_core::error::DamagePlace;
use sessile_core::fold::SessionState;
use sessile_core::{Error, ErrorKind, Position, Seq, SessionKey, StoredCommit, header};

use crate::folded::{self, Folded, Taken};
use crate::opened::Opened;

/// How many bytes more are looked at first than what stands behind a state mostly: the state and
/// the commit that it rides on are to fit in too.
const ALLOWANCE: u64 = 8 << 10;

/// The longest first stretch, in bytes.
const LONGEST_FIRST: u64 = 2 << 20;

/// How many payload bytes are held while a state is looked for; with more behind it, what follows
/// the state is read once more.
const MOST_HELD: usize = 4 << 20;

/// A commit, or the damage that stands in its place.
type Item = Result<StoredCommit, Error>;

/// Folds a journal from its last state on, or all of it where it has none that may be used; what
/// was not needed for it was not read.
///
/// # Errors
/// *corrupt* when the header can't be read or names another session, or a commit does not follow
/// the one before it; *unknown version*; those of reading.
pub(crate) async fn fold(opened: &Opened, key: &SessionKey, head: &Head) -> Result<Folded, Error> {
    let header = header::read(&head.header).map_err(|error| error.about(key))?;
    folded::check_header(key, &header).map_err(|error| error.about(key))?;
    let mut search = Search::new(header, head.tip.position, first_stretch(opened, head));
    let resumed = Box::pin(search.run(opened, key)).await?;
    if let Some(resumed) = &resumed
        && is_mended(opened, key, resumed.state()).await?
    {
        return fold_whole(opened, key).await;
    }
    let passed_over = std::mem::take(&mut search.passed_over);
    let preceding = std::mem::take(&mut search.preceding);
    let rest = search.into_rest();
    let mut folded = match (resumed, rest) {
        (None, None) => fold_whole(opened, key).await?,
        (None, Some(items)) => fold_on(opened, key, None, commits(items)).await?,
        (Some(resumed), rest) => {
            let rest = match (rest, resumed.state().position().seq()) {
                (Some(items), _) => commits(items),
                (None, Some(next)) => opened.read(key, Span::From(next)).await?,
                (None, None) => commits(Vec::new()),
            };
            match fold_on(opened, key, Some(resumed), rest).await {
                // Only the whole journal can tell whether it is so.
                Err(error) if error.kind() == ErrorKind::Corrupt => fold_whole(opened, key).await?,
                folded => {
                    let mut folded = folded?;
                    folded.note_before(&preceding);
                    folded
                }
            }
        }
    };
    folded.note_passed_over(&passed_over);
    Ok(folded)
}

/// Folds a whole journal, whatever its states say.
///
/// # Errors
/// Those of [`fold`].
pub(crate) async fn fold_whole(opened: &Opened, key: &SessionKey) -> Result<Folded, Error> {
    let commits = opened.read(key, Span::ALL).await?;
    fold_on(opened, key, None, commits).await
}

/// Folds commits, the first ones of a journal or those that follow what was folded.
async fn fold_on(
    opened: &Opened,
    key: &SessionKey,
    mut folded: Option<Folded>,
    mut commits: Commits,
) -> Result<Folded, Error> {
    while let Some(item) = opened.next(&mut commits).await {
        match (item, &mut folded) {
            (Ok(first), None) => {
                let folds = &opened.options().folds;
                let started = Folded::start(key, &first, folds);
                folded = Some(started.map_err(|error| error.about(key))?);
            }
            (Ok(commit), Some(folded)) => {
                if folded.take(&commit) != Taken::Folded {
                    let clause = format!("commit {} does not follow the one before it", commit.id);
                    return Err(Error::new(ErrorKind::Corrupt, clause).about(key));
                }
            }
            (Err(error), folded) => match (error.damage(), folded) {
                (Some(place), Some(folded)) => folded.note_damage(place),
                _ => return Err(error.about(key)),
            },
        }
    }
    folded.ok_or_else(|| header::corrupt("it has no entries").about(key))
}

/// Whether what a state tells of as damaged can be read again: somebody has put it back.
async fn is_mended(opened: &Opened, key: &SessionKey, state: &SessionState) -> Result<bool, Error> {
    let was_lost = |place: &DamagePlace| state.lost().iter().any(|lost| lost.from == place.seq);
    let Some(place) = state.damage().iter().find(|place| !was_lost(place)) else {
        return Ok(false);
    };
    let mut commits = opened.read(key, Span::From(place.seq)).await?;
    match opened.next(&mut commits).await {
        Some(Err(error)) if error.damage().is_none() => Err(error.about(key)),
        Some(item) => Ok(item.is_ok()),
        None => Ok(false),
    }
}

fn commits(items: Vec<Item>) -> Commits {
    Box::pin(stream::iter(items))
}

/// How long a stretch is likely to reach back to a state, by entries and by bytes, in what both
/// come to: where a read takes a while whatever its length, one is better than two.
fn first_stretch(opened: &Opened, head: &Head) -> u64 {
    let options = opened.options();
    // What a backend keeps of an entry is more than what it counts when it is read back.
    let each = head.bytes / head.tip.position.number().max(1);
    let by_entries = options.state_entries.saturating_mul(each);
    let frames = options.state_entries.saturating_mul(FRAME_BYTES);
    let apart = by_entries.min(options.state_bytes.saturating_add(frames));
    apart.saturating_add(ALLOWANCE).min(LONGEST_FIRST)
}

/// The search for the last state that may be used.
struct Search {
    header: Header,
    /// How many bytes are looked at next.
    stretch: u64,
    /// Everything from here on was looked at.
    before: Position,
    /// What was looked at, the last stretch first; none once that was too much to hold.
    held: Option<Vec<Vec<Item>>>,
    held_bytes: usize,
    passed_over: Vec<Seq>,
    /// What was read of what stands right before the state.
    preceding: Vec<StoredCommit>,
}

impl Search {
    fn new(header: Header, before: Position, stretch: u64) -> Self {
        let (held, passed_over, preceding) = (Some(Vec::new()), Vec::new(), Vec::new());
        Self { header, stretch, before, held, held_bytes: 0, passed_over, preceding }
    }

    /// Goes back until there is a state; none at the beginning of the journal.
    async fn run(&mut self, opened: &Opened, key: &SessionKey) -> Result<Option<Folded>, Error> {
        loop {
            let mut items = self.read(opened, key, self.stretch).await?;
            if let Some((at, folded)) = self.resume(opened, &items) {
                self.hold(items.split_off(at + 1));
                items.truncate(at);
                // Behind damage nothing is known to stand right before the state.
                let before = items.into_iter().rev().map_while(Result::ok);
                self.preceding = before.collect();
                self.preceding.reverse();
                return Ok(Some(folded));
            }
            let first =
                items.iter().find_map(|item| item.as_ref().ok()).map(StoredCommit::first_seq);
            self.hold(items);
            match first.and_then(|first| Position::new(first.number())) {
                Some(first) if first > Position::START && first < self.before => {
                    self.before = first;
                }
                Some(Position::START) => return Ok(None),
                // Damage hides how it goes on.
                _ => {
                    self.held = None;
                    return Ok(None);
                }
            }
            self.stretch = self.stretch.saturating_mul(4);
        }
    }

    async fn read(
        &self,
        opened: &Opened,
        key: &SessionKey,
        stretch: u64,
    ) -> Result<Vec<Item>, Error> {
        let span = Span::Back { before: self.before, max_bytes: stretch };
        let mut commits = opened.read(key, span).await?;
        let mut items = Vec::new();
        while let Some(item) = opened.next(&mut commits).await {
            match item {
                Err(error) if error.damage().is_none() => return Err(error.about(key)),
                item => items.push(item),
            }
        }
        Ok(items)
    }

    /// Goes on from the last state among commits that may be used; says at which commit that was.
    fn resume(&mut self, opened: &Opened, items: &[Item]) -> Option<(usize, Folded)> {
        let folds = &opened.options().folds;
        let commits = items.iter().enumerate().rev();
        for (at, commit) in commits.filter_map(|(at, item)| Some((at, item.as_ref().ok()?))) {
            match Folded::resume(self.header.clone(), commit, folds) {
                Ok(None) => {}
                Ok(Some(folded)) => return Some((at, folded)),
                Err(_) => self.passed_over.extend(commit.state),
            }
        }
        None
    }

    fn hold(&mut self, items: Vec<Item>) {
        let entries = items.iter().flatten().flat_map(|commit| &commit.entries);
        self.held_bytes += entries.map(|entry| entry.data.len()).sum::<usize>();
        match &mut self.held {
            Some(held) if self.held_bytes <= MOST_HELD => held.push(items),
            held => *held = None,
        }
    }

    /// What was looked at, in the order of the journal, if it was held.
    fn into_rest(self) -> Option<Vec<Item>> {
        Some(self.held?.into_iter().rev().flatten().collect())
    }
}
