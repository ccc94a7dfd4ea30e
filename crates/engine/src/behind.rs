//! Writing behind: what callers were told waits a short while, so that much of it is written at once.
//!
//! What waits is the *operation*, not its bytes. It is decided when it is wanted, on what is known
//! here with what waits before it; and decided again when it is written, on what others have written
//! by then. What waits is in this process only: whoever needs more flushes, or performs what is a
//! barrier.

mod gathered;
mod line;
mod book;
mod writer;
mod asked;
mod messages;

pub use book::Backlog;
pub(crate) use messages::Batch;
pub(crate) use writer::Behind;
