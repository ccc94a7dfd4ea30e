//! Calls as they were made, for a fault to change, delay, repeat or let through.

use std::time::Duration;

use sessile_core::backend::{
    Appended, Backend as _, Collection, Commits, DocKey, Expected, NewDocument, Precondition,
    Recency, Recent, Scope, Span,
};
use sessile_core::id::Name;
use sessile_core::{
    Commit, Error, ErrorKind, Limits, NewEntry, SessionId, SessionKey, Space, StoredCommit,
};
use sessile_memory::MemoryBackend;

use crate::failed::Failed;
use crate::look;

/// The error of a broken backend that does not even get to break its promise.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands over what it maps")]
pub(super) fn stuck(failed: Failed) -> Error {
    Error::new(ErrorKind::Unavailable, failed.to_string())
}

/// Long enough that whatever else was started comes in between.
pub(super) async fn moment() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// The same commit with other entries.
pub(super) fn with_entries(commit: &Commit, entries: Vec<NewEntry>) -> Result<Commit, Error> {
    Commit::new(commit.id().clone(), commit.token(), entries, &Limits::default())
}

/// The same commits with each entry changed.
pub(super) fn changed(
    commits: &[Commit],
    change: impl Fn(&mut NewEntry),
) -> Result<Vec<Commit>, Error> {
    let change_one = |commit: &Commit| {
        let mut entries = commit.entries().to_vec();
        entries.iter_mut().for_each(&change);
        with_entries(commit, entries)
    };
    commits.iter().map(change_one).collect()
}

/// An append.
#[derive(Clone)]
pub(super) struct Append<'a> {
    pub(super) sound: &'a MemoryBackend,
    pub(super) key: &'a SessionKey,
    pub(super) expected: Expected,
    pub(super) commits: Vec<Commit>,
}

impl Append<'_> {
    /// Does it right.
    pub(super) async fn done(self) -> Result<Vec<Appended>, Error> {
        self.sound.append(self.key, self.expected, self.commits).await
    }

    /// Does it right wherever the journal ends.
    pub(super) async fn done_at_the_end(self) -> Result<Vec<Appended>, Error> {
        self.sound.append(self.key, Expected::End, self.commits).await
    }
}

/// A read.
#[derive(Clone, Copy)]
pub(super) struct Read<'a> {
    pub(super) sound: &'a MemoryBackend,
    pub(super) key: &'a SessionKey,
    pub(super) span: Span,
}

impl Read<'_> {
    /// Does it right.
    pub(super) async fn done(self) -> Result<Commits, Error> {
        self.sound.read(self.key, self.span).await
    }

    /// The commits that a sound backend serves.
    pub(super) async fn commits(self) -> Result<Vec<StoredCommit>, Error> {
        self.sound.head(self.key).await?;
        look::read(self.sound, self.key, self.span).await.map_err(stuck)
    }
}

/// A page of a listing.
pub(super) struct Page<'a, In, After> {
    pub(super) sound: &'a MemoryBackend,
    pub(super) of: &'a In,
    /// Which journals are listed; it is of heads only.
    pub(super) scope: &'a Scope,
    pub(super) after: Option<&'a After>,
    pub(super) limit: usize,
}

impl<In, After> Page<'_, In, After> {
    /// The whole listing as one page; one without rows is still refused.
    pub(super) fn whole(&self) -> Self {
        let limit = self.limit.saturating_mul(1 << 20);
        Self { after: None, limit, ..*self }
    }
}

impl Page<'_, Space, SessionId> {
    /// Does it right.
    pub(super) async fn done(&self) -> Result<Vec<SessionId>, Error> {
        self.sound.journals(self.of, self.after, self.limit).await
    }
}

impl Page<'_, Space, Recency> {
    /// Does it right.
    pub(super) async fn done(&self) -> Result<Vec<Recent>, Error> {
        self.sound.recent(self.of, self.scope, self.after, self.limit).await
    }
}

impl Page<'_, Collection, Name> {
    /// Does it right.
    pub(super) async fn done(&self) -> Result<Vec<Name>, Error> {
        self.sound.documents(self.of, self.after, self.limit).await
    }
}

/// A put.
#[derive(Clone)]
pub(super) struct Put<'a> {
    pub(super) sound: &'a MemoryBackend,
    pub(super) key: &'a DocKey,
    pub(super) document: NewDocument,
    pub(super) precondition: Precondition,
}

impl Put<'_> {
    /// Does it right.
    pub(super) async fn done(self) -> Result<(), Error> {
        self.sound.put(self.key, self.document, self.precondition).await
    }

    /// What would have to be expected for the put to be done now.
    pub(super) async fn actual(&self) -> Precondition {
        let held = self.sound.get(self.key).await;
        held.map_or(Precondition::Absent, |held| Precondition::Revision(held.revision))
    }
}
