//! The walk over the backend's order of recency.

use std::collections::VecDeque;
use std::sync::Arc;

use sessile_core::backend::{Head, Recency, Recent};
use sessile_core::entry::shape::Header;
use sessile_core::{Error, ErrorKind, SessionKey, Space, header};

use super::filter::{Checked, Filter};
use super::page::{Cursor, Listing, Page};
use super::summary::Summary;
use crate::info::Info;
use crate::opened::Opened;
use crate::resident::Resident;

/// How many heads are asked for at first; each time after that twice as many, since a batch may cost
/// what a look at all names does.
const FIRST_BATCH: usize = 64;

/// How many heads are asked for at most.
const GREATEST_BATCH: usize = 1_024;

/// Lists a page of the sessions of a space.
pub(crate) async fn list(
    opened: &Arc<Opened>,
    space: &Space,
    filter: Filter,
    page: Page,
) -> Result<Listing, Error> {
    let filter = filter.check()?;
    let (rows, after) = page.check(opened.limits())?;
    let mut walk = Walk::new(opened, space, after);
    let mut sessions = Vec::new();
    let mut last = None;
    while let Some(Recent { recency, head }) = walk.next().await? {
        let Some(seen) = seen(&filter, head) else {
            continue;
        };
        // One more is there to be shown, so that the next page is not empty for sure.
        if sessions.len() == rows {
            return Ok(Listing { sessions, next: last.map(Cursor::at) });
        }
        if let Some(summary) = summary(opened, space, &filter, &recency, seen).await? {
            sessions.push(summary);
            last = Some(recency);
        }
    }
    Ok(Listing { sessions, next: None })
}

/// A head that may belong on the page, or why there is none.
fn seen(filter: &Checked, head: Result<Head, Error>) -> Option<Result<(), Error>> {
    let read = head.and_then(|head| {
        let header: Header = header::read(&head.header)?;
        Ok(filter.takes_head(&header, head.deleted))
    });
    match read {
        Ok(takes) => takes.then_some(Ok(())),
        Err(error) => filter.takes_unreadable().then_some(Err(error)),
    }
}

/// The row of a session; none if it does not belong on the page after all.
async fn summary(
    opened: &Arc<Opened>,
    space: &Space,
    filter: &Checked,
    recency: &Recency,
    seen: Result<(), Error>,
) -> Result<Option<Summary>, Error> {
    let unreadable = |error: &Error| {
        let Recency { updated_at, id } = recency.clone();
        Summary::unreadable(id, updated_at, error)
    };
    if let Err(error) = seen {
        return Ok(Some(unreadable(&error)));
    }
    let key = SessionKey { space: space.clone(), id: recency.id.clone() };
    match Resident::load(Arc::clone(opened), key).await {
        Ok(resident) => {
            let folded = resident.folded();
            let (info, incomplete) = (Info::of(&folded), folded.state().is_incomplete());
            let takes = filter.takes(info.lifecycle, info.damaged, &info.tags());
            Ok(takes.then(|| Summary { incomplete, ..Summary::of(&info) }))
        }
        // It was purged since its head was listed.
        Err(error) if matches!(error.kind(), ErrorKind::Missing | ErrorKind::Deleted) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::UnknownVersion) => {
            Ok(filter.takes_unreadable().then(|| unreadable(&error)))
        }
        Err(error) => Err(error),
    }
}

/// The heads of a space, newest first, asked for in batches.
pub(crate) struct Walk<'a> {
    opened: &'a Opened,
    space: &'a Space,
    after: Option<Recency>,
    batch: VecDeque<Recent>,
    /// How many are asked for next.
    next_batch: usize,
    ended: bool,
}

impl<'a> Walk<'a> {
    /// Goes through the heads of a space that follow a place in their order.
    pub(crate) const fn new(opened: &'a Opened, space: &'a Space, after: Option<Recency>) -> Self {
        Self { opened, space, after, batch: VecDeque::new(), next_batch: FIRST_BATCH, ended: false }
    }

    /// The next head.
    ///
    /// # Errors
    /// Those of listing.
    pub(crate) async fn next(&mut self) -> Result<Option<Recent>, Error> {
        if self.batch.is_empty() && !self.ended {
            let backend = self.opened.backend();
            let asked = self.next_batch;
            let recent = backend.recent(self.space, self.after.as_ref(), asked);
            self.batch = self.opened.deadline().bound(recent).await.flatten()?.into();
            self.ended = self.batch.len() < asked;
            self.next_batch = asked.saturating_mul(2).min(GREATEST_BATCH);
            if let Some(last) = self.batch.back() {
                self.after = Some(last.recency.clone());
            }
        }
        Ok(self.batch.pop_front())
    }
}
