//! Reading a journal: from an entry on, or back from a position.

use std::collections::VecDeque;

use futures_util::StreamExt as _;
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

impl Session {
    /// Reads commits.
    ///
    /// # Errors
    /// *missing*, *corrupt* where the header can't be read, *unavailable*, *permission*.
    pub(crate) async fn read(&self, span: Span) -> Result<Commits, Error> {
        let known = self.look_closely().await?;
        match span {
            Span::From(seq) if seq.number() >= known.tip.position.number() => {
                Ok(Box::pin(stream::empty()))
            }
            Span::From(seq) => {
                let start = self.locate(&known, seq).await?;
                Ok(self.from(&known, start, seq))
            }
            Span::Back { before, max_bytes } => {
                let commits = self.back(&known, before, max_bytes).await?;
                Ok(Box::pin(stream::iter(commits)))
            }
        }
    }

    /// The number of an object at or before the one that holds an entry; the very one where
    /// nothing is wrong with the journal.
    pub(crate) async fn locate(&self, known: &Known, seq: Seq) -> Result<u64, Error> {
        let end = known.tip.position.number().saturating_sub(1);
        // Each object holds at least one entry.
        let behind = end.saturating_sub(seq.number());
        let mut low = known.last.saturating_sub(behind).max(known.first);
        let mut high = known.last.min(seq.number()).max(low);
        // Damage may have made more numbers than there are entries.
        let is_before = |start: Option<Seq>| start.is_some_and(|start| start <= seq);
        if low > known.first && !is_before(self.first_seq(low).await?) {
            (low, high) = (known.first, low);
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if is_before(self.first_seq(middle).await?) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Ok(low)
    }

    async fn first_seq(&self, number: u64) -> Result<Option<Seq>, Error> {
        let start = self.client().get_start(&self.keys.log(number), piece::START_BYTES).await?;
        Ok(start.and_then(|bytes| piece::first_seq(&bytes)))
    }

    /// Streams the commits from an entry on, which an object at or before a number holds.
    fn from(&self, known: &Known, start: u64, seq: Seq) -> Commits {
        let fetched = ranges::fetch(self, known, start, known.last);
        let reading = Reading {
            session: self.clone(),
            fetched,
            walk: Walk { salt: known.begun.salt, before: None, gap: false },
            seq,
            failed: None,
            ready: VecDeque::new(),
        };
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
        let end = match before.number().checked_sub(1).and_then(Seq::new) {
            Some(last) if before < known.tip.position => self.locate(known, last).await?,
            _ => known.last,
        };
        // As many as are likely to hold that much, then twice as many each time: reading back costs
        // what the tail costs.
        let each = (known.bytes / (known.last - known.first + 1)).max(1);
        let mut count = (max_bytes / each).saturating_add(1);
        loop {
            let start = end.saturating_sub(count - 1).max(known.first);
            let mut commits = self.collect(known, start, end).await?;
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
        let known = self.look_closely().await?;
        let mut walk = Walk { salt: known.begun.salt, before: None, gap: false };
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

    /// All commits of some objects, and what is wrong between them.
    ///
    /// # Errors
    /// *unavailable*, *permission*; damage is an item.
    pub(crate) async fn collect(
        &self,
        known: &Known,
        start: u64,
        end: u64,
    ) -> Result<Vec<Result<StoredCommit, Error>>, Error> {
        let mut reading = Reading {
            session: self.clone(),
            fetched: ranges::fetch(self, known, start, end),
            walk: Walk { salt: known.begun.salt, before: None, gap: false },
            seq: Seq::FIRST,
            failed: None,
            ready: VecDeque::new(),
        };
        let mut commits = Vec::new();
        while let Some(item) = reading.next().await? {
            commits.push(item);
        }
        Ok(commits)
    }
}

/// The first of the last commits that fit into a number of payload bytes, at least one of them;
/// none where all do, so that those before might too.
fn fitting(commits: &[Result<StoredCommit, Error>], max_bytes: u64) -> Option<usize> {
    let (mut bytes, mut first) = (0_u64, None);
    for (at, item) in commits.iter().enumerate().rev() {
        let Ok(commit) = item else { continue };
        bytes = bytes.saturating_add(payload_bytes(commit));
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

fn payload_bytes(commit: &StoredCommit) -> u64 {
    let bytes: usize = commit.entries.iter().map(|entry| entry.data.len()).sum();
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// A journal that is being read.
struct Reading {
    session: Session,
    fetched: BoxStream<'static, Result<Vec<Fetched>, Error>>,
    walk: Walk,
    /// What ends before this entry is passed over.
    seq: Seq,
    /// What is wrong before the next commit.
    failed: Option<Error>,
    ready: VecDeque<Result<StoredCommit, Error>>,
}

impl Reading {
    /// The next commit, or damage; none at the end.
    async fn next(&mut self) -> Result<Option<Result<StoredCommit, Error>>, Error> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            let Some(fetched) = self.fetched.next().await else {
                if self.walk.gap {
                    let clause = "an object of it is gone that was there a moment ago";
                    return Err(Error::new(ErrorKind::Unavailable, clause).retryable());
                }
                return Ok(self.failed.take().map(Err));
            };
            for piece in fetched? {
                self.take(piece).await?;
            }
        }
    }

    async fn take(&mut self, fetched: Fetched) -> Result<(), Error> {
        let Some(bytes) = fetched.bytes else {
            self.walk.gap = true;
            return Ok(());
        };
        let Session { place, keys, .. } = &self.session;
        let taken = self.walk.take(&place.client, keys, (bytes, fetched.number)).await?;
        let Link::On(piece) = taken else { return Ok(()) };
        for found in piece.found {
            match found {
                Found::Failure(failure) => {
                    self.failed.get_or_insert_with(|| piece::damage(&failure));
                }
                Found::Commit(placed) => {
                    let failed = self.failed.take();
                    if placed.commit.tip().position.number() > self.seq.number() {
                        self.ready.extend(failed.map(Err));
                        self.ready.push_back(Ok(placed.commit));
                    }
                }
            }
        }
        Ok(())
    }
}
