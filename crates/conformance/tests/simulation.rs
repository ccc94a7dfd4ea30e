//! Seeds on the memory backend; what a place must never do is noticed.
//!
//! A failure names its seed. `SESSILE_SEED=N` runs that one alone, `SESSILE_SOAK=1` ten times
//! as many, from a seed that `SESSILE_SEED` may name.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and say how much they did"
)]

use std::sync::Arc;

use async_trait::async_trait;
use sessile_conformance::simulation::{Defect, Seen, simulate};
use sessile_conformance::{Failed, Footprint, Place};
use sessile_core::Backend;
use sessile_memory::MemoryBackend;

/// So many seeds are run in CI.
const SEEDS: u64 = 300;

#[derive(Default)]
struct Memory(MemoryBackend);

#[async_trait]
impl Place for Memory {
    async fn handle(&self) -> Result<Arc<dyn Backend>, Failed> {
        Ok(Arc::new(self.0.clone()))
    }

    async fn footprint(&self) -> Result<Option<Footprint>, Failed> {
        Ok(None)
    }
}

fn run(seed: u64, defect: Option<Defect>) -> Result<Seen, Failed> {
    let place: Arc<dyn Place> = Arc::new(Memory::default());
    simulate(&place, seed, defect)
}

fn seeds() -> std::ops::Range<u64> {
    let named = std::env::var("SESSILE_SEED").ok().map(|seed| seed.parse::<u64>().unwrap());
    let soaks = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    match (named, soaks) {
        (Some(seed), false) => seed..seed + 1,
        (seed, true) => seed.unwrap_or(0)..seed.unwrap_or(0) + 10 * SEEDS,
        (None, false) => 0..SEEDS,
    }
}

#[test]
fn under_a_bad_line_nothing_told_is_lost_done_twice_or_written_past_a_fence() {
    let (mut calls, mut faults, mut commits, mut count) = (0, 0, 0, 0_u64);
    for seed in seeds() {
        let seen = run(seed, None).unwrap_or_else(|failed| {
            panic!(
                "{failed}\ntake it again: SESSILE_SEED={seed} \
                 cargo test -p sessile-conformance --test simulation under_a_bad_line"
            )
        });
        calls += seen.calls;
        faults += seen.faults;
        commits += seen.commits;
        count += 1;
    }
    println!("{count} seeds: {calls} calls, {faults} faults, {commits} commits");
    assert!(calls > 0 && faults > 0 && commits > 0, "something happened");
}

#[test]
fn a_seed_gives_the_same_history_and_the_same_bytes_in_every_run() {
    for seed in 0..20 {
        let (one, other) = (run(seed, None).unwrap(), run(seed, None).unwrap());
        assert_eq!(one, other, "seed {seed}");
        assert_ne!(one.journals, run(seed + 1, None).unwrap().journals);
    }
}

#[test]
fn what_a_place_must_never_do_is_noticed() {
    for defect in Defect::ALL {
        let noticed: Vec<_> = (0..60)
            .filter_map(|seed| run(seed, Some(defect)).err().map(|failed| failed.to_string()))
            .collect();
        let first = noticed.first().map(|why| why.chars().take(160).collect::<String>());
        println!(
            "{defect:?}: noticed by {} of 60 seeds; {}",
            noticed.len(),
            first.unwrap_or_default()
        );
        assert!(!noticed.is_empty(), "{defect:?}");
    }
}
