//! The handle of one session.

mod handle;
mod append;
mod meta;
mod lifecycle;
mod read;

pub use handle::Session;
