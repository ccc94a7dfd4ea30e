//! Reading a journal: from an entry on, or back from a position.

use std::collections::VecDeque;

use futures_util::StreamExt as _;
use futures_util::future::join;
use futures_util::stream::{self, BoxStream};
use sessile_core::backend::{Commits, SetAside, Span};
use sessile_core::commit::StoredCommit;
use sessile_core::error::{Error, ErrorKind};
use sessile_core::journal::Found;
use sessile_core::position::{Position, Seq};

use crate::chain::{Link, Walk};
use crate::known::Known;
use crate::look::Session;
use crate::piece;
use crate::ranges::{self, Fetched};

/// How many objects further back a reading begins anew at least.
const STEP_BACK: u64 = 16;

impl Session {
    /// Reads commits.
    ///
    /// # Errors
    /// *missing*, *corrupt* where the header can't be read, *unavailable*, *permission*.
    pub(crate) async fn read(&self, span: Span) -> Result<Commits, Error> {
        let (before, max_bytes) = match span {
            Span::From(seq) => {
                let known = self.look_at_existing().await?;
                return self.read_from(&known, seq).await;
            }
            Span::Back { before, max_bytes } => (before, max_bytes),
        };
        let reached = self.young().filter(|known| before <= known.tip.position);
        let commits = if let Some(known) = reached {
            self.back_while_looking(&known, before, max_bytes).await?
        } else {
            let known = self.look_at_existing().await?;
            self.back(&known, before, max_bytes).await?
        };
        Ok(Box::pin(stream::iter(commits)))
    }

    /// Reads back where the journal is known to reach, and looks at its end at the same time: with
    /// nothing new there, what was read is what is to be read, and nothing of it was removed
    /// before.
    async fn back_while_looking(
        &self,
        known: &Known,
        before: Position,
        max_bytes: u64,
    ) -> Result<Vec<Result<StoredCommit, Error>>, Error> {
        let looking = self.look_at_existing();
        let (looked, read) = join(looking, self.back(known, before, max_bytes)).await;
        let by_then = looked?;
        let is_same = |it: &Known| (it.first, it.taken) == (known.first, known.taken);
        if is_same(&by_then) && by_then.masked == known.masked {
            return read;
        }
        self.back(&by_then, before, max_bytes).await
    }

    /// The commits from an entry on.
    ///
    /// # Errors
    /// *unavailable*, *permission*; damage is an item.
    pub(crate) async fn read_from(&self, known: &Known, seq: Seq) -> Result<Commits, Error> {
        if seq.number() >= known.tip.position.number() {
            return Ok(Box::pin(stream::empty()));
        }
        let start = self.locate(known, seq).await?;
        Ok(self.from(known, start, seq))
    }

    /// The number of an object at or before the one that holds an entry; the very one where
    /// nothing is wrong with the journal.
    pub(crate) async fn locate(&self, known: &Known, seq: Seq) -> Result<u64, Error> {
        let end = known.tip.position.number().saturating_sub(1);
        // Each object holds at least one entry.
        let behind = end.saturating_sub(seq.number());
        let mut low = known.last.saturating_sub(behind).max(known.first);
        let mut high = known.last.min(seq.number()).max(low);
        let mut holder = low;
        if low > known.first {
            if let Some(number) = self.before(known, low, seq).await? {
                holder = number;
            } else {
                // Damage and notices make more numbers than there are entries.
                (low, high, holder) = (known.first, low, known.first);
            }
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            match self.before(known, middle, seq).await? {
                Some(number) => (low, holder) = (middle, number),
                None => high = middle - 1,
            }
        }
        Ok(holder)
    }

    /// The number of an object, or of the last one before it where it is a notice, if that begins
    /// at or before an entry.
    async fn before(&self, known: &Known, number: u64, seq: Seq) -> Result<Option<u64>, Error> {
        let mut number = number;
        loop {
            let path = self.keys.log(number);
            let start = match self.place.bodies.of(&path, &known.masked) {
                Some(bytes) => Some(bytes),
                None => self.client().get_start(&path, piece::START_BYTES).await?,
            };
            let Some(start) = start else { return Ok(None) };
            if !piece::is_notice(&start) || number == known.first {
                let is_before = piece::first_seq(&start).is_some_and(|start| start <= seq);
                return Ok(is_before.then_some(number));
            }
            number -= 1;
        }
    }

