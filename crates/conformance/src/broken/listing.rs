//! Faults of listing journals and documents.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use sessile_core::backend::{
    Appended, Backend as _, Collection, DocKey, Precondition, Recency, Recent,
};
use sessile_core::digest::Digest;
use sessile_core::id::Name;
use sessile_core::{Error, Revision, SessionId, Space};
use sessile_memory::MemoryBackend;

use crate::broken::fault::Fault;
use crate::broken::request::{Append, Page, Put, stuck};
use crate::sample;

/// Lists ids from the last to the first.
#[derive(Debug, Default)]
pub(super) struct ListsBackwards;

#[async_trait]
impl Fault for ListsBackwards {
    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        let ids = it.whole().done().await?.into_iter().rev();
        let next = ids.filter(|id| it.after.is_none_or(|after| id < after));
        Ok(next.take(it.limit).collect())
    }
}

/// Takes the last row of a full page for the sign that another follows, and does not serve it.
#[derive(Debug, Default)]
pub(super) struct LosesARowOfAPage;

#[async_trait]
impl Fault for LosesARowOfAPage {
    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        let mut page = it.done().await?;
        page.truncate(it.limit.saturating_sub(1));
        Ok(page)
    }

    async fn documents(&self, it: Page<'_, Collection, Name>) -> Result<Vec<Name>, Error> {
        let mut page = it.done().await?;
        page.truncate(it.limit.saturating_sub(1));
        Ok(page)
    }
}

/// Gives no rows to whoever asks for none.
#[derive(Debug, Default)]
pub(super) struct ListsNoRows;

#[async_trait]
impl Fault for ListsNoRows {
    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        if it.limit == 0 {
            return Ok(Vec::new());
        }
        it.done().await
    }
}

/// Lists each session that a document names.
#[derive(Debug, Default)]
pub(super) struct ListsWhatDocumentsName(Mutex<BTreeSet<(Space, SessionId)>>);

#[async_trait]
impl Fault for ListsWhatDocumentsName {
    async fn put(&self, it: Put<'_>) -> Result<(), Error> {
        if let Some(session) = it.document.session.clone() {
            let named = (it.key.collection.space.clone(), session);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(named);
        }
        it.done().await
    }

    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        let mut ids = it.done().await?;
        let named = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let named = named.into_iter().filter(|(space, _)| space == it.of).map(|(_, id)| id);
        ids.extend(named.filter(|id| it.after.is_none_or(|after| id > after)));
        ids.sort();
        ids.dedup();
        ids.truncate(it.limit);
        Ok(ids)
    }
}

/// Keeps a list of all sessions, and writes its own copy of it when it is closed.
#[derive(Debug, Default)]
pub(super) struct LastToCloseOwnsTheList(Mutex<BTreeSet<String>>);

impl LastToCloseOwnsTheList {
    fn list() -> Result<DocKey, Error> {
        sample::document("lists", "list").map_err(stuck)
    }
}

#[async_trait]
impl Fault for LastToCloseOwnsTheList {
    async fn append(&self, it: Append<'_>) -> Result<Vec<Appended>, Error> {
        let (id, is_creation) = (it.key.id.to_string(), it.sound.head(it.key).await.is_err());
        let answers = it.done().await?;
        if is_creation {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        }
        Ok(answers)
    }

    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        let mut page = it.done().await?;
        if let Ok(list) = it.sound.get(&Self::list()?).await {
            let ids = String::from_utf8_lossy(&list.bytes).into_owned();
            page.retain(|id| ids.lines().any(|known| known == id.as_str()));
        }
        Ok(page)
    }

    async fn close(&self, sound: &MemoryBackend) -> Result<(), Error> {
        let own = Vec::from_iter(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone());
        if own.is_empty() {
            return Ok(());
        }
        let (key, document) = (&Self::list()?, sample::value(own.join("\n")));
        let mut put = Put { sound, key, document, precondition: Precondition::Absent };
        put.precondition = put.actual().await;
        put.done().await
    }
}

/// Leaves out what is deleted.
#[derive(Debug, Default)]
pub(super) struct ListsTheLiving;

#[async_trait]
impl Fault for ListsTheLiving {
    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let rows = it.done().await?.into_iter();
        let is_living = |row: &Recent| row.seen.as_ref().is_ok_and(|seen| !seen.is_deleted());
        Ok(rows.filter(is_living).collect())
    }
}

/// Lists the sessions of every tenant to each.
#[derive(Debug, Default)]
pub(super) struct ListsEveryTenant;

#[async_trait]
impl Fault for ListsEveryTenant {
    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        let mut ids = it.done().await?;
        for space in it.sound.spaces(None, 1_000).await? {
            ids.extend(Page { of: &space, ..it }.done().await?);
        }
        ids.sort();
        ids.dedup();
        ids.truncate(it.limit);
        Ok(ids)
    }
}

/// Lists ids as a filesystem that merges cases would.
#[derive(Debug, Default)]
pub(super) struct ListsInLowerCase;

