//! What one space holds.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use sessile_core::backend::{Appended, Document, Expected, Recency, Recent, Scope};
use sessile_core::commit::Commit;
use sessile_core::entry::EntryType;
use sessile_core::id::{Name, SessionId, SessionKey};
use sessile_core::{Error, ErrorKind, Tip};

use crate::collection::{self, Documents};
use crate::journal::Journal;
use crate::page;

/// The journals and documents of a space.
#[derive(Debug, Default)]
pub(crate) struct SpaceContents {
    journals: BTreeMap<SessionId, Journal>,
    /// None of them is empty.
    collections: BTreeMap<Name, Documents>,
}

impl SpaceContents {
    pub(crate) fn is_empty(&self) -> bool {
        self.journals.is_empty() && self.collections.is_empty()
    }

    pub(crate) const fn journals(&self) -> &BTreeMap<SessionId, Journal> {
        &self.journals
    }

    pub(crate) const fn collections(&self) -> &BTreeMap<Name, Documents> {
        &self.collections
    }

    pub(crate) fn journal(&self, id: &SessionId) -> Result<&Journal, Error> {
        self.journals.get(id).ok_or_else(missing)
    }

    pub(crate) fn journal_mut(&mut self, id: &SessionId) -> Result<&mut Journal, Error> {
        self.journals.get_mut(id).ok_or_else(missing)
    }

    pub(crate) fn append(
        &mut self,
        key: &SessionKey,
        expected: Expected,
        commits: &[Commit],
    ) -> Result<Vec<Appended>, Error> {
        if commits.is_empty() {
            return Err(Error::new(ErrorKind::Refused, "there is nothing to append"));
        }
        if let Some(journal) = self.journals.get_mut(&key.id) {
            return journal.append(expected, commits);
        }
        if expected != Expected::At(Tip::ABSENT) {
            return Err(missing());
        }
        let (journal, appended) = Journal::create(key, commits)?;
        self.journals.insert(key.id.clone(), journal);
        Ok(appended)
    }

    pub(crate) fn remove(
        &mut self,
        id: &SessionId,
        expected: Tip,
        tombstone: Commit,
    ) -> Result<Appended, Error> {
        if !tombstone.has(&EntryType::Delete) {
            let clause = "a tombstone has a `delete` entry";
            return Err(Error::new(ErrorKind::Refused, clause));
        }
        let journal = self.journal_mut(id)?;
        let appended = journal.append(Expected::At(expected), &[tombstone])?;
        appended.into_iter().next().ok_or_else(missing)
    }

    /// Removes a deleted journal but for its tombstone, and the documents that go with it.
    pub(crate) fn purge(&mut self, id: &SessionId) -> Result<(), Error> {
        self.journal_mut(id)?.purge()?;
        self.collections.retain(|_, documents| {
            documents.purge(id);
            !documents.is_empty()
        });
        Ok(())
    }

    pub(crate) fn ids(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SessionId>, Error> {
        page::of_keys(&self.journals, after, limit)
    }

    /// Journals of a scope after a place in the order of recency, which need not be taken.
    pub(crate) fn recent(
        &self,
        scope: &Scope,
        after: Option<&Recency>,
        limit: usize,
    ) -> Result<Vec<Recent>, Error> {
        page::check_limit(limit)?;
        let journals = self.journals.iter().filter(|(_, journal)| journal.is_in(scope));
        let rows = journals.map(|(id, journal)| {
            let recency = Recency { updated_at: journal.updated_at(), id: id.clone() };
            (recency, journal)
        });
        let is_next = |recency: &Recency| after.is_none_or(|after| recency.is_after(after));
        let mut rows: Vec<_> = rows.filter(|(recency, _)| is_next(recency)).collect();
        // The rows stand in the order of ids, and a stable sort leaves those of one time in it.
        rows.sort_by_key(|(recency, _)| Reverse(recency.updated_at));
        let rows = rows.into_iter().take(limit);
        Ok(rows.map(|(recency, journal)| Recent { recency, seen: Ok(journal.seen()) }).collect())
    }

    pub(crate) fn document(&self, collection: &Name, name: &Name) -> Result<Document, Error> {
        let documents = self.collections.get(collection);
        documents.map_or_else(|| Err(collection::missing()), |held| held.get(name))
    }

    pub(crate) fn documents(
        &self,
        collection: &Name,
        after: Option<&Name>,
        limit: usize,
    ) -> Result<Vec<Name>, Error> {
        let documents = self.collections.get(collection);
        documents.map_or_else(
            || Documents::default().names(after, limit),
            |held| held.names(after, limit),
        )
    }

    /// Changes a collection, which is there only while it holds something.
    pub(crate) fn in_collection<T>(
        &mut self,
        collection: &Name,
        change: impl FnOnce(&mut Documents) -> T,
    ) -> T {
        let documents = self.collections.entry(collection.clone()).or_default();
        let answer = change(documents);
        if documents.is_empty() {
            self.collections.remove(collection);
        }
        answer
    }
}

fn missing() -> Error {
    Error::new(ErrorKind::Missing, "there is no such session")
}
