//! See `kept::sealed_catalog`.
#![no_main]

#[path = "../../crates/sessile/tests/hostile/decoders.rs"]
mod decoders;
#[path = "../../crates/sessile/tests/hostile/kept.rs"]
mod kept;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kept::sealed_catalog(bytes));
