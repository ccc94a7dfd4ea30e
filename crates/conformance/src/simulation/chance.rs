//! What a seed decides: choices, random bytes, and a clock that jumps.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sessile_core::UnixMillis;
use sessile_engine::{Clock, Entropy};
use tokio::time::Instant;

use crate::sample;

/// A source of choices that several may draw from; who asks when decides what each is given, and
/// that is the same in every run.
#[derive(Clone)]
pub(super) struct Chance(Arc<Mutex<Box<dyn Iterator<Item = u64> + Send>>>);

impl Chance {
    /// The choices of a seed for one of those who choose.
    pub(super) fn of(seed: u64, who: u64) -> Self {
        let own = sample::scattered(seed).next().unwrap_or(seed) ^ who.rotate_left(32);
        Self(Arc::new(Mutex::new(Box::new(sample::scattered(own)))))
    }

    fn next(&self) -> u64 {
        let mut choices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        choices.next().unwrap_or_default()
    }

    /// A number below another one; 0 below 0.
    pub(super) fn below(&self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or_default()
    }

    /// Whether one chance in so many came true.
    pub(super) fn one_in(&self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    /// One of a list.
    pub(super) fn pick<'a, T>(&self, list: &'a [T]) -> Option<&'a T> {
        list.get(usize::try_from(self.below(u64::try_from(list.len()).ok()?)).ok()?)
    }

    /// Waits for less than so many milliseconds.
    pub(super) async fn wait(&self, below: u64) {
        tokio::time::sleep(Duration::from_millis(self.below(below))).await;
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chance")
    }
}

impl Entropy for Chance {
    fn draw(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let halves = [self.next().to_le_bytes(), self.next().to_le_bytes()].concat();
        bytes.iter_mut().zip(halves).for_each(|(to, from)| *to = from);
        bytes
    }
}

/// A clock that goes with the virtual time, and jumps both ways now and then.
#[derive(Debug)]
pub(super) struct Jumping {
    chance: Chance,
    begun: Instant,
    off_by: Mutex<i64>,
}

/// How far a clock may jump: an hour.
const FARTHEST: u64 = 3_600_000;

impl Jumping {
    pub(super) fn new(chance: Chance) -> Self {
        Self { chance, begun: Instant::now(), off_by: Mutex::new(0) }
    }
}

impl Clock for Jumping {
    fn now(&self) -> UnixMillis {
        let mut off_by = self.off_by.lock().unwrap_or_else(PoisonError::into_inner);
        if self.chance.one_in(10) {
            let jump = i64::try_from(self.chance.below(2 * FARTHEST)).unwrap_or_default();
            *off_by = jump.saturating_sub_unsigned(FARTHEST);
        }
        let passed = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        UnixMillis((sample::NOW.millis() + passed).saturating_add_signed(*off_by))
    }
}
