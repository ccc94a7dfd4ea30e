//! Faults of listing within a scope, and of showing what was noted.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use sessile_core::backend::{Backend as _, Gist, Recency, Recent, Scope, Seen};
use sessile_core::{Error, SessionId, SessionKey, Space};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::Page;

/// Lists all that there is, whatever the scope.
#[derive(Debug, Default)]
pub(super) struct ForgetsTheScope;

#[async_trait]
impl Fault for ForgetsTheScope {
    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        Page { scope: &Scope::ALL, ..it }.done().await
    }
}

/// Takes a page of all, and shows of it what the scope has.
#[derive(Debug, Default)]
pub(super) struct FiltersThePage;

#[async_trait]
impl Fault for FiltersThePage {
    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let all = Page { scope: &Scope::ALL, ..it }.done().await?.into_iter();
        let is_in = |row: &Recent| match &row.seen {
            Ok(Seen::Head(head)) => it.scope.takes_entry(&head.header),
            Ok(Seen::Gist(gist)) => it.scope.takes_gist(gist),
            Err(_) => it.scope.is_empty(),
        };
        Ok(all.filter(is_in).collect())
    }
}

/// Shows what was noted last, whatever became of the journal since.
#[derive(Debug, Default)]
pub(super) struct ShowsOldGists(Mutex<HashMap<SessionKey, Arc<Gist>>>);

#[async_trait]
impl Fault for ShowsOldGists {
    fn note(&self, _: &MemoryBackend, key: &SessionKey, gist: Arc<Gist>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), gist);
    }

    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let mut rows = it.done().await?;
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for row in &mut rows {
            let key = SessionKey { space: it.of.clone(), id: row.recency.id.clone() };
            if let Some(gist) = noted.get(&key) {
                row.seen = Ok(Seen::Gist(Arc::clone(gist)));
            }
        }
        Ok(rows)
    }
}

/// Keeps a gist by the tip only, also where data was removed without moving that.
#[derive(Debug, Default)]
pub(super) struct KeepsGistsByTheTip;

/// What processes of one machine would keep in a file.
static BY_TIP: Mutex<Vec<(SessionKey, Arc<Gist>)>> = Mutex::new(Vec::new());

#[async_trait]
impl Fault for KeepsGistsByTheTip {
    fn note(&self, sound: &MemoryBackend, key: &SessionKey, gist: Arc<Gist>) {
        sound.note(key, Arc::clone(&gist));
        let mut noted = BY_TIP.lock().unwrap_or_else(PoisonError::into_inner);
        noted.push((key.clone(), gist));
    }

    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let mut rows = it.done().await?;
        let noted = BY_TIP.lock().unwrap_or_else(PoisonError::into_inner);
        for row in &mut rows {
            let tip = row.seen.as_ref().ok().map(Seen::tip);
            let of_row = |(key, gist): &&(SessionKey, Arc<Gist>)| {
                key.id == row.recency.id && Some(gist.tip) == tip
            };
            if let Some((_, gist)) = noted.iter().rev().find(of_row) {
                row.seen = Ok(Seen::Gist(Arc::clone(gist)));
            }
        }
        Ok(rows)
    }
}

/// Lists whatever something was noted of.
#[derive(Debug, Default)]
pub(super) struct ListsWhatIsNoted(Mutex<HashMap<SessionKey, Arc<Gist>>>);

#[async_trait]
impl Fault for ListsWhatIsNoted {
    fn note(&self, sound: &MemoryBackend, key: &SessionKey, gist: Arc<Gist>) {
        sound.note(key, Arc::clone(&gist));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), gist);
    }

    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let mut rows = it.done().await?;
        if it.after.is_none() && rows.len() < it.limit {
            let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known: HashSet<SessionId> = rows.iter().map(|row| row.recency.id.clone()).collect();
            let new = noted.iter().filter(|(key, _)| !known.contains(&key.id));
            rows.extend(new.map(|(key, gist)| Recent {
                recency: Recency { updated_at: gist.updated_at, id: key.id.clone() },
                seen: Ok(Seen::Gist(Arc::clone(gist))),
            }));
        }
        Ok(rows)
    }
}
