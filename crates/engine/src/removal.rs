//! What a journal says is to be removed, and what of it is still there.

use std::collections::BTreeSet;

use sessile_core::backend::{Commits, Span};
use sessile_core::entry::shape::{Forgotten, Redacted};
use sessile_core::{Entry, EntryType, Error, Seq, SessionKey, StoredCommit};

use crate::opened::Opened;

/// Why an entry is to hold nothing any more.
///
/// # Examples
/// ```
/// use sessile_engine::Removal;
///
/// assert_eq!(Removal::Redacted.name(), "redacted");
/// assert_eq!(Removal::Forgotten.name(), "forgotten");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Removal {
    /// It was named to be redacted.
    Redacted,
    /// It stands before what was to be kept.
    Forgotten,
}

impl Removal {
    /// The stable name in `--json` output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redacted => "redacted",
            Self::Forgotten => "forgotten",
        }
    }
}

/// An entry that still holds what it is recorded to have lost: whoever recorded it was cut short.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
/// use sessile_engine::Unfinished;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// let done = session.append(["a password"]).await?;
/// session.redact([done.first], None).await?;
/// // What was recorded as removed is gone; after a crash in between it would be told here.
/// let unfinished: Vec<Unfinished> = store.verify("ses_42").await?.unfinished;
/// assert_eq!(unfinished, []);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// The entry.
    pub seq: Seq,
    /// What was recorded of it.
    pub what: Removal,
}

/// What the entries of a journal say is removed.
#[derive(Debug, Default)]
pub(crate) struct Removals {
    redacted: BTreeSet<Seq>,
    forgotten: Option<Seq>,
}

impl Removals {
    /// Takes what a commit says.
    pub(crate) fn take(&mut self, commit: &StoredCommit) {
        for entry in &commit.entries {
            match entry.entry_type {
                EntryType::Redacted => {
                    let redacted = entry.data.decode::<Redacted>().unwrap_or_default();
                    self.redacted.extend(redacted.seqs);
                }
                EntryType::Forgotten => {
                    let forgotten = entry.data.decode::<Forgotten>().ok();
                    self.forgotten = self.forgotten.max(forgotten.map(|it| it.before));
                }
                _ => {}
            }
        }
    }

    /// Whether nothing is.
    pub(crate) fn is_empty(&self) -> bool {
        self.redacted.is_empty() && self.forgotten.is_none()
    }

    /// Whether that is why the content of a commit is not what it was.
    pub(crate) fn explain(&self, first: Seq, last: Seq) -> bool {
        let forgotten = self.forgotten.is_some_and(|before| first < before);
        forgotten || self.redacted.range(first..=last).next().is_some()
    }

    /// Why an entry is to hold nothing; none if it may hold what it does.
    pub(crate) fn of(&self, entry: &Entry) -> Option<Removal> {
        let kept = entry.entry_type.kept_when_redacted();
        if kept.is_some() && self.redacted.contains(&entry.seq) {
            return Some(Removal::Redacted);
        }
        let forgotten = is_forgettable(entry) && self.forgotten.is_some_and(|it| entry.seq < it);
        forgotten.then_some(Removal::Forgotten)
    }

    /// What is still there of what is to be gone, as far as it can be read.
    ///
    /// # Errors
    /// Those of reading but for damage.
    pub(crate) async fn unfinished(
        &self,
        opened: &Opened,
        key: &SessionKey,
    ) -> Result<Vec<Unfinished>, Error> {
        let mut unfinished = Vec::new();
        let first = self.forgotten.map(|_| Seq::FIRST);
        let first = first.or_else(|| self.redacted.first().copied());
        let Some(first) = first else {
            return Ok(unfinished);
        };
        let last = self.redacted.last().copied().max(self.forgotten).unwrap_or(first);
        let mut commits = opened.read(key, Span::From(first)).await?;
        while let Some(commit) = readable(opened, &mut commits).await? {
            if commit.first_seq() > last {
                break;
            }
            for entry in commit.entries.iter().filter(|entry| !entry.is_redacted()) {
                let what = self.of(entry);
                unfinished.extend(what.map(|what| Unfinished { seq: entry.seq, what }));
            }
        }
        Ok(unfinished)
    }
}

/// Whether forgetting removes what an entry holds.
pub(crate) const fn is_forgettable(entry: &Entry) -> bool {
    matches!(entry.entry_type, EntryType::Message | EntryType::Event | EntryType::Outcome)
}

/// The next commit that can be read.
///
/// # Errors
/// Those of reading but for damage.
pub(crate) async fn readable(
    opened: &Opened,
    commits: &mut Commits,
) -> Result<Option<StoredCommit>, Error> {
    loop {
        match opened.next(commits).await {
            None => return Ok(None),
            Some(Ok(commit)) => return Ok(Some(commit)),
            Some(Err(error)) if error.damage().is_some() => {}
            Some(Err(error)) => return Err(error),
        }
    }
}
