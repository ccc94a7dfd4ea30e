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
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use sessile_workflow::Discover;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let begin = |project| workflow.begin(Begin::new().project(project));
/// let open = begin("shop").await?.summary.id;
/// let done = begin("shop").await?.summary.id;
/// begin("bank").await?;
/// workflow.close(done.as_str()).await?;
///
/// let found = workflow.discover(Discover::project("shop".parse()?).active()).await?;
/// assert_eq!(found.sessions.iter().map(|it| &it.id).collect::<Vec<_>>(), [&open]);
/// // Of another authority's sessions there are none, closed or not.
/// let others = workflow.as_owner("team-8").discover(Discover::project("shop".parse()?)).await?;
/// assert_eq!(others.total, 0);
/// # Ok(())
/// # }
/// ```
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
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Discover, Options, Workflow};
/// use sessile_workflow::Found;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let begin = |title| workflow.begin(Begin::new().project("shop").title(title));
/// begin("send it with bearer 4711").await?;
/// let page = workflow.discover(Discover::project("shop".parse()?)).await?;
/// let found: &Found = &page.sessions[0];
/// // Titles are what people typed: what may be a secret is not shown in lists.
/// assert_eq!(found.title.as_deref(), Some("[redacted]"));
/// assert!(found.title_truncated);
/// # Ok(())
/// # }
/// ```
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
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// # use sessile_workflow::{Begin, Options, Workflow};
/// use sessile_workflow::{Discover, Discovered};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let options = Options::default();
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// for _ in 0..3 {
///     workflow.begin(Begin::new().project("shop")).await?;
/// }
/// let shop = Discover::project("shop".parse()?).limit(2);
/// let page: Discovered = workflow.discover(shop.clone()).await?;
/// assert_eq!((page.total, page.sessions.len()), (3, 2));
/// let next = page.next.expect("there is one more");
/// let last = workflow.discover(shop.offset(next)).await?;
/// assert_eq!((last.sessions.len(), last.next), (1, None));
/// # Ok(())
/// # }
/// ```
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
