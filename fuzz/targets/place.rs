//! See `decoders::place`.
#![no_main]

#[path = "../../crates/sessile/tests/hostile/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| decoders::place(bytes));
