//! The sessions of a space, in the order of recency.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use sessile_core::backend::{Recency, Scope};
use sessile_core::id::SessionId;
use sessile_core::time::UnixMillis;

use super::entry::Entry;
use super::orders::{Orders, Place};
use super::packed::Packed;
use super::standing::{Standing, merged};
use crate::note::Noted;
use crate::stamp::Stamp;

/// The sessions of a space.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Those of which the block alone tells: they are sure, nobody has them open, and what they
    /// show is known.
    pub(super) packed: Packed,
    /// The others.
    pub(super) entries: HashMap<SessionId, Entry>,
    pub(super) orders: Orders,
    /// Those whose note can't be relied on.
    pub(super) unsure: HashSet<SessionId>,
    /// Those that are in the order and of which nobody knows the scope.
    pub(super) unscoped: HashSet<SessionId>,
    /// As of when there are no others.
    pub(crate) names: Option<Stamp>,
    /// Whether a line was broken: it may have been any.
    pub(crate) is_broken: bool,
    /// Whether lines are of this boot.
    pub(super) is_of_boot: bool,
    /// Those that lines told of since they were put in the order.
    pub(super) told: Vec<SessionId>,
}

impl Index {
    /// Makes a session that the block tells of one of the others.
    pub(super) fn unpack(&mut self, at: usize) -> Option<SessionId> {
        let (id, noted) = self.packed.take(at)?;
        let placed = noted.note.updated_at;
        self.orders.insert((Reverse(placed), id.clone()), None);
        self.unscoped.insert(id.clone());
        let (noted, placed) = (Some(noted), Some(placed));
        let entry = Entry { noted, placed, is_sure: true, ..Entry::default() };
        self.entries.insert(id.clone(), entry);
        Some(id)
    }

    pub(super) fn unpack_if_there(&mut self, id: &SessionId) {
        if let Some((at, _)) = self.packed.find(id) {
            self.unpack(at);
        }
    }

    /// Makes all of them such.
    pub(crate) fn unpack_all(&mut self) {
        let all: Vec<usize> = self.packed.after(None).collect();
        for at in all {
            self.unpack(at);
        }
        self.packed = Packed::default();
    }

    pub(super) fn entry(&mut self, id: &SessionId) -> &mut Entry {
        self.unpack_if_there(id);
        self.entries.entry(id.clone()).or_default()
    }

    /// Takes note of what became of an entry.
    pub(super) fn noted(&mut self, id: &SessionId) {
        self.told.push(id.clone());
        let Some(entry) = self.entries.get_mut(id) else { return };
        if entry.is_sure && entry.holders.is_empty() {
            self.unsure.remove(id);
        } else {
            self.unsure.insert(id.clone());
        }
    }

    /// Puts a session in its place.
    pub(crate) fn place(&mut self, id: &SessionId, at: UnixMillis) {
        self.displace(id);
        let Some(entry) = self.entries.get_mut(id) else { return };
        entry.placed = Some(at);
        self.orders.insert((Reverse(at), id.clone()), entry.scope.as_ref());
        if entry.scope.is_none() {
            self.unscoped.insert(id.clone());
        }
    }

