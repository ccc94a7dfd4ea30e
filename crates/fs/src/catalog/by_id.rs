//! Where texts are in a list, found by the text.

use std::hash::{BuildHasher as _, RandomState};

/// Where ids are, by what chance says of each, so that nobody can choose ids that collide.
#[derive(Debug)]
pub(crate) struct ById {
    state: RandomState,
    /// One more than the place; 0 where there is none.
    places: Vec<u32>,
}

impl ById {
    /// Takes in so many ids, in the order of their places.
    pub(crate) fn of<'a>(count: usize, ids: impl Iterator<Item = &'a str>) -> Self {
        let places = vec![0; (count * 2).next_power_of_two()];
        let mut by_id = Self { state: RandomState::new(), places };
        for (id, number) in ids.zip(1..) {
            let free = by_id.ways(id).find(|at| by_id.places.get(*at) == Some(&0));
            if let Some(place) = free.and_then(|at| by_id.places.get_mut(at)) {
                *place = number;
            }
        }
        by_id
    }

    /// Where an id may be, one place after the other.
    fn ways(&self, id: &str) -> impl Iterator<Item = usize> + use<> {
        let count = self.places.len();
        let first = usize::try_from(self.state.hash_one(id) >> 32).unwrap_or(0);
        (0..count).map(move |step| first.wrapping_add(step) & (count - 1))
    }

    /// The place of an id, which the caller compares.
    pub(crate) fn find(&self, id: &str, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        for way in self.ways(id) {
            let at = usize::try_from(*self.places.get(way)?).ok()?.checked_sub(1)?;
            if is_it(at) {
                return Some(at);
            }
        }
        None
    }
}
