//! The handle of a store.

mod handle;
mod sessions;
mod upkeep;

pub use handle::Store;
