//! See `decoders::read_ledger`.
#![no_main]

#[path = "../../crates/sessile/tests/hostile/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| decoders::read_ledger(bytes));
