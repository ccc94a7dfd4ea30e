//! The orders in which sessions stand: of all, and of those with one project, owner or parent.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;

use sessile_core::backend::{Recency, Scope};
use sessile_core::digest::Digest;
use sessile_core::id::{Name, SessionId};
use sessile_core::time::UnixMillis;

/// Where a session stands in the order of recency; ids order those of one time.
pub(crate) type Place = (Reverse<UnixMillis>, SessionId);

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

/// Places of sessions, and of those whose scope is known once more by what it says.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    all: BTreeSet<Place>,
    by_facet: HashMap<Facet, BTreeSet<Place>>,
}

impl Orders {
    /// Those of sessions of which no scope is known.
    pub(crate) fn of(mut places: Vec<Place>) -> Self {
        places.sort_unstable();
        Self { all: places.into_iter().collect(), by_facet: HashMap::new() }
    }

    /// Puts a session in its place.
    pub(crate) fn insert(&mut self, place: Place, scope: Option<&Scope>) {
        for facet in scope.into_iter().flat_map(facets) {
            self.by_facet.entry(facet).or_default().insert(place.clone());
        }
        self.all.insert(place);
    }

    /// Takes a session from its place.
    pub(crate) fn remove(&mut self, place: &Place, scope: Option<&Scope>) {
        for facet in scope.into_iter().flat_map(facets) {
            if let Some(places) = self.by_facet.get_mut(&facet) {
                places.remove(place);
            }
        }
        self.all.remove(place);
    }

    /// All places.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Place> {
        self.all.iter()
    }

    /// The places after one of all sessions that may be in a scope, as few as there is an order of.
    pub(crate) fn after(
        &self,
        scope: &Scope,
        after: Option<&Recency>,
    ) -> impl Iterator<Item = &Place> + use<'_> {
        static NONE: BTreeSet<Place> = BTreeSet::new();
        let of = |facet: Facet| self.by_facet.get(&facet).unwrap_or(&NONE);
        let places = facets(scope).map(of).min_by_key(|places| places.len());
        let from = match after {
            Some(after) => Bound::Excluded((Reverse(after.updated_at), after.id.clone())),
            None => Bound::Unbounded,
        };
        places.unwrap_or(&self.all).range((from, Bound::Unbounded))
    }
}
