//! See `objects::note`.
#![no_main]

#[path = "../../crates/sessile/tests/hostile/decoders.rs"]
mod decoders;
#[path = "../../crates/sessile/tests/hostile/objects.rs"]
mod objects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| objects::note(bytes));