#[async_trait]
impl Fault for ListsInLowerCase {
    async fn journals(&self, it: Page<'_, Space, SessionId>) -> Result<Vec<SessionId>, Error> {
        let ids = it.whole().done().await?;
        let lower = ids.iter().map(|id| id.as_str().to_ascii_lowercase().parse());
        let mut lower = lower.collect::<Result<Vec<SessionId>, _>>()?;
        lower.sort();
        lower.dedup();
        lower.retain(|id| it.after.is_none_or(|after| id > after));
        lower.truncate(it.limit);
        Ok(lower)
    }
}

/// Lists the oldest first.
#[derive(Debug, Default)]
pub(super) struct ListsOldestFirst;

#[async_trait]
impl Fault for ListsOldestFirst {
    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let rows = it.whole().done().await?.into_iter().rev();
        let is_next = |row: &Recent| it.after.is_none_or(|after| after.is_after(&row.recency));
        Ok(rows.filter(is_next).take(it.limit).collect())
    }
}

/// Goes on after a time, as if no two sessions had the same.
#[derive(Debug, Default)]
pub(super) struct GoesOnAfterATime;

#[async_trait]
impl Fault for GoesOnAfterATime {
    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let rows = it.whole().done().await?.into_iter();
        let time = it.after.map(|after| after.updated_at);
        let is_next = |row: &Recent| time.is_none_or(|time| row.recency.updated_at < time);
        Ok(rows.filter(is_next).take(it.limit).collect())
    }
}

/// Lists what was there when it first looked.
#[derive(Debug, Default)]
pub(super) struct ListsFromAnOldCatalog(Mutex<HashMap<Space, Vec<SessionId>>>);

#[async_trait]
impl Fault for ListsFromAnOldCatalog {
    async fn recent(&self, it: Page<'_, Space, Recency>) -> Result<Vec<Recent>, Error> {
        let mut rows = it.done().await?;
        let all = it.whole().done().await?.into_iter().map(|row| row.recency.id);
        let mut catalog = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = catalog.entry(it.of.clone()).or_insert_with(|| all.collect());
        rows.retain(|row| known.contains(&row.recency.id));
        Ok(rows)
    }
}

/// Lists names as people sort them.
#[derive(Debug, Default)]
pub(super) struct SortsWithoutCase;

#[async_trait]
impl Fault for SortsWithoutCase {
    async fn documents(&self, it: Page<'_, Collection, Name>) -> Result<Vec<Name>, Error> {
        let mut names = it.whole().done().await?;
        let place = |name: &Name| (name.as_str().to_lowercase(), name.clone());
        names.sort_by_key(place);
        names.retain(|name| it.after.is_none_or(|after| place(name) > place(after)));
        names.truncate(it.limit);
        Ok(names)
    }
}

/// Counts the rows that it has listed, and goes on after as many.
#[derive(Debug, Default)]
pub(super) struct PagesByCounting(Mutex<usize>);

#[async_trait]
impl Fault for PagesByCounting {
    async fn documents(&self, it: Page<'_, Collection, Name>) -> Result<Vec<Name>, Error> {
        let names = it.whole().done().await?;
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if it.after.is_none() {
            *listed = 0;
        }
        let page: Vec<Name> = names.into_iter().skip(*listed).take(it.limit).collect();
        *listed += page.len();
        Ok(page)
    }
}

/// Lists what was deleted.
#[derive(Debug, Default)]
pub(super) struct ListsTheDeleted;

/// Where a broken backend notes what is deleted of a collection.
fn graveyard(of: &Collection) -> Result<Collection, Error> {
    let name = Digest::of(of.name.as_str().as_bytes()).to_string().parse()?;
    Ok(Collection { name, ..of.clone() })
}

#[async_trait]
impl Fault for ListsTheDeleted {
    async fn delete(
        &self,
        sound: &MemoryBackend,
        key: &DocKey,
        revision: Revision,
    ) -> Result<(), Error> {
        sound.delete(key, revision).await?;
        let note = DocKey { collection: graveyard(&key.collection)?, name: key.name.clone() };
        let _noted_already = sound.put(&note, sample::value(""), Precondition::Absent).await;
        Ok(())
    }

    async fn documents(&self, it: Page<'_, Collection, Name>) -> Result<Vec<Name>, Error> {
        let mut names = it.done().await?;
        names.extend(Page { of: &graveyard(it.of)?, ..it }.done().await?);
        names.sort();
        names.dedup();
        names.truncate(it.limit);
        Ok(names)
    }
}

/// Lists a collection with all that lies below its name.
#[derive(Debug, Default)]
pub(super) struct ListsWhatLiesBelow;

#[async_trait]
impl Fault for ListsWhatLiesBelow {
    async fn put(&self, it: Put<'_>) -> Result<(), Error> {
        it.clone().done().await?;
        // What lies in `x/1` under `2` is found in `x` under `1/2` as well.
        if let Some((above, below)) = it.key.collection.name.as_str().split_once('/')
            && !above.is_empty()
        {
            let name = format!("{below}/{}", it.key.name).parse()?;
            let collection = Collection { name: above.parse()?, ..it.key.collection.clone() };
            let (key, precondition) = (&DocKey { collection, name }, Precondition::Absent);
            let _found_already = Put { key, precondition, ..it }.done().await;
        }
        Ok(())
    }
}
