//! The handle of one session.

mod handle;
mod append;
mod admit;
mod give_up;
mod planned;
mod rewind;
mod compact;
mod redact;
mod fork;
mod meta;
mod perform;
mod accept;
mod lifecycle;
mod read;

pub use admit::{Admission, Reconciled};
pub use handle::Session;
pub use rewind::Popped;
