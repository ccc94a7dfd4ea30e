//! The walk over the backend's order of recency.

use std::collections::VecDeque;
use std::sync::Arc;

use sessile_core::backend::{Gist, Recency, Recent, Scope, Seen};
use sessile_core::{Error, ErrorKind, SessionKey, Space};

use super::filter::{Checked, Filter};
use super::page::{Cursor, Listing, Page};
use super::summary::Summary;
use crate::info::Info;
use crate::opened::Opened;
use crate::resident::Resident;

/// How many sessions are asked for at first; each time after that twice as many, since a batch may cost
/// what a look at all names does.
const FIRST_BATCH: usize = 64;

/// How many sessions are asked for at most.
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
    // One more is there to be shown, so that the next page is not empty for sure.
    let first_batch = rows.saturating_add(1).min(GREATEST_BATCH);
    let mut walk =
        Walk::new(opened, (space, filter.scope().clone()), after).asking_for(first_batch);
    let mut sessions = Vec::new();
    let mut last = None;
    while let Some(Recent { recency, seen }) = walk.next().await? {
        let seen = match seen {
            // Nobody knows whether it belongs here: left out it would look as if it were not there.
            Err(error) if error.kind() == ErrorKind::Unavailable && !filter.takes_unreadable() => {
                return Err(error);
            }
            seen => seen,
        };
        let may_be_shown = match &seen {
            Ok(seen) => filter.takes_deleted(seen.is_deleted()),
            Err(_) => filter.takes_unreadable(),
        };
        if !may_be_shown {
            continue;
        }
        if sessions.len() == rows {
            return Ok(Listing { sessions, next: last.map(Cursor::at) });
        }
        // Most rows are such: they need not wait for anything.
        let summary = match seen {
            Ok(Seen::Gist(gist)) => summary_of_gist(&filter, &recency, &gist),
            seen => summary(opened, space, &filter, &recency, seen).await?,
        };
        if let Some(summary) = summary {
            if sessions.is_empty() {
                sessions.reserve(rows.min(walk.batch.len() + 1));
            }
            sessions.push(summary);
            last = Some(recency);
        }
    }
    Ok(Listing { sessions, next: None })
}

/// The row of a session of which enough was noted.
fn summary_of_gist(filter: &Checked, recency: &Recency, gist: &Gist) -> Option<Summary> {
    let takes = filter.takes(gist.lifecycle, gist.damaged, &gist.tags);
    takes.then(|| Summary::of_gist(recency.id.clone(), gist))
}

/// The row of a session; none if it does not belong on the page after all.
async fn summary(
    opened: &Arc<Opened>,
    space: &Space,
    filter: &Checked,
    recency: &Recency,
    seen: Result<Seen, Error>,
) -> Result<Option<Summary>, Error> {
    let unreadable = |error: &Error| {
        let Recency { updated_at, id } = recency.clone();
        Summary::unreadable(id, updated_at, error)
    };
    match seen {
        Err(error) => return Ok(Some(unreadable(&error))),
        Ok(Seen::Gist(gist)) => return Ok(summary_of_gist(filter, recency, &gist)),
        // A header that can't be read is told by the load.
        Ok(Seen::Head(_)) => {}
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

/// The sessions of a space, newest first, asked for in batches.
pub(crate) struct Walk<'a> {
    opened: &'a Opened,
    space: &'a Space,
    scope: Scope,
    after: Option<Recency>,
    batch: VecDeque<Recent>,
    /// How many are asked for next.
    next_batch: usize,
    ended: bool,
}

impl<'a> Walk<'a> {
    /// Goes through the sessions of a space and a scope that follow a place in their order.
    pub(crate) fn new(
        opened: &'a Opened,
        (space, scope): (&'a Space, Scope),
        after: Option<Recency>,
    ) -> Self {
        let (batch, next_batch) = (VecDeque::new(), FIRST_BATCH);
        Self { opened, space, scope, after, batch, next_batch, ended: false }
    }

    /// The same, asking for so many at first.
    pub(crate) const fn asking_for(mut self, first_batch: usize) -> Self {
        self.next_batch = first_batch;
        self
    }

    /// The next session.
    ///
    /// # Errors
    /// Those of listing.
    pub(crate) async fn next(&mut self) -> Result<Option<Recent>, Error> {
        if self.batch.is_empty() && !self.ended {
            let backend = self.opened.backend();
            let asked = self.next_batch;
            let recent = backend.recent(self.space, &self.scope, self.after.as_ref(), asked);
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
