//! The handle of a store.

mod handle;
mod sessions;
mod upkeep;
mod flushing;
mod memory;

pub use handle::Store;