    /// Streams the commits from an entry on, which an object at or before a number holds.
    fn from(&self, known: &Known, start: u64, seq: Seq) -> Commits {
        let reading = Reading::of(self, known, (start, known.last), Some(seq));
        let commits = stream::unfold(Some(reading), |reading| async move {
            let mut reading = reading?;
            match reading.next().await {
                Ok(Some(item)) => Some((item, Some(reading))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        });
        Box::pin(commits.fuse())
    }

    /// The last commits that end at or before a position.
    ///
    /// # Errors
    /// *unavailable*, *permission*; damage is an item.
    pub(crate) async fn back(
        &self,
        known: &Known,
        before: Position,
        max_bytes: u64,
    ) -> Result<Vec<Result<StoredCommit, Error>>, Error> {
        // The object behind the one that is looked for proves it.
        let mut end = match before.number().checked_sub(1).and_then(Seq::new) {
            Some(last) if before < known.tip.position => {
                self.locate(known, last).await?.saturating_add(1).min(known.last)
            }
            _ => known.last,
        };
        // As many as are likely to hold that much, then twice as many each time: reading back costs
        // what the tail costs.
        let mut count = known.objects_with(max_bytes);
        loop {
            let start = end.saturating_sub(count - 1).max(known.first);
            let (start, mut commits) = self.collect(known, start, end).await?;
            let reaches = |item: &Result<StoredCommit, Error>| {
                item.as_ref().is_ok_and(|commit| commit.tip().position >= before)
            };
            if end < known.last && !commits.last().is_some_and(reaches) {
                // Damage hid where it is.
                end = end.saturating_add(count).min(known.last);
                count = count.saturating_mul(2);
                continue;
            }
            let ends = |item: &Result<StoredCommit, Error>| match item {
                Ok(commit) => commit.tip().position <= before,
                Err(error) => error.damage().is_some_and(|it| it.seq.number() < before.number()),
            };
            commits.retain(ends);
            let enough = fitting(&commits, max_bytes);
            if start == known.first || enough.is_some_and(|first| first > 0) {
                let first = enough.unwrap_or(0);
                return Ok(commits.into_iter().skip(first).collect());
            }
            count = count.saturating_mul(2);
        }
    }

    /// Objects among those of the log that do not continue it, and are served to nobody.
    ///
    /// # Errors
    /// *missing*, *unavailable*, *permission*.
    pub(crate) async fn off_the_chain(&self) -> Result<Vec<SetAside>, Error> {
        let known = self.look_at_existing().await?;
        let mut walk = Walk::from_first(known.begun.salt);
        let mut off = Vec::new();
        let mut fetched = ranges::fetch(self, &known, known.first, known.taken);
        while let Some(pieces) = fetched.next().await {
            for piece in pieces? {
                let Some(bytes) = piece.bytes else {
                    walk.gap = true;
                    continue;
                };
                let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                let taken = walk.take(self.client(), &self.keys, (bytes, piece.number)).await?;
                if matches!(taken, Link::Off) {
                    off.push(SetAside {
                        offset: 0,
                        bytes: length,
                        reason: "an object that does not continue the journal".into(),
                        kept_at: Some(self.keys.log(piece.number).to_string()),
                    });
                }
            }
        }
        Ok(off)
    }

    /// All commits of some objects, and what is wrong between them; from an earlier number on,
    /// which is answered, where the first of them can't be told to be on the chain.
    ///
    /// # Errors
    /// *unavailable*, *permission*; damage is an item.
    pub(crate) async fn collect(
        &self,
        known: &Known,
        start: u64,
        end: u64,
    ) -> Result<(u64, Vec<Result<StoredCommit, Error>>), Error> {
        let mut reading = Reading::of(self, known, (start, end), None);
        let mut commits = Vec::new();
        while let Some(item) = reading.next().await? {
            commits.push(item);
        }
        Ok((reading.start, commits))
    }
}

/// The first of the last commits that fit into a number of bytes, at least one of them;
/// none where all do, so that those before might too.
fn fitting(commits: &[Result<StoredCommit, Error>], max_bytes: u64) -> Option<usize> {
    let (mut bytes, mut first) = (0_u64, None);
    for (at, item) in commits.iter().enumerate().rev() {
        let Ok(commit) = item else { continue };
        bytes = bytes.saturating_add(commit.span_bytes());
        if bytes > max_bytes && first.is_some() {
            return first;
        }
        first = Some(at);
        if bytes > max_bytes {
            return first;
        }
    }
    None
}

/// A journal that is being read.
struct Reading {
    session: Session,
    known: Known,
    /// The number of the object that it begins with, and of the last one.
    start: u64,
    end: u64,
    fetched: BoxStream<'static, Result<Vec<Fetched>, Error>>,
    walk: Walk,
    /// What ends before this entry is passed over; it begins with it or before.
    seq: Option<Seq>,
    /// What is wrong before the next commit.
    failed: Option<Error>,
    ready: VecDeque<Result<StoredCommit, Error>>,
}

impl Reading {
    fn of(session: &Session, known: &Known, (start, end): (u64, u64), seq: Option<Seq>) -> Self {
        let salt = known.begun.salt;
        let is_first = start <= known.first;
        Self {
            session: session.clone(),
            known: known.clone(),
            start,
            end,
            fetched: ranges::fetch(session, known, start, end),
            walk: if is_first { Walk::from_first(salt) } else { Walk::from_the_middle(salt) },
            seq,
            failed: None,
            ready: VecDeque::new(),
        }
    }

    /// Begins anew, further back: where it began is not to be told to be on the chain.
    fn begin_earlier(&mut self) {
        let back = (self.end - self.start).saturating_mul(2).max(STEP_BACK);
        let start = self.start.saturating_sub(back).max(self.known.first);
        *self = Self::of(&self.session, &self.known, (start, self.end), self.seq);
    }

    /// The next commit, or damage; none at the end.
    async fn next(&mut self) -> Result<Option<Result<StoredCommit, Error>>, Error> {
        loop {
            if self.walk.proven
                && let Some(item) = self.ready.pop_front()
            {
                return Ok(Some(item));
            }
            let Some(fetched) = self.fetched.next().await else {
                if !self.walk.proven {
                    if self.walk.before.is_some() && self.end == self.known.last {
                        // Where a journal ends is on the chain.
                        self.walk.proven = true;
                    } else {
                        self.begin_earlier();
                    }
                    continue;
                }
                if self.walk.gap {
                    // Whoever asks again looks anew.
                    self.session.journal.forget();
                    let clause = "an object of it is gone that was there a moment ago";
                    return Err(Error::new(ErrorKind::Unavailable, clause).retryable());
                }
                return Ok(self.failed.take().map(Err));
            };
            for piece in fetched? {
                if !self.take(piece).await? {
                    self.begin_earlier();
                    break;
                }
            }
        }
    }

    /// Takes a piece; answers whether where the reading began may still be on the chain.
    async fn take(&mut self, fetched: Fetched) -> Result<bool, Error> {
        let Some(bytes) = fetched.bytes else {
            self.walk.gap = true;
            return Ok(true);
        };
        let begins = self.walk.before.is_none();
        let Session { place, keys, .. } = &self.session;
        let taken = self.walk.take(&place.client, keys, (bytes, fetched.number)).await?;
        let piece = match taken {
            Link::On(piece) => piece,
            Link::Off | Link::Nothing => return Ok(true),
            Link::Astray => return Ok(false),
        };
        let first = piece.commits().next().map(StoredCommit::first_seq);
        if begins && self.seq.is_some_and(|seq| first > Some(seq)) {
            return Ok(false);
        }
        for found in piece.found {
            match found {
                Found::Failure(failure) => {
                    self.failed.get_or_insert_with(|| piece::damage(&failure));
                }
                Found::Commit(placed) => {
                    let failed = self.failed.take();
                    let end = placed.commit.tip().position.number();
                    if self.seq.is_none_or(|seq| end > seq.number()) {
                        self.ready.extend(failed.map(Err));
                        self.ready.push_back(Ok(placed.commit));
                    }
                }
            }
        }
        Ok(true)
    }
}
