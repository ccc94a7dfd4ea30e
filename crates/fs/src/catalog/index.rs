//! What the lines of a catalog come to: the sessions of a space, in the order of recency.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use sessile_core::backend::{Gist, Recency, Scope};
use sessile_core::digest::Digest;
use sessile_core::id::{Name, SessionId};
use sessile_core::time::UnixMillis;

use super::line::Line;
use crate::note::Noted;
use crate::stamp::Stamp;

/// Where a session stands in the order of recency; ids order those of one time.
pub(crate) type Place = (Reverse<UnixMillis>, SessionId);

/// What is known of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) noted: Option<Noted>,
    /// What its header says that listings go by, if anybody has looked.
    pub(crate) scope: Option<Scope>,
    /// Who has it open.
    pub(crate) holders: Vec<Arc<str>>,
    /// Whether the note holds as long as nobody opens the journal.
    pub(crate) is_sure: bool,
    /// Whether anybody has opened it since the catalog was begun.
    was_open: bool,
    /// Whether the note is more than the catalog has.
    pub(crate) is_unsaved: bool,
    /// The number of its file, as the folder had it last.
    pub(crate) listed: Option<u64>,
    /// When it stands in the order; none while that is not known.
    placed: Option<UnixMillis>,
}

impl Entry {
    /// What may be shown of it without a look.
    pub(crate) fn gist(&self) -> Option<&Arc<Gist>> {
        self.noted.as_ref()?.gist.as_ref()
    }
}

/// What headers say that sessions are looked for by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Facet {
    Project(Name),
    Owner(Digest),
    Parent(SessionId),
}

fn facets(scope: &Scope) -> impl Iterator<Item = Facet> {
    let project = scope.project.clone().map(Facet::Project);
    let owner = scope.owner.map(Facet::Owner);
    let parent = scope.parent.clone().map(Facet::Parent);
    [project, owner, parent].into_iter().flatten()
}

/// The sessions of a space.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: HashMap<SessionId, Entry>,
    order: BTreeSet<Place>,
    by_facet: HashMap<Facet, BTreeSet<Place>>,
    /// Those whose note can't be relied on.
    unsure: HashSet<SessionId>,
    /// Those that are in the order and of which nobody knows the scope.
    unscoped: HashSet<SessionId>,
    /// As of when there are no others.
    pub(crate) names: Option<Stamp>,
    /// Whether a line was broken: it may have been any.
    pub(crate) is_broken: bool,
    /// Whether lines are of this boot.
    is_of_boot: bool,
    /// Those that lines told of since they were put in the order.
    told: Vec<SessionId>,
}

