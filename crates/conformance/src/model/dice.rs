//! Choices that look random and are the same in every run.

use crate::sample;

/// A source of choices.
pub(super) struct Dice(Box<dyn Iterator<Item = u64> + Send>);

impl Dice {
    /// The choices of a seed.
    pub(super) fn of(seed: u64) -> Self {
        Self(Box::new(sample::scattered(seed)))
    }

    /// A number below another one; 0 below 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let drawn = self.0.next().unwrap_or_default();
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        usize::try_from(drawn.checked_rem(bound).unwrap_or_default()).unwrap_or_default()
    }

    /// Whether one chance in so many came true.
    pub(super) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    /// One of a list.
    pub(super) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}
