//! Documents of one collection.

use std::collections::BTreeMap;

use sessile_core::backend::{Document, NewDocument, Precondition, REVISIONS_KEPT};
use sessile_core::id::{Name, SessionId};
use sessile_core::{Error, ErrorKind, Revision};

use crate::page;

/// Documents by name.
#[derive(Debug, Default)]
pub(crate) struct Documents(BTreeMap<Name, Document>);

impl Documents {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Name, &Document)> {
        self.0.iter()
    }

    pub(crate) fn get(&self, name: &Name) -> Result<Document, Error> {
        self.0.get(name).cloned().ok_or_else(missing)
    }

    /// Puts a document if the precondition holds, or if this very put was done already.
    pub(crate) fn put(
        &mut self,
        name: &Name,
        new: NewDocument,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let NewDocument { bytes, revision, session } = new;
        let held = self.0.get(name);
        let kept = held.map_or(&[][..], |held| &held.recent);
        if kept.contains(&revision) {
            return Ok(());
        }
        let actual = held.map(|held| held.revision);
        let holds = match precondition {
            Precondition::Absent => actual.is_none(),
            Precondition::Revision(expected) => actual == Some(expected),
        };
        if !holds {
            return Err(Error::document_conflict(actual));
        }
        let recent = std::iter::once(revision).chain(kept.iter().copied());
        let document =
            Document { bytes, revision, recent: recent.take(REVISIONS_KEPT).collect(), session };
        self.0.insert(name.clone(), document);
        Ok(())
    }

    pub(crate) fn delete(&mut self, name: &Name, expected: Revision) -> Result<(), Error> {
        let actual = self.0.get(name).ok_or_else(missing)?.revision;
        if actual != expected {
            return Err(Error::document_conflict(Some(actual)));
        }
        self.0.remove(name);
        Ok(())
    }

    /// Removes what goes with a session.
    pub(crate) fn purge(&mut self, id: &SessionId) {
        self.0.retain(|_, document| document.session.as_ref() != Some(id));
    }

    pub(crate) fn names(&self, after: Option<&Name>, limit: usize) -> Result<Vec<Name>, Error> {
        page::of_keys(&self.0, after, limit)
    }
}

pub(crate) fn missing() -> Error {
    Error::new(ErrorKind::Missing, "there is no such document")
}