    /// Takes a session out of the order.
    pub(crate) fn displace(&mut self, id: &SessionId) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        let Some(at) = entry.placed.take() else { return };
        self.orders.remove(&(Reverse(at), id.clone()), entry.scope.as_ref());
    }

    /// Learns what the header of a session says.
    pub(crate) fn learn(&mut self, id: &SessionId, scope: Scope) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        if entry.scope.is_none() {
            let placed = entry.placed;
            entry.scope = Some(scope);
            self.unscoped.remove(id);
            if let Some(at) = placed {
                self.place(id, at);
            }
        }
    }

    /// What has to be looked at before it is known which sessions are in a scope: none for all.
    ///
    /// What gists tell is learned for all of them when somebody asks for the first time.
    pub(crate) fn unscoped(&mut self, scope: &Scope) -> Vec<SessionId> {
        if scope.is_empty() {
            return Vec::new();
        }
        self.unpack_all();
        let ids: Vec<SessionId> = self.unscoped.iter().cloned().collect();
        for id in ids {
            let gist = self.entries.get(&id).and_then(Entry::gist);
            let scope = gist.map(|gist| Scope {
                project: gist.project.clone(),
                owner: gist.owner,
                parent: gist.parent.clone(),
            });
            if let Some(scope) = scope {
                self.learn(&id, scope);
            }
        }
        self.unscoped.iter().cloned().collect()
    }

    /// Learns what stands in a session's journal, as long as nobody opens it; answers whether it
    /// was known at all.
    pub(crate) fn prove(&mut self, id: &SessionId, found: Option<Noted>) -> bool {
        let Some(entry) = self.entries.get_mut(id) else { return false };
        if let Some(noted) = found {
            (entry.noted, entry.is_unsaved) = (Some(noted), true);
        } else if !entry.is_sure {
            // It was told before this boot, and is to be told within it.
            entry.is_unsaved = true;
        }
        entry.is_sure = entry.noted.is_some();
        self.noted(id);
        let at = self
            .entries
            .get(id)
            .and_then(|it| Some((it.noted.as_ref()?.note.updated_at, it.placed)));
        if let Some((at, placed)) = at
            && placed != Some(at)
        {
            self.place(id, at);
        }
        true
    }

    /// Learns how a journal was found that somebody has open.
    pub(crate) fn found(&mut self, id: &SessionId, noted: Noted) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.noted = Some(noted);
        }
    }

    /// Learns more of what may be shown of a session.
    pub(crate) fn tell(&mut self, id: &SessionId, noted: Noted) {
        if let Some(entry) = self.entries.get_mut(id) {
            (entry.noted, entry.is_unsaved) = (Some(noted), true);
        }
    }

    /// Learns which sessions there are, by the folder's entries.
    pub(crate) fn learn_names(&mut self, mut named: HashMap<SessionId, u64>) {
        let mut same = HashSet::new();
        named.retain(|id, number| match self.packed.find(id) {
            Some((at, inode)) if inode == *number => !same.insert(at),
            Some((at, _)) => {
                self.unpack(at);
                true
            }
            None => true,
        });
        self.packed.retain(|at| same.contains(&at));
        let gone: Vec<SessionId> = self
            .entries
            .iter()
            // What somebody is just making has no name yet.
            .filter(|(id, entry)| !named.contains_key(id) && entry.holders.is_empty())
            .map(|(id, _)| id.clone())
            .collect();
        for id in &gone {
            self.remove(id);
        }
        for (id, number) in named {
            let entry = self.entries.entry(id.clone()).or_default();
            let noted = entry.noted.as_ref().map(|noted| noted.note.inode);
            let is_same = entry.listed.or(noted) == Some(number);
            entry.listed = Some(number);
            if !is_same {
                entry.is_sure = false;
            }
            if !entry.is_sure {
                self.unsure.insert(id);
            }
        }
    }

    /// Forgets a session that is not there.
    pub(crate) fn remove(&mut self, id: &SessionId) {
        if let Some((at, _)) = self.packed.find(id) {
            self.packed.remove(at);
        }
        self.displace(id);
        self.entries.remove(id);
        self.unsure.remove(id);
        self.unscoped.remove(id);
    }

    /// Takes nothing for sure.
    pub(crate) fn doubt_all(&mut self) {
        self.unpack_all();
        for (id, entry) in &mut self.entries {
            entry.is_sure = false;
            self.unsure.insert(id.clone());
        }
    }

    /// Takes those for closed that holders have open who are not there any more.
    pub(crate) fn release(&mut self, is_there: &mut impl FnMut(&str) -> bool) {
        let unsure = self.unsure.iter();
        for id in unsure {
            if let Some(entry) = self.entries.get_mut(id) {
                entry.holders.retain(|holder| is_there(holder));
            }
        }
    }

    /// Those whose note can't be relied on.
    pub(crate) fn unsure(&self) -> Vec<SessionId> {
        self.unsure.iter().cloned().collect()
    }

    /// Whether every note can be relied on.
    pub(crate) fn is_sure(&self) -> bool {
        self.unsure.is_empty()
    }

    /// What is known of a session beside what the block tells.
    pub(crate) fn get(&self, id: &SessionId) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// The number of the file that a session was noted in.
    pub(crate) fn inode_of(&self, id: &SessionId) -> Option<u64> {
        match self.packed.find(id) {
            Some((_, inode)) => Some(inode),
            None => Some(self.entries.get(id)?.noted.as_ref()?.note.inode),
        }
    }

    /// Those of which more is known than the block tells.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&SessionId, &Entry)> {
        self.entries.iter()
    }

    /// How many sessions there are.
    pub(crate) fn len(&self) -> usize {
        self.packed.len() + self.entries.len()
    }

    /// All sessions.
    pub(crate) fn ids(&self) -> impl Iterator<Item = SessionId> {
        let packed = self.packed.after(None);
        let packed = packed.filter_map(|at| Some(self.packed.shown(at)?.0));
        packed.chain(self.entries.keys().cloned())
    }

    /// The places of those that are known one by one, in their order.
    pub(crate) fn order(&self) -> impl Iterator<Item = &Place> {
        self.orders.all()
    }

    /// The sessions of a scope after a place, in their order. Which are in one has to be known, if
    /// it is not that of all: see [`unscoped`](Self::unscoped).
    pub(crate) fn after<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&Recency>,
    ) -> impl Iterator<Item = Standing<'a>> {
        let is_in = move |(_, id): &&Place| {
            let known = || self.entries.get(id).and_then(|entry| entry.scope.as_ref());
            scope.is_empty() || known().is_some_and(|known| scope.holds(known))
        };
        let places = self.orders.after(scope, after).filter(is_in);
        merged(&self.packed, self.packed.after(after), places)
    }
}
