//! Sharing a time between parts, and a part's time between its runs.

use std::time::{Duration, Instant};

/// What no run gets less than, as long as its part has so much: shorter ones show little.
const LEAST: Duration = Duration::from_secs(20);

/// With less left no run begins.
const WORTH: Duration = Duration::from_secs(1);

/// A time that parts share by their weights. What a part leaves is shared by those after it.
#[derive(Debug)]
pub(super) struct Slots {
    end: Instant,
    /// The weights of the parts that have not begun.
    weights: u32,
}

impl Slots {
    /// Begins at a moment, for parts whose weights come to a sum.
    pub(super) fn new(begun: Instant, time: Duration, weights: u32) -> Self {
        Self { end: begun + time, weights }
    }

    /// When the next part has to end, which has a weight and begins at a moment.
    pub(super) fn next(&mut self, now: Instant, weight: u32) -> Instant {
        let left = self.end.saturating_duration_since(now);
        let share = left * weight / self.weights.max(1);
        self.weights = self.weights.saturating_sub(weight);
        now + share
    }
}

/// How long a run of a part may take that begins with so much of its part's time left, if others
/// wait: half of it, so that one that is slow leaves some to the others. None where it would be cut
/// as soon as it began.
pub(super) fn of_run(left: Duration, others: usize) -> Option<Duration> {
    let allowed = if others == 0 { left } else { (left / 2).max(LEAST).min(left) };
    (left >= WORTH).then_some(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn parts_share_the_time_by_their_weights_and_get_what_others_left() {
        let begun = Instant::now();
        let mut slots = Slots::new(begun, seconds(600), 6);
        assert_eq!(slots.next(begun, 1), begun + seconds(100));
        // The first took 50 seconds only.
        assert_eq!(slots.next(begun + seconds(50), 2), begun + seconds(50 + 220));
        assert_eq!(slots.next(begun + seconds(270), 3), begun + seconds(600));
        // Nothing is left for one that begins when all is over.
        assert_eq!(slots.next(begun + seconds(700), 1), begun + seconds(700));
    }

    #[test]
    fn a_run_gets_half_of_what_is_left_if_others_wait() {
        assert_eq!(of_run(seconds(100), 3), Some(seconds(50)));
        assert_eq!(of_run(seconds(100), 0), Some(seconds(100)));
        assert_eq!(of_run(seconds(30), 3), Some(seconds(20)));
        assert_eq!(of_run(seconds(7), 3), Some(seconds(7)));
        assert_eq!(of_run(Duration::from_millis(900), 3), None);
    }
}
