//! See `decoders::read_by_lenses`.
#![no_main]

#[path = "../../crates/sessile/tests/hostile/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| decoders::read_by_lenses(bytes));
