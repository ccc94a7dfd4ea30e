//! What needs the servers that `cargo xtask test` starts; `--local` passes over this module.

mod faults;
mod proxy;
