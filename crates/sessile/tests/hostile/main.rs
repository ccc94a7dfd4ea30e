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
#[cfg(all(feature = "aws", feature = "fs", feature = "workflow"))]
mod kept;
#[cfg(feature = "object")]
mod objects;

use std::panic::{AssertUnwindSafe, catch_unwind};

use peak_alloc::PeakAlloc;

use self::chance::Chance;
use self::decoders::{DECODERS, Decoder};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What a decoder may take beside a multiple of its input.
const BESIDE: usize = 256 << 10;

/// The same where a store is asked, whose own buffers count too.
const BESIDE_OF_STORES: usize = 4 << 20;

/// How much it may take for each byte of input. The worst is an importer on lines of two bytes,
/// each of which becomes a record with what it is told by: some 600 bytes for three.
const TIMES: usize = 320;

/// Rounds in CI, each of which feeds one input to all decoders of bytes alone.
const ROUNDS: u64 = 4_000;

/// Every so many rounds those of stores are fed too.
const OF_STORES: u64 = 8;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|number| number.parse().unwrap())
}

/// The decoders of bytes alone, and what each may take beside a multiple of its input.
fn alone() -> impl Iterator<Item = (&'static Decoder, usize)> {
    DECODERS.iter().map(|decoder| (decoder, BESIDE))
}

/// Those that are asked by way of a store, some of them a thousand times as slow.
fn of_stores() -> impl Iterator<Item = (&'static Decoder, usize)> {
    #[cfg(all(feature = "aws", feature = "fs", feature = "workflow"))]
    let kept = kept::DECODERS;
    #[cfg(not(all(feature = "aws", feature = "fs", feature = "workflow")))]
    let kept: &[Decoder] = &[];
    #[cfg(feature = "object")]
    let objects = objects::DECODERS;
    #[cfg(not(feature = "object"))]
    let objects: &[Decoder] = &[];
    kept.iter().chain(objects).map(|decoder| (decoder, BESIDE_OF_STORES))
}

/// Feeds an input to decoders; answers how many there were.
fn feed<'a>(input: &[u8], told: &str, decoders: impl Iterator<Item = (&'a Decoder, usize)>) -> u64 {
    let mut fed = 0;
    for ((name, decode), beside) in decoders {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let done = catch_unwind(AssertUnwindSafe(|| decode(input)));
        let taken = MEMORY.peak_usage().saturating_sub(before);
        assert!(done.is_ok(), "{name} panics: {told}, {}", input.escape_ascii());
        let most = beside + TIMES * input.len();
        assert!(taken <= most, "{name} takes {taken} bytes for {}: {told}", input.len());
        fed += 1;
    }
    fed
}

/// Decoders that do what none may, to show that it is noticed.
fn what_is_planted_is_noticed() {
    let panics: Decoder = ("panics", |bytes| assert!(bytes.is_empty(), "it can't be read"));
    let hoards: Decoder = ("hoards", |bytes| drop(vec![1_u8; BESIDE + (TIMES + 1) * bytes.len()]));
    for (planted, told) in [(&panics, "panics panics: x"), (&hoards, "hoards takes")] {
        let fed = || feed(b"abc", "x", std::iter::once((planted, BESIDE)));
        let noticed = catch_unwind(AssertUnwindSafe(fed)).unwrap_err();
        let said = noticed.downcast_ref::<String>().unwrap();
        assert!(said.starts_with(told), "{said}");
    }
}

// One test: the allocator counts what all threads take.
#[test]
fn no_bytes_make_a_decoder_panic_or_hang_or_take_more_memory_than_a_multiple_of_them() {
    what_is_planted_is_noticed();
    let corpus = corpus::files();
    assert!(corpus.len() > 200, "{} files", corpus.len());
    let mut executions = 0;
    for (name, bytes) in &corpus {
        executions += feed(bytes, name, alone().chain(of_stores()));
    }
    for (name, bytes) in corpus::extremes() {
        executions += feed(&bytes, name, alone().chain(of_stores()));
    }
    let seed = number("SESSILE_SEED").unwrap_or(1);
    let soaks = std::env::var_os("SESSILE_SOAK").is_some_and(|value| value == "1");
    let rounds = if soaks { 5 * ROUNDS } else { ROUNDS };
    let mut chance = Chance::of(seed);
    let inputs: Vec<&[u8]> = corpus.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    for round in 0..rounds {
        let input = corpus::altered(&inputs, &mut chance);
        let told = format!("SESSILE_SEED={seed}, round {round}");
        executions += feed(&input, &told, alone());
        if round.is_multiple_of(OF_STORES) {
            executions += feed(&input, &told, of_stores());
        }
    }
    println!(
        "{executions} executions of {} decoders from seed {seed}",
        alone().chain(of_stores()).count()
    );
}
