//! How many sessions there are: counted in the store when somebody asks.

use std::sync::Arc;

use sessile_core::fold::Lifecycle;
use sessile_core::{Error, SessionKey, Space};

use crate::listing::{self, Filter, Page, Summary};
use crate::opened::Opened;
use crate::residency::Residency;

/// How many sessions a space holds, in which state, and how many of them are in memory.
///
/// Each figure is exact for what the walk over the listing has seen: what changes while it goes on
/// is counted before or after the change. It costs what listing every session costs: of each the
/// end of its journal is read, and of a deleted one its head.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::{NewSession, Store};
/// # use sessile_memory::MemoryBackend;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// # let store = Store::on(Arc::new(MemoryBackend::new()));
/// # let session = store.create_as("ses_42", NewSession::new()).await?;
/// session.append(["hi"]).await?;
/// let census = store.census().await?;
/// assert_eq!((census.sessions, census.active, census.messages), (1, 1, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Census {
    /// How many sessions there are, deleted ones left out.
    pub sessions: u64,
    /// How many of them are active.
    pub active: u64,
    /// How many of them are closed.
    pub closed: u64,
    /// How many of them have something that can't be read, whatever else they are; of some of these
    /// that is also whether they are active.
    pub damaged: u64,
    /// How many of them are copies that were cut short.
    pub incomplete: u64,
    /// How many of them are hot in this store.
    pub hot: u64,
    /// How many of the active ones are not.
    pub active_cold: u64,
    /// How many messages they have in sight, of those that can be read.
    pub messages: u64,
    /// Of how many deleted sessions the tombstone is there.
    pub tombstones: u64,
}

impl Census {
    /// Counts the sessions of a space.
    ///
    /// # Errors
    /// Those of listing.
    pub(crate) async fn of(
        opened: &Arc<Opened>,
        residency: &Residency,
        space: &Space,
    ) -> Result<Self, Error> {
        let mut census = Self::default();
        let mut rows = Rows::new(opened, space, Filter::all());
        while let Some(page) = rows.next().await? {
            for row in page {
                let key = SessionKey { space: space.clone(), id: row.id.clone() };
                census.count(&row, residency.is_hot(&key));
            }
        }
        let mut rows = Rows::new(opened, space, Filter::all().deleted());
        while let Some(page) = rows.next().await? {
            census.tombstones += u64::try_from(page.len()).unwrap_or(u64::MAX);
        }
        Ok(census)
    }

    fn count(&mut self, row: &Summary, is_hot: bool) {
        let is_active = row.lifecycle == Some(Lifecycle::Active);
        self.sessions += 1;
        self.active += u64::from(is_active);
        self.closed += u64::from(row.lifecycle == Some(Lifecycle::Closed));
        self.damaged += u64::from(row.damaged);
        self.incomplete += u64::from(row.incomplete);
        self.hot += u64::from(is_hot);
        self.active_cold += u64::from(is_active && !is_hot);
        self.messages += row.messages;
    }
}

/// All rows of a listing, a page at a time.
struct Rows<'a> {
    opened: &'a Arc<Opened>,
    space: &'a Space,
    filter: Filter,
    /// None behind the last page.
    next: Option<Page>,
}

impl<'a> Rows<'a> {
    fn new(opened: &'a Arc<Opened>, space: &'a Space, filter: Filter) -> Self {
        let next = Some(Page::of(opened.limits().page_rows));
        Self { opened, space, filter, next }
    }

    async fn next(&mut self) -> Result<Option<Vec<Summary>>, Error> {
        let Some(page) = self.next.take() else {
            return Ok(None);
        };
        let rows = self.opened.limits().page_rows;
        let listing = listing::list(self.opened, self.space, self.filter.clone(), page).await?;
        self.next = listing.next.map(|cursor| Page::of(rows).after(cursor));
        Ok(Some(listing.sessions))
    }
}
