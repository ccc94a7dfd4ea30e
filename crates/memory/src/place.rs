//! Everything that a place holds.

use std::collections::BTreeMap;

use sessile_core::digest::Digest;
use sessile_core::entry::Entry;
use sessile_core::{Error, Space, StoredCommit};

use crate::journal::Journal;
use crate::page;
use crate::space::SpaceContents;

/// Spaces by name; none of them is empty.
#[derive(Debug, Default)]
pub(crate) struct Place(BTreeMap<Space, SpaceContents>);

impl Place {
    /// Looks at a space, which holds nothing if it is not there.
    pub(crate) fn look<T>(&self, space: &Space, look: impl FnOnce(&SpaceContents) -> T) -> T {
        match self.0.get(space) {
            Some(contents) => look(contents),
            None => look(&SpaceContents::default()),
        }
    }

    /// Changes a space, which is there only while it holds something.
    pub(crate) fn change<T>(
        &mut self,
        space: &Space,
        change: impl FnOnce(&mut SpaceContents) -> T,
    ) -> T {
        let contents = self.0.entry(space.clone()).or_default();
        let answer = change(contents);
        if contents.is_empty() {
            self.0.remove(space);
        }
        answer
    }

    pub(crate) fn spaces(&self, after: Option<&Space>, limit: usize) -> Result<Vec<Space>, Error> {
        page::of_keys(&self.0, after, limit)
    }

    /// How many journals and how many documents there are.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let journals = self.0.values().map(|space| space.journals().len());
        let collections = self.0.values().flat_map(|space| space.collections().values());
        (journals.sum(), collections.map(|held| held.iter().count()).sum())
    }

    /// A digest over everything there is.
    pub(crate) fn digest(&self) -> Digest {
        let mut parts = Vec::new();
        for (space, contents) in &self.0 {
            parts.push(space.to_string());
            for (id, journal) in contents.journals() {
                parts.push(id.to_string());
                digest_journal(journal, &mut parts);
            }
            for (collection, documents) in contents.collections() {
                parts.push(collection.to_string());
                for (name, document) in documents.iter() {
                    let bytes = Digest::of(&document.bytes);
                    let (recent, session) = (&document.recent, &document.session);
                    parts.push(format!("{name:?} {bytes} {recent:?} {session:?}"));
                }
            }
        }
        Digest::of_parts(parts.iter().map(String::as_bytes))
    }
}

/// The `Debug` form of a commit tells all of it but its payloads.
fn digest_journal(journal: &Journal, parts: &mut Vec<String>) {
    let head = journal.head();
    parts.push(format!("{:?} {}", head.change, head.deleted));
    for commit in journal.commits() {
        parts.push(format!("{:?}", StoredCommit::clone(commit)));
        parts.extend(commit.entries.iter().flat_map(payloads));
    }
}

fn payloads(entry: &Entry) -> impl Iterator<Item = String> {
    let extra = entry.extra.iter().map(|member| &member.value);
    std::iter::once(&entry.data).chain(extra).map(|payload| payload.as_str().to_owned())
}
