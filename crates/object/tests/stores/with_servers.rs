//! What needs the servers that `cargo xtask test` starts; `--local` passes over this module.

mod proxy;
mod site;
mod child;
mod many;
mod damaged;
mod hosts;
mod faults;
mod killed;
