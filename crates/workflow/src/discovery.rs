//! Finding sessions again.

use std::cmp::Reverse;
use std::fmt;

use sessile_core::fold::Lifecycle;
use sessile_core::{Error, Name, SessionId, UnixMillis};
use sessile_engine::{Filter, Page, Summary as Row};

use crate::handle::Workflow;
use crate::summary::shown;

/// How many rows are asked for at once.
const BATCH: usize = 100;

/// Which sessions are looked for: those of one project and of the authority that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "nothing is found before it is given to `Workflow::discover`"]
pub struct Discover {
    project: Name,
    lifecycle: Option<Lifecycle>,
    offset: usize,
    limit: usize,
}

impl Discover {
    /// Those of a project, whatever state of life they are in, but for deleted ones.
    pub const fn project(project: Name) -> Self {
        Self { project, lifecycle: None, offset: 0, limit: usize::MAX }
    }

    /// Active ones only.
    pub const fn active(mut self) -> Self {
        self.lifecycle = Some(Lifecycle::Active);
        self
    }

    /// Closed ones only.
    pub const fn closed(mut self) -> Self {
        self.lifecycle = Some(Lifecycle::Closed);
        self
    }

    /// Leaves out so many of the first ones.
    pub const fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Shows so many at most: what is not within 1 and the most that the options say is taken for
    /// the nearest that is.
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// A session that was found.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Its id.
    pub id: SessionId,
    /// Its title, without secrets and not longer than is shown.
    pub title: Option<String>,
    /// Whether the title that is stored is another.
    pub title_truncated: bool,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// When it was created.
    pub created_at: UnixMillis,
    /// When something was last added to it.
    pub updated_at: UnixMillis,
}

impl fmt::Debug for Found {
    /// Tells its id and its state: titles are not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found")
            .field("id", &self.id)
            .field("lifecycle", &self.lifecycle)
            .field("updated_at", &self.updated_at)
            .finish_non_exhaustive()
    }
}

/// A page of a discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Discovered {
    /// How many there are in all, of those that were looked for.
    pub total: usize,
    /// How many of the first ones were left out.
    pub offset: usize,
    /// Those on the page, newest first; of one time the later id first.
    pub sessions: Vec<Found>,
    /// The offset of the next page; none at the end.
    pub next: Option<usize>,
}

impl Workflow {
    /// Looks for sessions of a project that are the authority's own; reads only.
    ///
    /// Whatever is another's was left out before anything is counted. Pages of a quiet store
    /// neither overlap nor skip; while others write, a session that moves to the front may be seen
    /// twice. The order is for people to see: it does not choose what to continue. How stale
    /// it may be is the backend's
    /// [`recency_lag`](sessile_core::backend::Capabilities::recency_lag).
    ///
    /// The backend is asked for the authority's own sessions of the project; of those of which nothing
    /// was noted the end is read, as for a listing.
    ///
    /// # Errors
    /// *refused* without an authority; *unavailable*, *deadline*, *permission*, never a page
    /// without them in their place.
    pub async fn discover(&self, discover: Discover) -> Result<Discovered, Error> {
        let Discover { project, lifecycle, offset, limit } = discover;
        let mut filter = Filter::all().project(project.as_str()).owner_fingerprint(self.owner()?);
        match lifecycle {
            Some(Lifecycle::Active) => filter = filter.active(),
            Some(Lifecycle::Closed) => filter = filter.closed(),
            Some(Lifecycle::Deleted) | None => {}
        }
        let mut found = Vec::new();
        let mut page = Some(Page::of(BATCH.min(self.store().options().limits.page_rows)));
        while let Some(wanted) = page.take() {
            let listing = self.store().list(filter.clone(), wanted.clone()).await?;
            found.extend(listing.sessions.into_iter().filter_map(|row| self.found(row)));
            page = listing.next.map(|next| wanted.after(next));
        }
        found.sort_by(|one, other| {
            let order = |it: &Found| Reverse((it.updated_at, it.id.clone()));
            order(one).cmp(&order(other))
        });
        let limit = limit.clamp(1, self.options().discover_most.max(1));
        let total = found.len();
        let sessions: Vec<Found> = found.into_iter().skip(offset).take(limit).collect();
        let end = offset.saturating_add(sessions.len());
        let next = (!sessions.is_empty() && end < total).then_some(end);
        Ok(Discovered { total, offset, sessions, next })
    }

    /// The row of a session that can be read.
    fn found(&self, row: Row) -> Option<Found> {
        let title = row.title.as_deref().map(|title| shown(title, self.options()));
        Some(Found {
            title_truncated: title != row.title,
            title,
            lifecycle: row.lifecycle.filter(|_| !row.incomplete)?,
            created_at: row.created_at?,
            updated_at: row.updated_at,
            id: row.id,
        })
    }
}
