//! Listing the older sessions among the backend's own.

use sessile_core::backend::{Head, Recency, Recent, Scope, Seen};
use sessile_core::error::Error;
use sessile_core::id::{SessionId, Space};
use sessile_core::time::UnixMillis;

use super::folder::OldFiles;
use super::standing::Legacy;
use crate::page;

impl Legacy {
    /// A page of ids.
    pub(super) async fn ids(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        page::check_limit(limit)?;
        let mut ids = self.inner.journals(&self.space, after, limit).await?;
        let older = self.shown().await?.into_keys();
        ids.extend(older.filter(|id| after.is_none_or(|after| id > after)));
        ids.sort_unstable();
        ids.dedup();
        ids.truncate(limit);
        Ok(ids)
    }

    /// A page of heads, newest first. Only of those on the page more is read than the beginning.
    pub(super) async fn rows(
        &self,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        page::check_limit(limit)?;
        let mut older: Vec<(Recency, OldFiles)> = Vec::new();
        for (id, files) in self.shown().await? {
            let asked = files.clone();
            let updated_at = self.look(move |folder| folder.updated_at(&asked)).await;
            // What can't be read is a row, and stands last.
            let updated_at = updated_at.unwrap_or_else(|_| UnixMillis::default());
            older.push((Recency { updated_at, id }, files));
        }
        let mut rows = self.own_rows(scope, (after, limit), &older).await?;
        older.retain(|(recency, _)| after.is_none_or(|after| recency.is_after(after)));
        older.sort_by(|(one, _), (other, _)| place(one).cmp(&place(other)));
        if scope.is_empty() {
            older.truncate(limit);
        }
        let mut merged = Vec::new();
        let (mut own, mut older) = (rows.drain(..).peekable(), older.into_iter().peekable());
        while merged.len() < limit {
            let older_first = match (own.peek(), older.peek()) {
                (None, None) => break,
                (Some(own), Some((older, _))) => own.recency.is_after(older),
                (own, _) => own.is_none(),
            };
            if older_first {
                let Some((recency, files)) = older.next() else { break };
                let journal = self.journal(&recency.id, &files).await;
                let head = journal.and_then(|journal| journal.head());
                let is_in = |head: &Head| scope.takes_entry(&head.header);
                if head.as_ref().map_or(scope.is_empty(), is_in) {
                    let seen = head.map(Seen::from);
                    let seen = seen.map_err(|error| error.about(self.key(&recency.id)));
                    merged.push(Recent { recency, seen });
                }
            } else {
                merged.extend(own.next());
            }
        }
        Ok(merged)
    }

    /// The backend's own rows, as many as a page may have; without the journals that were begun of
    /// older sessions and are not whole.
    async fn own_rows(
        &self,
        scope: &Scope,
        (after, limit): (Option<&Recency>, usize),
        older: &[(Recency, OldFiles)],
    ) -> Result<Vec<Recent>, Error> {
        let mut rows: Vec<Recent> = Vec::new();
        let mut after = after.cloned();
        while rows.len() < limit {
            let page = self.inner.recent(&self.space, scope, after.as_ref(), limit).await?;
            let is_last = page.len() < limit;
            after = page.last().map(|row| row.recency.clone()).or(after);
            let is_older = |row: &Recent| older.iter().any(|(it, _)| it.id == row.recency.id);
            rows.extend(page.into_iter().filter(|row| !is_older(row)));
            if is_last {
                break;
            }
        }
        rows.truncate(limit);
        Ok(rows)
    }

    /// A page of spaces.
    pub(super) async fn spaces(
        &self,
        after: Option<&Space>,
        limit: usize,
    ) -> Result<Vec<Space>, Error> {
        let mut spaces = self.inner.spaces(after, limit).await?;
        if after.is_none_or(|after| self.space > *after) && !self.shown().await?.is_empty() {
            spaces.push(self.space.clone());
            spaces.sort_unstable();
            spaces.dedup();
            spaces.truncate(limit);
        }
        Ok(spaces)
    }
}

/// The place in the order of recency.
fn place(recency: &Recency) -> (std::cmp::Reverse<UnixMillis>, &SessionId) {
    (std::cmp::Reverse(recency.updated_at), &recency.id)
}
