//! The message board of a session: messages, replies, tasks that are taken on and completed.
//!
//! [`MessageBoard`] posts, changes and tells; [`BoardFold`] is the fold that its store is opened
//! with. The board is decided and folded without I/O: each command is a pure decision on the board
//! as it is, and becomes entries of one commit.
//!
//! The modules stand bottom-up; each uses only those above it.

mod base64;
mod bounds;
mod kind;
mod id;
mod seal;
mod message;
mod state;
mod delivery;
mod apply;
mod saved;
mod folding;
mod assignment;
mod refused;
mod cursor;
mod reference;
mod rules;
mod decision;
mod post;
mod resolve;
mod replace;
mod acknowledge;
mod complete;
mod list;
mod failure;
mod words;
mod overview;
mod answers;
mod doing;
mod handle;

pub use acknowledge::{Acknowledge, Acknowledged};
pub use answers::{Assigned, Listed, Observe, Observed, Waited};
pub use assignment::{Assignment, Fence};
pub use bounds::Bounds;
pub use complete::Complete;
pub use failure::BoardError;
pub use folding::BoardFold;
pub use handle::MessageBoard;
pub use id::MessageId;
pub use kind::{Closure, Kind, Priority, Status};
pub use list::Query;
pub use message::Message;
pub use overview::{Group, Overview, Standing};
pub use post::{Post, Posted};
pub use refused::Refused;
pub use replace::Replace;
pub use resolve::{Resolve, Resolved};
pub use state::{Board, Count};
pub use words::Shown;

#[cfg(test)]
mod tests;
