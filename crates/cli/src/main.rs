//! The `sessile` program.

fn main() {}