impl Index {
    /// Takes lines that end with a line end each; the first ones of a file if that is begun.
    pub(crate) fn take(&mut self, lines: &[u8], boot: Option<&str>) {
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match Line::decode(line) {
                Some(line) => self.apply(line, boot),
                None => self.is_broken = true,
            }
        }
        if self.is_broken {
            // What was not read may have opened any of them.
            self.names = None;
            for (id, entry) in &mut self.entries {
                (entry.is_sure, entry.was_open) = (false, true);
                self.unsure.insert(id.clone());
            }
        }
        self.place_all();
    }

    fn apply(&mut self, line: Line, boot: Option<&str>) {
        match line {
            Line::Boot(of) => self.is_of_boot = boot == Some(&*of),
            Line::Names(stamp) => self.names = self.is_of_boot.then_some(stamp),
            Line::Open(holder, id) => {
                let of_boot = self.is_of_boot;
                let entry = self.entry(&id);
                if of_boot {
                    entry.holders.push(holder);
                }
                (entry.is_sure, entry.was_open) = (false, true);
                self.unsure.insert(id);
            }
            Line::Closed(holder, id, noted) => {
                let of_boot = self.is_of_boot;
                let entry = self.entry(&id);
                entry.holders.retain(|it| *it != holder);
                (entry.is_sure, entry.was_open) = (of_boot && noted.is_some(), true);
                entry.noted = match (noted, entry.noted.take()) {
                    (Some(noted), Some(before)) => Some(noted.after(before)),
                    (noted, before) => noted.or(before),
                };
                entry.is_unsaved = false;
                self.noted(&id);
            }
            // It may be older than what is known.
            Line::Found(id, _) | Line::Former(id, _) if self.is_taken(&id) => {}
            Line::Found(id, noted) => {
                let of_boot = self.is_of_boot;
                let entry = self.entry(&id);
                (entry.is_sure, entry.is_unsaved, entry.noted) = (of_boot, false, Some(noted));
                self.noted(&id);
            }
            Line::Former(id, noted) => {
                let entry = self.entry(&id);
                (entry.is_sure, entry.is_unsaved, entry.noted) = (false, false, Some(noted));
                self.noted(&id);
            }
            Line::Told(id, gist) => {
                let noted = self.entries.get_mut(&id).and_then(|entry| entry.noted.as_mut());
                if let Some(noted) = noted.filter(|noted| noted.note.tip == gist.tip) {
                    noted.gist = Some(gist);
                }
            }
            Line::Gone(id) => self.remove(&id),
        }
    }

    /// Whether what somebody found of a session may be older than what is known.
    fn is_taken(&self, id: &SessionId) -> bool {
        self.entries.get(id).is_some_and(|entry| entry.was_open)
    }

    fn entry(&mut self, id: &SessionId) -> &mut Entry {
        self.entries.entry(id.clone()).or_default()
    }

    /// Takes note of what became of an entry.
    fn noted(&mut self, id: &SessionId) {
        self.told.push(id.clone());
        let Some(entry) = self.entries.get_mut(id) else { return };
        if entry.is_sure && entry.holders.is_empty() {
            self.unsure.remove(id);
        } else {
            self.unsure.insert(id.clone());
        }
    }

    /// Puts those in the order whose note tells where.
    fn place_all(&mut self) {
        if self.order.is_empty() {
            let mut places = Vec::with_capacity(self.entries.len());
            for (id, entry) in &mut self.entries {
                let Some(noted) = &entry.noted else { continue };
                (entry.placed, entry.scope) = (Some(noted.note.updated_at), None);
                places.push((Reverse(noted.note.updated_at), id.clone()));
                self.unscoped.insert(id.clone());
            }
            places.sort_unstable();
            self.order = places.into_iter().collect();
            self.by_facet.clear();
            self.told.clear();
            return;
        }
        for id in std::mem::take(&mut self.told) {
            let Some(entry) = self.entries.get(&id) else { continue };
            let at = entry.noted.as_ref().map(|noted| noted.note.updated_at);
            if let Some(at) = at.filter(|at| entry.placed != Some(*at)) {
                self.place(&id, at);
            }
        }
    }

    /// Puts a session in its place.
    pub(crate) fn place(&mut self, id: &SessionId, at: UnixMillis) {
        self.displace(id);
        let Some(entry) = self.entries.get_mut(id) else { return };
        entry.placed = Some(at);
        let place = (Reverse(at), id.clone());
        match &entry.scope {
            Some(scope) => {
                for facet in facets(scope) {
                    self.by_facet.entry(facet).or_default().insert(place.clone());
                }
            }
            None => {
                self.unscoped.insert(id.clone());
            }
        }
        self.order.insert(place);
    }

    /// Takes a session out of the order.
    pub(crate) fn displace(&mut self, id: &SessionId) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        let Some(at) = entry.placed.take() else { return };
        let place = (Reverse(at), id.clone());
        for facet in entry.scope.iter().flat_map(facets) {
            if let Some(places) = self.by_facet.get_mut(&facet) {
                places.remove(&place);
            }
        }
        self.order.remove(&place);
    }
}

impl Index {
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
    pub(crate) fn learn_names(&mut self, named: HashMap<SessionId, u64>) {
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
        self.displace(id);
        self.entries.remove(id);
        self.unsure.remove(id);
        self.unscoped.remove(id);
    }

    /// Takes nothing for sure.
    pub(crate) fn doubt_all(&mut self) {
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

    pub(crate) fn get(&self, id: &SessionId) -> Option<&Entry> {
        self.entries.get(id)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&SessionId, &Entry)> {
        self.entries.iter()
    }

    /// The places of a scope after one, in their order.
    pub(crate) fn after<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&Recency>,
    ) -> impl Iterator<Item = &'a Place> {
        static NONE: BTreeSet<Place> = BTreeSet::new();
        let of = |facet: Facet| self.by_facet.get(&facet).unwrap_or(&NONE);
        let places = facets(scope).map(of).min_by_key(|places| places.len());
        let from = match after {
            Some(after) => Bound::Excluded((Reverse(after.updated_at), after.id.clone())),
            None => Bound::Unbounded,
        };
        let places = places.unwrap_or(&self.order).range((from, Bound::Unbounded));
        let is_in = move |(_, id): &&Place| {
            let known = || self.entries.get(id).and_then(|entry| entry.scope.as_ref());
            scope.is_empty() || known().is_some_and(|known| scope.holds(known))
        };
        places.filter(is_in)
    }
}
