//! What waits to be written of a store.

use std::collections::{BTreeMap, VecDeque};

use sessile_core::{Error, ErrorKind, SessionKey};

use super::line::Line;
use crate::generation::Generation;

/// How many superseded changes are kept to be told of.
const MOST_UNTOLD: usize = 1_000;

/// How many characters of an error the status has.
const ERROR_CHARS: usize = 240;

/// What waits to be written of a store, and what became of what has waited.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use sessile_engine::{Backlog, NewSession, Options, Store};
/// use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let options = Options::default().write_behind();
/// let store = Store::with(Arc::new(MemoryBackend::new()), options);
/// let session = store.create(NewSession::new()).await?;
/// session.append_behind(["hi"]).await?;
/// store.flush().await?;
/// let waiting: Backlog = store.status().waiting.expect("the store writes behind");
/// assert_eq!((waiting.changes, waiting.superseded), (0, 0));
/// store.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backlog {
    /// The last change that was told before it was durable.
    pub generation: Generation,
    /// How many of them wait.
    pub changes: usize,
    /// Of how many sessions.
    pub sessions: usize,
    /// How often what waited was written, or that was tried, since the store was opened.
    pub cycles: u64,
    /// How many were refused when they were written, since others had written first.
    pub superseded: u64,
    /// Why the last try failed, 240 characters at most; none once one did not fail.
    pub last_error: Option<String>,
}

/// Whether something waits.
pub(super) enum Waits {
    /// Nothing of it does any more.
    Not,
    /// Some of it does; and why the last try to write that failed, if there was one.
    Still(Option<Error>),
}

#[derive(Default)]
pub(super) struct Book {
    pub(super) lines: BTreeMap<SessionKey, Line>,
    pub(super) last: Generation,
    /// How many bytes of messages wait.
    pub(super) bytes: usize,
    pub(super) is_closed: bool,
    /// Whether there is a task that writes.
    pub(super) is_running: bool,
    /// How many cycles have begun, and how many of them ended.
    pub(super) begun: u64,
    pub(super) ended: u64,
    pub(super) last_error: Option<String>,
    superseded: u64,
    /// What was superseded and nobody was told of yet.
    untold: VecDeque<(Generation, Error)>,
}

impl Book {
    /// Refuses what comes too late.
    ///
    /// # Errors
    /// *unavailable* on a closed store.
    pub(super) fn refuse_closed(&self) -> Result<(), Error> {
        if !self.is_closed {
            return Ok(());
        }
        let closed = Error::new(ErrorKind::Unavailable, "the store is closed");
        Err(closed.with_hint("open it anew"))
    }

    pub(super) fn figures(&self) -> Backlog {
        Backlog {
            generation: self.last,
            changes: self.lines.values().map(Line::len).sum(),
            sessions: self.lines.len(),
            cycles: self.ended,
            superseded: self.superseded,
            last_error: self.last_error.clone(),
        }
    }

    /// Notes what a cycle has failed with; none if it did not fail.
    pub(super) fn note_failure(&mut self, error: Option<&Error>) {
        self.last_error = error.map(|error| error.to_string().chars().take(ERROR_CHARS).collect());
    }

    /// Notes what was superseded.
    pub(super) fn note_superseded(&mut self, generation: Generation, error: Error, is_told: bool) {
        self.superseded += 1;
        if is_told {
            return;
        }
        self.untold.push_back((generation, error));
        if self.untold.len() > MOST_UNTOLD {
            self.untold.pop_front();
        }
    }

    /// What was superseded up to a generation and nobody was told of; it is told by that.
    pub(super) fn tell(&mut self, through: Generation) -> Option<(Generation, Error)> {
        let first = self.untold.iter().position(|(generation, _)| *generation <= through)?;
        self.untold.remove(first)
    }

    /// Whether any of a generation or an earlier one waits.
    pub(super) fn waits(&self, through: Generation) -> Waits {
        let is_in = |line: &&Line| line.generations().next().is_some_and(|it| it <= through);
        let mut lines = self.lines.values().filter(is_in);
        let Some(first) = lines.next() else {
            return Waits::Not;
        };
        Waits::Still(first.error.clone().or_else(|| lines.find_map(|line| line.error.clone())))
    }

    /// Whether anything of a session waits up to a generation.
    pub(super) fn waits_of(&self, key: &SessionKey, through: Generation) -> Waits {
        let line = self.lines.get(key);
        let is_in = |line: &&Line| line.generations().next().is_some_and(|it| it <= through);
        line.filter(is_in).map_or(Waits::Not, |line| Waits::Still(line.error.clone()))
    }
}
