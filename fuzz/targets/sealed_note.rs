//! See `objects::sealed_note`.
#![no_main]

#[path = "../../crates/sessile/tests/hostile/decoders.rs"]
mod decoders;
#[path = "../../crates/sessile/tests/hostile/objects.rs"]
mod objects;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| objects::sealed_note(bytes));
