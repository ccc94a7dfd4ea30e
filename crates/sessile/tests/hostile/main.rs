//! Hostile bytes: no input makes a decoder panic, hang, or take more memory than a multiple of it.
//!
//! Inputs are the files of `fixtures/`, altered by chance. A failure names its seed and round;
//! `SESSILE_SEED=N` begins with that seed, `SESSILE_SOAK=1` goes on for many more rounds.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking, and say how much they did"
)]

mod chance;
mod corpus;
mod decoders;

use std::panic::{AssertUnwindSafe, catch_unwind};

use peak_alloc::PeakAlloc;

use self::chance::Chance;
use self::decoders::DECODERS;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What a decoder may take beside a multiple of its input.
const BESIDE: usize = 256 << 10;

/// How much it may take for each byte of input. The worst is an importer on lines of two bytes,
/// each of which becomes a record with what it is told by: some 600 bytes for three.
const TIMES: usize = 320;

/// Rounds in CI, each of which feeds one input to all decoders.
const ROUNDS: u64 = 4_000;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|number| number.parse().unwrap())
}

/// Feeds an input to each decoder; answers the most memory that one took for a byte.
fn feed(input: &[u8], told: &str) {
    for (name, decode) in DECODERS {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let fed = catch_unwind(AssertUnwindSafe(|| decode(input)));
        let taken = MEMORY.peak_usage().saturating_sub(before);
        assert!(fed.is_ok(), "{name} panics: {told}, {}", input.escape_ascii());
        let most = BESIDE + TIMES * input.len();
        assert!(taken <= most, "{name} takes {taken} bytes for {}: {told}", input.len());
    }
}

// One test: the allocator counts what all threads take.
#[test]
fn no_bytes_make_a_decoder_panic_or_hang_or_take_more_memory_than_a_multiple_of_them() {
    let corpus = corpus::files();
    assert!(corpus.len() > 200, "{} files", corpus.len());
    for (name, bytes) in &corpus {
        feed(bytes, name);
    }
    for (name, bytes) in corpus::extremes() {
        feed(&bytes, name);
    }
    let seed = number("SESSILE_SEED").unwrap_or(1);
    let soaks = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    let rounds = if soaks { 5 * ROUNDS } else { ROUNDS };
    let mut chance = Chance::of(seed);
    let inputs: Vec<&[u8]> = corpus.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    for round in 0..rounds {
        let input = corpus::altered(&inputs, &mut chance);
        feed(&input, &format!("SESSILE_SEED={seed}, round {round}"));
    }
    let executions =
        (rounds + u64::try_from(corpus.len()).unwrap()) * u64::try_from(DECODERS.len()).unwrap();
    println!("{executions} executions of {} decoders from seed {seed}", DECODERS.len());
}
